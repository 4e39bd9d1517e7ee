package main

import (
	"context"

	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/limit"
)

// asks is what a command asks of Slurm. Of who takes a quote that nothing is kept for, as one that
// does not bind or was offered instead, it is what that says: Slurm is asked about it now.
func (m onSlurm) asks(ctx context.Context, c *trade.Command) (*trade.Request, error) {
	if c.Submit == nil || c.Submit.Quote == "" || m.backend.Keeps(c.Submit.Quote) {
		return asked(c), nil
	}
	q, err := m.Controller.Quote(ctx, c.Submit.Quote)
	if err != nil || q.Owner != c.By.User {
		return asked(c), nil //nolint:nilerr // the market says so
	}
	given := c.Submit.Request
	given.EstimateMS, given.Partition = 0, "" // of which the market passes over some: the quote's count
	r, err := trade.Merge(q.Request, given)
	if err != nil {
		return asked(c), nil //nolint:nilerr // the market says so
	}
	return &r, carried(&r)
}

// asked is the request of a command that has one: that of a quote which is taken was
// looked at when it was given, but for licences, which go along with its program.
func asked(c *trade.Command) *trade.Request {
	switch {
	case c.Submit != nil && c.Submit.Request.Said():
		return &c.Submit.Request
	case c.Submit != nil:
		if some, _ := task.LicensesOf(c.Submit.Request.Env); len(some) > 0 {
			return &trade.Request{Env: c.Submit.Request.Env}
		}
	case c.Quote != nil:
		return &c.Quote.Request
	}
	return nil
}

// qosOfQuote refuses to take a quote whose QOS its user may not have any more: Slurm would refuse the job.
func (m onSlurm) qosOfQuote(ctx context.Context, c *trade.Command) error {
	if c.Submit == nil || c.Submit.Quote == "" {
		return nil
	}
	q, err := m.Controller.Quote(ctx, c.Submit.Quote)
	if err != nil || q.Owner != c.By.User {
		return nil //nolint:nilerr // the market says so
	}
	return noSuchQOS(m.backend.NoQOS(ctx, c.By.User, &q.Request))
}

// admit holds what a command asks for against Slurm's limits, and a quote against what quotes may
// keep.
func (m onSlurm) admit(ctx context.Context, c *trade.Command, r *trade.Request, waits bool) (*slurm.Ticket, *limit.Excess, error) {
	if some, _ := task.LicensesOf(r.Env); len(some) > 0 {
		letGoLicenses(ctx, m.Market, m.backend)
	}
	if c.Quote == nil {
		ticket, over := m.backend.Admit(ctx, c.By.User, r, waits)
		return ticket, over, nil
	}
	epoch, err := m.Controller.Epoch(ctx)
	if err != nil {
		return nil, nil, err
	}
	set := map[string]string{}
	for _, s := range epoch.Settings {
		set[s.Name] = s.Value
	}
	own, _ := rules.Split(set)
	in, err := rules.Read(own)
	if err != nil {
		return nil, nil, err
	}
	ticket, over := m.backend.AdmitQuote(ctx, c.By.User, r, waits, slurm.Bounds{User: in.QuoteShare, All: in.QuoteAll})
	return ticket, over, nil
}
