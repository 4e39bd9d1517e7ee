package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/store"
)

// cancel takes a job back. One that nobody has confirmed, or whose cluster does
// not answer, ends here at once; what its cluster may have of it is taken back
// as soon as that answers.
func (b *Broker) cancel(ctx context.Context, by trade.Identity, id int64, key api.Key) (api.Outcome, error) {
	e, err := b.entry(ctx, id)
	if err != nil {
		return api.Outcome{}, err
	}
	f := e.now()
	if f.Job.State.Final() || by.Role != trade.RoleOwner && f.Job.Owner != by.User {
		return api.Outcome{}, fmt.Errorf("job %d: %w, or it has ended", id, trade.ErrUnknown)
	}
	if l := b.at(f.Cluster, f.Job.Owner); l != nil && f.Remote != 0 {
		within, stop := context.WithTimeout(ctx, b.options.Patience)
		j, bad := l.client.Cancel(within, f.Remote)
		stop()
		l.seller.met(bad)
		switch p, certain := declined(bad); {
		case bad == nil:
			if err = b.learn(l, e, &j); err != nil {
				return api.Outcome{}, closed(err)
			}
			return b.answer(ctx, key, api.Outcome{Job: b.view(e)})
		case certain && !missing(bad): // it has ended there
			l.refresh(ctx, e)
			return api.Outcome{}, fmt.Errorf("%w: %s: %s", trade.ErrConflict, l.seller.name, clipped(p.Error()))
		}
	}
	err = b.conclude(e, func(f *facts) ([]store.Reply, error) {
		f.Job.State, f.Job.Reason, f.Job.EndedUS = v1.Cancelled, v1.ReasonByUser, b.now()
		f.Job.Detail = "cancelled by its user"
		if by.User != f.Job.Owner {
			f.Job.Detail = "cancelled by " + by.User
		}
		if f.Cluster != "" {
			f.Job.Detail += fmt.Sprintf("; %s does not answer and will be told when it does", f.Cluster)
		}
		f.Left = f.leftovers()
		return b.placed(f)
	})
	if err != nil {
		return api.Outcome{}, closed(err)
	}
	b.publish(e)
	return b.answer(ctx, key, api.Outcome{Job: b.view(e)})
}

// placed is the answer to the submission of a job that was not answered yet. Who
// asks again with its key must not begin another.
func (b *Broker) placed(f *facts) ([]store.Reply, error) {
	if f.Remote != 0 { // that was answered when a cluster took it
		return nil, nil
	}
	view := f.Job
	return b.reply(f.Key, &api.Outcome{Job: &view})
}

// answer keeps what is said to a key.
func (b *Broker) answer(ctx context.Context, key api.Key, o api.Outcome) (api.Outcome, error) {
	replies, err := b.reply(key, &o)
	if err == nil && len(replies) > 0 {
		err = b.store.Append(context.WithoutCancel(ctx), store.Batch{Replies: replies})
	}
	return o, closed(err)
}

// move hands a job on that its cluster has lost, or of whose cluster nothing was
// heard until its deadline had passed. Two may hear that at a time: who comes second, to a
// job that is not where it was any more, moves nothing.
func (b *Broker) move(e *entry, was *facts, lost string) error {
	err := b.conclude(e, func(f *facts) ([]store.Reply, error) {
		if f.Nonce != was.Nonce {
			return nil, errMoved
		}
		e.denied = 0
		replies, err := b.placed(f)
		f.Left = f.leftovers()
		f.Tried = append(slices.Clone(f.Tried), f.Cluster)
		f.Cluster, f.Nonce, f.Remote, f.Quote = "", "", 0, ""
		f.Job.State, f.Job.Reason, f.Job.Detail, f.Job.EndedUS, f.Job.StartedUS, f.Job.Receipt = v1.Queued, "", lost, 0, 0, nil
		f.Job.Share, f.Job.Places, f.Job.Tasks, f.Job.Account = 0, nil, nil, f.Job.Owner
		return replies, err
	})
	if errors.Is(err, errMoved) {
		return nil
	}
	if err != nil {
		return err
	}
	b.log.Warn("a job goes to another cluster", "job", e.id, "why", lost)
	b.publish(e)
	return nil // the next sweep sends it on
}

// errMoved is of a job that somebody else has handed on.
var errMoved = errors.New("it is not there any more")

// sweep places the jobs that nobody is placing, takes back what was left behind,
// and hands on the jobs of clusters that are gone.
func (b *Broker) sweep() {
	for _, e := range b.underway() {
		f := e.now()
		if f.unsettled() {
			b.fly(e)
		}
		for _, left := range f.Left {
			if l := b.at(left.Cluster, f.Job.Owner); l != nil && l.seller.away() == 0 && b.takenBack(l, left) {
				err := b.change(e, func(f *facts) bool {
					f.Left = slices.DeleteFunc(slices.Clone(f.Left), func(x leftover) bool { return x == left })
					return true
				})
				if err != nil {
					b.log.Warn("a job is not written", "job", e.id, "error", err)
				}
			}
		}
		if s := b.seller(f.Cluster); s != nil && f.Remote != 0 && f.mayMove() && !f.Job.State.Final() {
			if away := s.away(); away != 0 && f.Job.DueUS != 0 && b.now() > f.Job.DueUS && b.now()-away > b.options.Patience.Microseconds() {
				if err := b.move(e, &f, "not heard of until its deadline had passed"); err != nil {
					b.log.Warn("a job is not written", "job", e.id, "error", err)
				}
			}
		}
	}
}

// takenBack cancels what a cluster has of a job that was given up, and reports
// whether there is nothing more to come: a request that is still on its way may
// arrive until its time is up.
func (b *Broker) takenBack(l *login, left leftover) bool {
	ctx, stop := context.WithTimeout(b.ctx, b.options.Limit)
	defer stop()
	id := left.Remote
	if id == 0 {
		j, found, err := l.find(ctx, left.Nonce, left.SentUS)
		switch {
		case err != nil:
			return false
		case !found:
			return b.now()-left.SentUS > 2*callLimit.Microseconds()
		case j.State.Final():
			return true
		}
		id = j.ID
	}
	_, err := l.client.Cancel(ctx, id)
	l.seller.met(err)
	return err == nil || over(err)
}
