package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/store"
)

// Job is all there is to know of one job, whether it has ended or not.
func (c *Controller) Job(ctx context.Context, id int64) (trade.Job, error) {
	var j trade.Job
	var live bool
	if err := c.query(ctx, func(x *exchange.Exchange) { j, live = x.Job(id) }); err != nil {
		return j, err
	}
	if live {
		c.fleet.tellLanes(&j)
		j.Program = program(&j.Request)
		return j, nil
	}
	row, found, err := c.log.Job(ctx, id)
	if err != nil {
		return j, err
	}
	if !found {
		return j, fmt.Errorf("job %d: %w", id, trade.ErrUnknown)
	}
	if j, err = fromRow(&row); err != nil {
		return j, err
	}
	c.asked(ctx, &row, &j)
	return j, nil
}

// asked looks up what a job of long ago asked for, where that is in an entry of the
// log alone. If the entry cannot be read, the job says where it is.
func (c *Controller) asked(ctx context.Context, row *store.Job, j *trade.Job) {
	var moved archive.Moved
	if len(row.Spec) == 0 || json.Unmarshal(row.Spec, &moved) != nil || moved.Entry == 0 {
		return
	}
	j.Archived = moved.Entry
	for e, err := range c.log.Tail(ctx, moved.Entry-1) {
		var body Body
		if err != nil || e.Seq != moved.Entry || json.Unmarshal(e.Body, &body) != nil || body.Facts == nil {
			return
		}
		for i := range body.Facts.Jobs {
			if f := &body.Facts.Jobs[i]; f.ID == j.ID && f.Request.Said() {
				j.Request, j.Archived = f.Request, 0
			}
		}
		return
	}
}

// fromRow is a job as it was written down.
func fromRow(row *store.Job) (trade.Job, error) {
	var j trade.Job
	if err := json.Unmarshal(row.Body, &j); err != nil {
		return j, fmt.Errorf("job %d in the store: %w", row.ID, err)
	}
	if len(row.Spec) > 0 {
		if err := json.Unmarshal(row.Spec, &j.Request); err != nil {
			return j, fmt.Errorf("job %d in the store: %w", row.ID, err)
		}
	}
	return j, nil
}

// Jobs lists jobs, the newest first, those under way as they are now. Their
// requests are without what may be large.
func (c *Controller) Jobs(ctx context.Context, q v1.JobQuery) ([]trade.Job, error) {
	ask := store.Query{Owner: q.Owner, Name: q.Name, Account: q.Account, Before: q.Before, Limit: q.Limit}
	for _, s := range q.States {
		ask.States = append(ask.States, string(s))
	}
	rows, err := c.log.Jobs(ctx, ask)
	if err != nil {
		return nil, err
	}
	jobs := make([]trade.Job, 0, len(rows))
	under := false
	for i := range rows {
		j, bad := fromRow(&rows[i])
		if bad != nil {
			return nil, bad
		}
		jobs = append(jobs, j)
		under = under || !j.State.Final()
	}
	if !under {
		return jobs, nil
	}
	var ended []int // since the rows were read
	if err = c.query(ctx, func(x *exchange.Exchange) {
		for i := range jobs {
			if jobs[i].State.Final() {
				continue
			}
			now, live := x.Job(jobs[i].ID)
			if !live {
				ended = append(ended, i)
				continue
			}
			now.Program = program(&now.Request)
			now.Request = lean(&now.Request)
			now.Timeline = nil
			jobs[i] = now
		}
	}); err != nil {
		return nil, err
	}
	return jobs, c.readAgain(ctx, jobs, ended)
}

// readAgain looks up how jobs ended that were under way when their rows were read: the
// market knows them no more, and their rows are as old as the last word about them, which
// may be from before they began.
func (c *Controller) readAgain(ctx context.Context, jobs []trade.Job, ended []int) error {
	for _, i := range ended {
		row, found, err := c.log.Job(ctx, jobs[i].ID)
		if err != nil {
			return err
		}
		if !found {
			continue // it is as it was read
		}
		j, err := fromRow(&row)
		if err != nil {
			return err
		}
		j.Request = lean(&j.Request)
		jobs[i] = j
	}
	return nil
}

// CountJobs counts the jobs of one owner, or of all, by state.
func (c *Controller) CountJobs(ctx context.Context, owner string) (map[v1.State]int64, error) {
	rows, err := c.log.CountJobs(ctx, store.Query{Owner: owner})
	if err != nil {
		return nil, err
	}
	counts := map[v1.State]int64{}
	for state, n := range rows {
		counts[v1.State(state)] = n
	}
	return counts, nil
}

// Explain says how a job stands and why.
func (c *Controller) Explain(ctx context.Context, id int64) (trade.Explanation, error) {
	var e trade.Explanation
	var live bool
	if err := c.query(ctx, func(x *exchange.Exchange) { e, live = x.Explain(id) }); err != nil || live {
		return e, err
	}
	j, err := c.Job(ctx, id)
	if err != nil {
		return e, err
	}
	return trade.Epilogue(&j), nil
}

// Quote finds an open quote.
func (c *Controller) Quote(ctx context.Context, id string) (trade.Quote, error) {
	var q trade.Quote
	var open bool
	if err := c.query(ctx, func(x *exchange.Exchange) { q, open = x.Quote(id) }); err != nil {
		return q, err
	}
	if !open {
		return q, fmt.Errorf("quote %s: %w, or it has expired", id, trade.ErrUnknown)
	}
	return q, nil
}

// Preview answers with a quote that binds nobody, or a refusal with offers.
func (c *Controller) Preview(ctx context.Context, by trade.Identity, r trade.Request) (trade.Outcome, error) {
	var o trade.Outcome
	var wrong error
	if err := c.query(ctx, func(x *exchange.Exchange) { o, wrong = x.Preview(by, r) }); err != nil {
		return o, err
	}
	return o, wrong
}

// Nodes lists the nodes and what runs on them.
func (c *Controller) Nodes(ctx context.Context) (nodes []trade.NodeView, err error) {
	err = c.query(ctx, func(x *exchange.Exchange) { nodes = x.Nodes() })
	for i := range nodes {
		nodes[i].SeenUS = c.fleet.lastSeen(nodes[i].Node)
	}
	return nodes, err
}

// Prices is what the market asks now.
func (c *Controller) Prices(ctx context.Context) (p trade.Prices, err error) {
	err = c.query(ctx, func(x *exchange.Exchange) { p = x.Prices() })
	return p, err
}

// Epochs lists the spans of the log, each under one policy.
func (c *Controller) Epochs(ctx context.Context) (epochs []trade.EpochView, err error) {
	err = c.query(ctx, func(x *exchange.Exchange) { epochs = x.Epochs() })
	return epochs, err
}

// Epoch is the one in force. It is told without a turn of the loop: an answer of that waits for
// the disk, and so would everybody who has to know before he asks.
func (c *Controller) Epoch(ctx context.Context) (e trade.EpochView, err error) {
	if known := c.epoch.Load(); known != nil {
		return *known, nil
	}
	err = c.query(ctx, func(x *exchange.Exchange) { e = inForce(x) })
	return e, err
}

func inForce(x *exchange.Exchange) trade.EpochView {
	all := x.Epochs()
	return all[len(all)-1]
}

// Accounts lists an account and all below it, or all.
func (c *Controller) Accounts(ctx context.Context, prefix string) (accounts []trade.Account, err error) {
	err = c.query(ctx, func(x *exchange.Exchange) {
		accounts = x.Accounts(prefix)
		for i := range accounts {
			a := &accounts[i]
			a.PaysFor = slices.DeleteFunc(slices.Clone(a.Users), func(user string) bool { return x.AccountOf(user) != a.Path })
		}
	})
	return accounts, err
}

// Bindings are the accounts that a user may spend from.
func (c *Controller) Bindings(ctx context.Context, user string) (b accounts.Bindings, err error) {
	err = c.query(ctx, func(x *exchange.Exchange) { b = slices.Clone(x.Bindings(user)) })
	return b, err
}

// AccountOf is the account that pays for a user who names none; "" where they are
// bound to none.
func (c *Controller) AccountOf(ctx context.Context, user string) (path string, err error) {
	err = c.query(ctx, func(x *exchange.Exchange) { path = x.AccountOf(user) })
	return path, err
}

// Healthy says why the market cannot take commands, if it cannot.
func (c *Controller) Healthy(ctx context.Context) error {
	return c.query(ctx, func(*exchange.Exchange) {})
}

// Measure gives numbers for the metrics.
func (c *Controller) Measure(ctx context.Context) (map[string]float64, error) {
	m := map[string]float64{
		"inbox_depth":             float64(c.inbox.Len()),
		"commands_total":          float64(c.stats.commands.Load()),
		"queries_total":           float64(c.stats.queries.Load()),
		"appends_total":           float64(c.stats.batches.Load()),
		"append_failures_total":   float64(c.stats.failures.Load()),
		"append_seconds_last":     float64(c.stats.lastAppendUS.Load()) / 1e6,
		"append_seconds_max":      float64(c.stats.maxAppendUS.Load()) / 1e6,
		"snapshots_written_total": float64(c.stats.snapshots.Load()),
		"lead_term":               float64(c.cfg.Term),
	}
	m["nodes_refusing"] = float64(c.fleet.refusing(c.now()))
	ahead, steps := c.clock.away()
	m["clock_ahead_seconds"], m["clock_steps_total"] = ahead.Seconds(), float64(steps)
	err := c.query(ctx, func(x *exchange.Exchange) {
		counts := x.Counts()
		for _, state := range trade.States() { // those that are under way, be it none
			if !state.Final() {
				m[fmt.Sprintf("jobs{state=%q}", state)] = float64(counts[state])
			}
		}
		t := x.Record()
		m["promises_due_total"], m["promises_kept_total"] = float64(t.Promised), float64(t.Kept)
		if a, found := x.Account("@owner"); found {
			m["owner_balance_units"] = float64(a.Free) / 1e6
		}
		p := x.Usage()
		m["processors"], m["processors_up"], m["share_given"] = float64(p.Processors), float64(p.Up), p.Utilization
		m["log_entries_total"] = float64(c.seq)
	})
	return m, err
}

// Generation is the name of the store: another one after a restore, so that what
// was said to the world since the backup can be told from what is said now.
func (c *Controller) Generation(ctx context.Context) (string, error) { return c.log.Generation(ctx) }
