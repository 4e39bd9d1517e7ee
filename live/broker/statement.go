package broker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
)

// Statement is one statement over all clusters, or over one: the lines of each
// in the order of time, with the cluster named, and a balance over all of them.
func (b *Broker) Statement(ctx context.Context, account string, subtree bool, fromUS, toUS int64) (ledger.Statement, error) {
	user, cluster, below := accountPath(account)
	all := ledger.NewStatement(market.Account(account), subtree, ledger.Period{Start: fromUS, End: toUS})
	var logins []*login
	for _, l := range b.markets(user) {
		if cluster == "" || l.seller.name == cluster {
			logins = append(logins, l)
		}
	}
	if len(logins) == 0 && cluster == "" { // somebody who has nothing anywhere
		return *all, nil
	}
	if len(logins) == 0 || below != "" && logins[0].user == "" {
		return *all, fmt.Errorf("account %s: %w", account, trade.ErrUnknown)
	}
	parts := make([]ledger.Statement, len(logins))
	errs := make([]error, len(logins))
	var wait sync.WaitGroup
	for i, l := range logins {
		wait.Go(func() {
			if l.user == "" {
				parts[i], errs[i] = b.sharedStatement(ctx, user, l, all.Period)
			} else {
				parts[i], errs[i] = l.statement(ctx, below, subtree, all.Period)
			}
		})
	}
	wait.Wait()
	for i, err := range errs {
		if _, certain := declined(err); certain {
			return *all, b.inWords(logins[i], err)
		}
		if err != nil {
			return *all, incomplete(logins[i], user, err)
		}
	}
	return *all, b.join(all, logins, parts)
}

// statement is what moved on an account at a cluster.
func (l *login) statement(ctx context.Context, below string, subtree bool, p ledger.Period) (ledger.Statement, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	home, err := l.home(ctx)
	if err != nil {
		return ledger.Statement{}, err
	}
	if below != "" {
		home += "/" + below
	}
	s, err := l.client.Statement(ctx, client.Period{Account: home, Subtree: subtree, FromUS: p.Start, ToUS: p.End})
	l.seller.met(err)
	return wire.ToStatement(&s), err
}

// sharedStatement is what the jobs of a user were charged at a cluster where all
// pay with one token.
func (b *Broker) sharedStatement(ctx context.Context, user string, l *login, p ledger.Period) (ledger.Statement, error) {
	s := ledger.NewStatement(market.Account(user+"/"+l.seller.name), false, p)
	add := func(j *v1.Job, kind ledger.Kind, amount int64, seq int64) {
		switch {
		case amount == 0 || j.EndedUS >= p.End:
		case j.EndedUS < p.Start:
			s.Opening += market.Money(amount)
		default:
			s.Lines = append(s.Lines, ledger.Line{Seq: seq, At: j.EndedUS, Kind: kind, Job: j.ID, Memo: j.Name, Amount: market.Money(amount)})
		}
	}
	err := b.each(ctx, store.Query{Owner: user, Account: string(s.Account)}, func(e *entry) error {
		j := &e.facts.Job
		if j.State.Final() {
			add(j, ledger.KindCharge, -j.Charged, 2*j.ID)
			add(j, ledger.KindPenalty, j.Penalty, 2*j.ID+1)
		} else {
			s.Held += market.Money(j.Held)
		}
		return nil
	})
	s.Closing = s.Opening
	for i := range s.Lines {
		s.Closing += s.Lines[i].Amount
	}
	return *s, err
}

// join makes one statement of several. Each must add up by itself.
func (b *Broker) join(all *ledger.Statement, logins []*login, parts []ledger.Statement) error {
	type from struct {
		place int
		line  ledger.Line
	}
	var lines []from
	var err error
	plus := func(to *market.Money, amount market.Money) {
		if sum, over := to.Plus(amount); over == nil {
			*to = sum
		} else if err == nil {
			err = over
		}
	}
	for i := range parts {
		p, l := &parts[i], logins[i]
		sum := p.Opening
		for _, line := range p.Lines {
			plus(&sum, line.Amount)
			if l.user != "" {
				line.Job = b.lineJob(l, &line)
			}
			line.Memo = strings.TrimSuffix(l.seller.name+": "+clipped(line.Memo), ": ")
			lines = append(lines, from{i, line})
		}
		if sum != p.Closing {
			l.seller.caught("a statement that does not add up")
			return fmt.Errorf("%w: the statement of %s does not add up", trade.ErrConflict, l.seller.name)
		}
		plus(&all.Opening, p.Opening)
		plus(&all.Held, p.Held)
	}
	slices.SortStableFunc(lines, func(x, y from) int {
		return cmp.Or(cmp.Compare(x.line.At, y.line.At), cmp.Compare(x.place, y.place), cmp.Compare(x.line.Seq, y.line.Seq))
	})
	all.Closing = all.Opening
	for i := range lines {
		line := lines[i].line
		plus(&all.Closing, line.Amount)
		line.Seq, line.Balance = int64(i+1), all.Closing
		all.Lines = append(all.Lines, line)
	}
	return err
}

// lineJob is the broker's number of the job of a line. One that did not come
// through the broker is named in the memo.
func (b *Broker) lineJob(l *login, line *ledger.Line) int64 {
	if line.Job == ledger.NoJob {
		return ledger.NoJob
	}
	if id := b.number(l.seller.name, line.Job); id != 0 {
		return id
	}
	line.Memo = fmt.Sprintf("job %d there %s", line.Job, line.Memo)
	return ledger.NoJob
}

// usage is what a job used.
func usage(j *v1.Job) ledger.Usage {
	begun := j.StartedUS
	if begun == 0 { // it waited in vain, and that was paid for
		begun = j.EndedUS
	}
	return ledger.Usage{
		Job: j.ID, Name: j.Name, Account: market.Account(j.Account), Start: begun, End: j.EndedUS,
		Quantity: float64(j.Work) / 1e3 * float64(j.Width), Charge: market.Money(j.Charged), Penalty: market.Money(j.Penalty),
	}
}
