package experiment

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
)

// Offers is what users keep who offer a part of what their jobs are worth to them, or more, among
// others who offer all of it: what a job is worth, if it is done in time, less what it cost.
type Offers struct {
	Parts []float64 // of what a job is worth
	Turns int       // one job of so many does; each has its turn
}

// Kept is, for each part, what is kept in per cent of what all jobs are worth.
func (o Offers) Kept(ctx context.Context, c Cell) ([]float64, error) {
	arrivals, err := c.Jobs.prepare()
	if err != nil {
		return nil, err
	}
	all := 0.0
	for i := range arrivals {
		all += float64(arrivals[i].Job.SLA.Budget)
	}
	kept := make([]float64, len(o.Parts))
	for i, part := range o.Parts {
		for turn := range o.Turns {
			offered := slices.Clone(arrivals)
			worth := map[market.JobID]float64{}
			for k := turn; k < len(offered); k += o.Turns {
				worth[market.JobID(k)] = float64(arrivals[k].Job.SLA.Budget)
				offered[k].Job.SLA.Budget *= market.Price(part)
			}
			_, err := c.RunOn(ctx, offered, func(r *market.Record) {
				if is, turned := worth[r.Job]; turned && r.Kind == market.Completed {
					if !r.Finish.After(r.Spec.Due()) {
						kept[i] += 100 * is / all
					}
					kept[i] -= 100 * float64(report.Paid(r)) / all
				}
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return kept, nil
}

// Way is a policy with settings, by the name under which it is shown.
type Way struct {
	Name, Policy string
	Set          Settings
}

// Table writes what is kept under several ways and loads, as a table of a document.
func (o Offers) Table(ctx context.Context, lab *Lab, log *Trace, jobs int, factors []float64, ways []Way, out io.Writer) error {
	rows, base := make([]string, len(factors)*len(ways)), log.Last(jobs)
	err := lab.Each(ctx, "offers", len(rows), func(ctx context.Context, i int) error {
		factor, way := factors[i/len(ways)], ways[i%len(ways)]
		kept, err := o.Kept(ctx, Cell{
			Policy: way.Policy, Set: way.Set, Nodes: log.Nodes, Jobs: Jobs{Base: base, Model: "libra-plus", Seed: 1, Factor: factor},
		})
		rows[i] = fmt.Sprintf("| %v | %s |", factor, way.Name)
		for _, k := range kept {
			rows[i] += fmt.Sprintf(" %.1f |", k)
		}
		return err
	})
	if err != nil {
		return err
	}
	head, line := "| factor | |", "|---|---|"
	for _, part := range o.Parts {
		head, line = head+fmt.Sprintf(" %.0f %% |", 100*part), line+"--:|"
	}
	for _, row := range append([]string{head, line}, rows...) {
		if _, err := fmt.Fprintln(out, row); err != nil {
			return err
		}
	}
	return nil
}
