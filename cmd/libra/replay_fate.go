package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// fate is what became of one job.
type fate struct {
	satisfied bool // in time and within budget
	paid      float64
}

// ending is a history under one policy, in sums.
type ending struct {
	Policy    string  `json:"policy"`
	Settings  string  `json:"settings,omitempty"`
	Revenue   float64 `json:"revenue"`
	Satisfied int64   `json:"satisfied"`
	Jobs      int64   `json:"jobs"`
	Utility   float64 `json:"utility"`
}

// course is a history under one policy, job by job.
type course struct {
	*ending
	fates []fate
}

// baseline is what was: as the table tells, or as a policy would have done it.
func (r *replay) baseline(ctx context.Context, contenders []contender) (*course, error) {
	if r.lived != nil {
		return r.lived, nil
	}
	if r.table != "" {
		return r.readCourse()
	}
	from, err := findPolicies([]string{r.from})
	if err != nil {
		return nil, err
	}
	for _, c := range contenders { // settings of --set reach the baseline only where it is tried as well
		if c.kind.Name == r.from {
			from[0].set = c.set
		}
	}
	return r.run(ctx, from[0])
}

// cell is a run of the history.
func (r *replay) cell(c contender) experiment.Cell {
	var set experiment.Settings
	for name, value := range c.set {
		set = set.Set(name, value)
	}
	return experiment.Cell{Policy: c.kind.Name, Set: set, Nodes: r.nodes, Jobs: experiment.Jobs{Factor: 1}}
}

// run replays the history under a policy.
func (r *replay) run(ctx context.Context, c contender) (*course, error) {
	cell := r.cell(c)
	fates := make([]fate, len(r.arrivals))
	summary, err := cell.RunOn(ctx, r.arrivals, func(rec *market.Record) {
		if rec.Kind != market.Completed {
			return
		}
		f := &fates[rec.Job]
		f.satisfied = !rec.Finish.After(rec.Spec.Due()) && rec.Price.Within(rec.Spec.SLA.Budget)
		f.paid = float64(rec.Price)
	})
	if err != nil {
		return nil, err
	}
	return newCourse(c.kind.Name, string(cell.Set), fates, summary), nil
}

func newCourse(name, settings string, fates []fate, summary *report.Summary) *course {
	e := &ending{Policy: name, Settings: settings, Jobs: int64(len(fates)), Utility: finiteOr(summary.Utility, 0)}
	for i := range fates {
		if fates[i].satisfied {
			e.Satisfied++
			e.Revenue += fates[i].paid
		}
	}
	return &course{e, fates}
}

// readCourse takes what was from the job table. Deadlines and budgets are
// those of the history.
func (r *replay) readCourse() (*course, error) {
	rows, err := readJobTable(r.table)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*past, len(rows))
	for i := range rows {
		if byID[rows[i].id] != nil {
			return nil, &market.PlaceError{File: r.table, Line: int64(rows[i].line), Err: fmt.Errorf("job %s is there twice", rows[i].id)}
		}
		byID[rows[i].id] = &rows[i]
	}
	fates := make([]fate, len(r.arrivals))
	sums := &report.Summary{}
	missing := 0
	for i := range r.arrivals {
		job := &r.arrivals[i].Job
		p := byID[r.arrivals[i].Label()]
		switch {
		case p == nil:
			missing++
		case p.completed:
			finish := market.Time(p.finish)
			fates[i] = fate{!finish.After(job.Due()) && market.Price(p.cost).Within(job.SLA.Budget), p.cost}
			if job.SLA.Budget.Limited() {
				sums.Utility += float64(job.Utility(finish))
			}
		}
	}
	if missing == len(r.arrivals) {
		return nil, fmt.Errorf("%s: none of the jobs of %s is in it", r.table, r.history)
	}
	if missing > 0 {
		r.con.warn("%s: jobs of the history that are not in it, taken as not satisfied: %s", r.table, count(int64(missing)))
	}
	return newCourse("as it was", "", fates, sums), nil
}

// change is what another policy would have changed.
type change struct {
	ending
	RevenueChange float64 `json:"revenue_change"`
	Won           int64   `json:"won"`         // satisfied now and not before
	Lost          int64   `json:"lost"`        // satisfied before and not now
	Kept          int64   `json:"kept"`        // satisfied in both
	KeptPaid      float64 `json:"kept_paid"`   // what these pay now
	KeptBefore    float64 `json:"kept_before"` // what they paid
	Users         []party `json:"users"`       // the largest winners first, the largest losers last
}

// party is a user, or a class of urgency where jobs have no users.
type party struct {
	Name       string  `json:"name"`
	Jobs       int64   `json:"jobs"`
	Won        int64   `json:"won"`
	Lost       int64   `json:"lost"`
	PaidBefore float64 `json:"paid_before"`
	Paid       float64 `json:"paid"`
}

func (p *party) net() int64 { return p.Won - p.Lost }

// compare says what changes from one course to another.
func compare(arrivals []workload.Arrival, before, after *course) change {
	c := change{ending: *after.ending, RevenueChange: after.Revenue - before.Revenue, Users: []party{}}
	parties := map[string]*party{}
	for i := range arrivals {
		name := partyOf(&arrivals[i])
		p := parties[name]
		if p == nil {
			p = &party{Name: name}
			parties[name] = p
		}
		was, is := before.fates[i], after.fates[i]
		p.Jobs++
		switch {
		case is.satisfied && was.satisfied:
			c.Kept++
			c.KeptPaid += is.paid
			c.KeptBefore += was.paid
		case is.satisfied:
			c.Won++
			p.Won++
		case was.satisfied:
			c.Lost++
			p.Lost++
		}
		if was.satisfied {
			p.PaidBefore += was.paid
		}
		if is.satisfied {
			p.Paid += is.paid
		}
	}
	for _, p := range parties {
		c.Users = append(c.Users, *p)
	}
	slices.SortFunc(c.Users, func(a, b party) int { return cmp.Or(cmp.Compare(b.net(), a.net()), cmp.Compare(a.Name, b.Name)) })
	return c
}

func partyOf(a *workload.Arrival) string {
	switch {
	case a.Job.Owner != "":
		return "user " + string(a.Job.Owner)
	case a.Job.Class == workload.HighUrgency:
		return "high urgency"
	}
	return "others"
}
