package replay

import (
	"context"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/workload"
)

// History is the jobs of the past and what they ran on.
type History struct {
	Arrivals   []workload.Arrival
	Nodes      int                 // plain ones, each a processor of rating 1
	Cluster    *experiment.Cluster // others, in their place; nil: none
	Rate       market.Price        // what a second of a processor costs; 0: 1
	Partitions *trade.Rates        // what the partitions of the nodes cost; nil: there are none
	Purses     *Purses             // nil: everybody has the money that a price asks for
}

// Purses say who pays for each job of a history, and what they had for all of
// them together: under another price nobody pays with money that is not there.
type Purses struct {
	Payer []string
	Had   map[string]float64
}

// Purses is what the accounts of a market had for the jobs of this past: what
// they have now, and what these jobs have cost them.
func (p *Past) Purses(now []v1.Account) *Purses {
	had := map[string]float64{}
	for i := range now {
		a := &now[i]
		had[a.Path] += float64(market.Money(a.Free + a.Held + a.Credit).Price())
	}
	for i, payer := range p.Payers {
		had[payer] += p.Course.Fates[i].Paid
	}
	return &Purses{Payer: p.Payers, Had: had}
}

// effect is what levers do to every job.
type effect struct {
	fates     []Fate
	completed int
	revenue   float64 // of those satisfied
	utility   float64
	unpaid    int // jobs that would have been taken, and that nobody could pay
}

// run runs the jobs under a cell. Who cannot pay for a job does not get it: it is
// left out, and the others are run again without it, until all that ran is paid.
func (h *History) run(ctx context.Context, cell *experiment.Cell) (*effect, error) {
	out := make([]bool, len(h.Arrivals))
	for {
		e, err := h.runWithout(ctx, cell, out)
		if err != nil || h.Purses == nil {
			return e, err
		}
		if !h.Purses.charge(e.fates, out) {
			for _, left := range out {
				if left {
					e.unpaid++
				}
			}
			return e, nil
		}
	}
}

// charge pays for the jobs in their order, and notes whose payer has no more; true
// where there is one that was not noted before.
func (p *Purses) charge(fates []Fate, out []bool) bool {
	const rounding = 1e-6
	spent := map[string]float64{}
	more := false
	for i := range fates {
		payer, paid := p.Payer[i], fates[i].Paid
		if paid > 0 && spent[payer]+paid > p.Had[payer]+rounding {
			out[i], more = true, true
			continue
		}
		spent[payer] += paid
	}
	return more
}

// runWithout runs the jobs that are not left out.
func (h *History) runWithout(ctx context.Context, cell *experiment.Cell, out []bool) (*effect, error) {
	var those []workload.Arrival
	var place []int
	for i := range h.Arrivals {
		if !out[i] {
			those, place = append(those, h.Arrivals[i]), append(place, i)
		}
	}
	e := &effect{fates: make([]Fate, len(h.Arrivals))}
	summary, err := cell.RunOn(ctx, those, func(rec *market.Record) {
		if rec.Kind == market.Completed {
			e.completed++
			e.fates[place[rec.Job]] = fateOf(rec)
		}
	})
	if err != nil {
		return nil, err
	}
	e.revenue, e.utility = summary.Revenue, summary.Utility
	return e, nil
}
