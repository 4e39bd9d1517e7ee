package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/libra-market/libra/core/chart"
	"github.com/libra-market/libra/lab/replay"
)

// mostParties is how many users a drawing has room for.
const mostParties = 8

// drawWhose draws, user by user, how many of the deadlines were met and would have been
// under the policy that earns most.
func (r *pastRun) drawWhose(a *replayAnswer) error {
	best := &a.After[0]
	for i := range a.After {
		if a.After[i].Revenue > best.Revenue {
			best = &a.After[i]
		}
	}
	b := &chart.Bars{
		Title: "Whose deadlines are met",
		Subtitle: fmt.Sprintf("Jobs done in time and within budget, of all. %s would have earned %s with %s of %s; %s: %s and %s.",
			best.Policy, amount(best.Revenue), count(best.Satisfied), number(best.Jobs, "job"), a.Before.Policy, amount(a.Before.Revenue), count(a.Before.Satisfied)),
		Source: r.headline(), Y: chart.Axis{Label: "deadlines met, %", Zero: true}, ValueKey: "%",
		Series: []chart.BarSeries{{Name: a.Before.Policy}, {Name: best.Policy}},
	}
	for _, p := range parties(best.Users) {
		b.Groups = append(b.Groups, fmt.Sprintf("%s\n%s", p.Name, number(p.Jobs, "job")))
		for i, met := range []int64{p.SatisfiedBefore, p.Satisfied} {
			part := 100 * float64(met) / float64(p.Jobs)
			b.Series[i].Bars = append(b.Series[i].Bars, chart.Bar{Y: part, Low: part, High: part, Mark: math.NaN()})
		}
	}
	return r.con.writeOutput(r.svg, func(out io.Writer) error {
		_, err := out.Write(b.SVG())
		return err
	})
}

// parties are those with the most jobs, and all others together.
func parties(users []replay.Party) []replay.Party {
	users = slices.Clone(users)
	slices.SortFunc(users, func(a, b replay.Party) int { return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Name, b.Name)) })
	if len(users) <= mostParties {
		return users
	}
	rest := replay.Party{Name: fmt.Sprintf("%d others", len(users)-mostParties+1)}
	for _, p := range users[mostParties-1:] {
		rest.Jobs += p.Jobs
		rest.Satisfied += p.Satisfied
		rest.SatisfiedBefore += p.SatisfiedBefore
	}
	return append(users[:mostParties-1], rest)
}
