package replay

import (
	"context"
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// Fate is what became of one job.
type Fate struct {
	Satisfied bool // in time and within budget
	Paid      float64
}

// Ending is a history under one policy, in sums.
type Ending struct {
	Policy    string  `json:"policy"`
	Settings  string  `json:"settings,omitempty"`
	Revenue   float64 `json:"revenue"`
	Satisfied int64   `json:"satisfied"`
	Jobs      int64   `json:"jobs"`
	Utility   float64 `json:"utility"`
	Unpaid    int64   `json:"unpaid,omitempty"` // jobs that nobody could have paid at these prices: they are not counted
}

// Course is a history under one policy, job by job.
type Course struct {
	Ending
	Fates []Fate
}

// AsItWas is the policy of a history that really was.
const AsItWas = "as it was"

// NewCourse sums up what became of the jobs.
func NewCourse(policy, settings string, fates []Fate, utility float64) *Course {
	c := &Course{Fates: fates, Ending: Ending{
		Policy: policy, Settings: settings, Jobs: int64(len(fates)), Utility: finiteOr(utility, 0),
	}}
	for i := range fates {
		if fates[i].Satisfied {
			c.Ending.Satisfied++
			c.Revenue += fates[i].Paid
		}
	}
	return c
}

// Ended is the course of jobs of which it is known when they ended, by name, and for which
// nobody paid. One that is not there came to no good end.
func Ended(arrivals []workload.Arrival, ends map[string]market.Time) *Course {
	fates := make([]Fate, len(arrivals))
	utility := 0.0
	for i := range arrivals {
		job := &arrivals[i].Job
		end, ended := ends[arrivals[i].Label()]
		if !ended {
			continue
		}
		fates[i].Satisfied = !end.After(job.Due())
		if job.SLA.Budget.Limited() {
			utility += float64(job.Utility(end))
		}
	}
	return NewCourse(AsItWas, "", fates, utility)
}

// Run replays the jobs under a policy with settings.
func (h *History) Run(ctx context.Context, policy string, set map[string]string) (*Course, error) {
	cell := h.cell(policy, set)
	cell.Rate = h.Rate
	e, err := h.run(ctx, &cell)
	if err != nil {
		return nil, err
	}
	c := NewCourse(policy, string(cell.Set), e.fates, e.utility)
	c.Unpaid = int64(e.unpaid)
	return c, nil
}

// fateOf is what became of a job that ran to its end.
func fateOf(rec *market.Record) Fate { return Fate{report.Satisfied(rec), float64(report.Paid(rec))} }

// cell is a run of the history under a policy.
func (h *History) cell(policy string, set map[string]string) experiment.Cell {
	var settings experiment.Settings
	for name, value := range set {
		settings = settings.Set(name, value)
	}
	return experiment.Cell{Policy: policy, Set: settings, Nodes: h.Nodes, Cluster: h.Cluster, Partitions: h.Partitions, Jobs: experiment.Jobs{Factor: 1}}
}

// finiteOr makes sure that a number can be written as JSON.
func finiteOr(x, other float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return other
	}
	return x
}
