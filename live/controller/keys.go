package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// nameOf is a key with its owner, who alone it is good for.
func nameOf(k *trade.Key) string { return k.Owner + "\x00" + k.Key }

// known is a keyed command that was carried out lately. The store has it too,
// but maybe not yet when the same key comes again.
type known struct {
	digest []byte
	out    trade.Outcome
	at     int64
}

// lately is the keyed commands that were carried out lately, and the order of that.
type lately struct {
	byName map[string]*known
	order  []string
}

func newLately() lately { return lately{byName: map[string]*known{}} }

func (l *lately) add(name string, k *known) {
	l.byName[name] = k
	l.order = append(l.order, name)
}

// forget drops what was before a time. It asks those alone: there may be many.
func (l *lately) forget(before int64) {
	n := 0
	for ; n < len(l.order); n++ {
		if k := l.byName[l.order[n]]; k.at >= before {
			break
		}
		delete(l.byName, l.order[n])
	}
	l.order = l.order[n:]
}

// remember keeps the outcome of a keyed command for as long as a caller may
// have looked into the store too early.
func (c *Controller) remember(a *call) {
	c.used.add(a.key.Owner, a.key.Key)
	c.recent.add(nameOf(&a.key), &known{digest: a.key.Digest, out: a.out, at: c.now()})
}

const rememberUS = 60_000_000

// repeated answers a call whose key was used just now.
func (c *Controller) repeated(a *call) bool {
	if !a.key.Given() {
		return false
	}
	k := c.recent.byName[nameOf(&a.key)]
	if k == nil {
		return false
	}
	if !bytes.Equal(k.digest, a.key.Digest) {
		a.err = trade.ErrKeyReused
	} else {
		a.out, a.replayed = k.out, true
	}
	if c.pending.empty() && !c.writing {
		close(a.done)
	} else {
		c.pending.calls = append(c.pending.calls, a)
	}
	return true
}

// Do carries out a command and returns when it is durable. With a key that was
// used before it returns what was answered then.
func (c *Controller) Do(ctx context.Context, cmd trade.Command, key trade.Key) (o trade.Outcome, replayed bool, err error) {
	if o, found, err := c.Answered(ctx, key); found || err != nil {
		return o, found, err
	}
	if err := checkPaths(&cmd); err != nil {
		return trade.Outcome{}, false, err
	}
	if err := c.settled(ctx, &cmd); err != nil {
		return trade.Outcome{}, false, err
	}
	if cmd.Epoch != nil {
		e := *cmd.Epoch
		e.Settings = epoch.Complete(e.Policy, e.Settings, c.cfg.Unsaid)
		cmd.Epoch = &e
	}
	a := &call{cmd: &cmd, key: key, done: make(chan struct{})}
	if err := c.send(ctx, a); err != nil {
		return trade.Outcome{}, false, err
	}
	return a.out, a.replayed, a.err
}

// Answered is what was said to a command that came with a key, if there was one.
func (c *Controller) Answered(ctx context.Context, key trade.Key) (o trade.Outcome, found bool, err error) {
	if !key.Given() || !c.used.maybe(key.Owner, key.Key) {
		return o, false, nil
	}
	reply, found, err := c.log.Reply(ctx, key.Owner, key.Key)
	switch {
	case err != nil || !found:
		return o, false, err
	case !bytes.Equal(reply.Digest, key.Digest):
		return o, false, trade.ErrKeyReused
	}
	err = json.Unmarshal(reply.Body, &o)
	return o, true, err
}

// settled looks up how the jobs ended that a new one is to follow.
func (c *Controller) settled(ctx context.Context, cmd *trade.Command) error {
	if cmd.Submit == nil || len(cmd.Submit.Request.Follows()) == 0 {
		return nil
	}
	s := *cmd.Submit
	s.Settled = nil
	for _, id := range s.Request.Follows() {
		row, found, err := c.log.Job(ctx, id)
		if err != nil {
			return err
		}
		if state := trade.State(row.State); found && state.Final() {
			ended, err := fromRow(&row)
			if err != nil {
				return err
			}
			each := trade.AsksElements(&s.Request, id)
			if each {
				c.asked(ctx, &row, &ended)
			}
			s.Settled = append(s.Settled, trade.SettledOf(&ended, each))
		}
	}
	cmd.Submit = &s
	return nil
}

// partyOf is who waits in line with a command.
func partyOf(by trade.Identity) fair.Party {
	switch {
	case by.User == "":
		return fair.Party{}
	case by.Role == trade.RoleNode:
		return fair.Party{Kind: fair.Node, Name: by.User}
	default:
		return fair.Party{Kind: fair.Person, Name: by.User}
	}
}

// takeTurn waits for an instant of one's own, where everybody has to have one.
func (c *Controller) takeTurn(ctx context.Context) {
	if c.cfg.Turn != nil {
		c.cfg.Turn(ctx)
	}
}

// send puts a call into the inbox and waits for its answer.
func (c *Controller) send(ctx context.Context, a *call) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.takeTurn(ctx)
	who := fair.Who(ctx)
	began := c.cfg.Now()
	if a.cmd != nil {
		who = partyOf(a.cmd.By)
	}
	if err := c.inbox.Put(who, a); err != nil {
		return err
	}
	select {
	case <-a.done:
		fair.TicketOf(ctx).Idle(c.cfg.Now().Sub(began) - a.took)
		return nil
	case <-ctx.Done(): // what becomes of it is not known here; with a key it can be asked again
		return ctx.Err()
	case <-c.done:
		select {
		case <-a.done:
			return nil
		default:
			return trade.ErrUnavailable
		}
	}
}

// query reads the exchange, as of all that was decided before and is durable.
func (c *Controller) query(ctx context.Context, f func(*exchange.Exchange)) error {
	// Who does not wait any more must not have what it has left written to.
	var taken atomic.Bool
	a := &call{done: make(chan struct{})}
	a.query = func(x *exchange.Exchange) {
		if taken.CompareAndSwap(false, true) {
			f(x)
		}
	}
	if err := c.send(ctx, a); err != nil {
		if !taken.CompareAndSwap(false, true) {
			select { // it is being read, or has been
			case <-a.done:
			case <-c.done:
			}
		}
		return err
	}
	return a.err
}
