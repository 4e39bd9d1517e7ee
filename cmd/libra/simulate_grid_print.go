package main

import (
	"fmt"
	"path/filepath"

	"github.com/libra-market/libra/lab/tender"
)

// print writes the results to standard output: for programs, or one for people
// at length, or several side by side.
func (s *gridSimulation) print(results []*tender.Summary) error {
	switch {
	case s.json && len(results) == 1:
		return s.con.writeJSON(results[0])
	case s.json:
		return s.con.writeJSON(results)
	}
	what := filepath.Base(s.workload)
	if s.workload == "-" {
		what = "standard input"
	}
	sites := "the six sites of the paper"
	if path := s.simulateGridOptions.sites; path != "" {
		sites = number(int64(len(s.sites)), "site")
	}
	rule := settingRefuse + "=" + s.refuse.String()
	if s.hurdle > 0 {
		rule += fmt.Sprintf(", %s=%v", settingHurdle, s.hurdle)
	}
	_, err := printf(s.con.out, "%s, %s, %s, %s\n\n", what, number(int64(len(s.apps)), "application"), sites, rule)
	if err != nil {
		return err
	}
	if len(results) == 1 {
		return s.printOne(results[0])
	}
	g := &grid{left: 1, head: true, spare: []int{8, 7}}
	g.add("policy", "accepted", "accepted %", "infeasible", "no gain", "profit", "of offered %", "optional MI", "applications/s")
	for _, r := range results {
		g.add(r.Policy, count(int64(r.Accepted)), grouped(r.Acceptance*100, 1), count(int64(r.Infeasible)), count(int64(r.NoGain)),
			amount(r.Profit), grouped(r.Profit/r.Offered*100, 1), grouped(r.OptionalMI, 0), count(int64(r.ApplicationsPerSecond)))
	}
	if err = g.write(s.con.out, ""); err != nil || !s.bound {
		return err
	}
	return s.printBounds(results)
}

// printBounds is what nobody could have exceeded, beside what the policies came to.
func (s *gridSimulation) printBounds(results []*tender.Summary) error {
	if _, err := printf(s.con.out, "\nnobody could have earned more than %s\n\n", amount(results[0].Bound.Profit)); err != nil {
		return err
	}
	g := &grid{left: 1, head: true}
	g.add("policy", "profit %", "optional parts paid", "of the best order %", "of any schedule %")
	for _, r := range results {
		line := []string{r.Policy, grouped(part(r.Profit, r.Bound.Profit), 1)}
		if o := r.Bound.Optional; o != nil {
			line = append(line, amount(o.Paid), grouped(part(o.Paid, o.First), 1), grouped(part(o.Paid, o.Kept), 1))
		}
		g.add(line...)
	}
	if err := g.write(s.con.out, ""); err != nil {
		return err
	}
	_, err := printf(s.con.out, "\n%s\n", boundsOfTheGrid)
	return err
}

const boundsOfTheGrid = "profit: of any choice of applications, sites and schedules. optional parts: of those taken, where they are;\n" +
	"the best order has mandatory parts first, any schedule has them in time. All by somebody who knows the future"

// part is in per cent; of nothing, everything is reached.
func part(of, all float64) float64 {
	if all <= 0 {
		return 100
	}
	return 100 * of / all
}

func (s *gridSimulation) printOne(r *tender.Summary) error {
	all := int64(r.Applications)
	g := &grid{left: 1}
	g.add("policy", r.Policy)
	g.add("applications", count(all))
	g.add("  accepted", count(int64(r.Accepted)), percentOf(int64(r.Accepted), all))
	for i := range r.Sites {
		site := &r.Sites[i]
		g.add("    "+site.Site, count(int64(site.Accepted)), percentOf(int64(site.Accepted), all), amount(site.Profit))
	}
	g.add("  infeasible", count(int64(r.Infeasible)), percentOf(int64(r.Infeasible), all))
	g.add("  no gain", count(int64(r.NoGain)), percentOf(int64(r.NoGain), all))
	g.add("profit", amount(r.Profit))
	g.add("  of all offered", percent(r.Profit/r.Offered))
	if r.Bound != nil {
		g.add("  of the bound", grouped(part(r.Profit, r.Bound.Profit), 1)+" %", amount(r.Bound.Profit))
	}
	g.add("optional work done", grouped(r.OptionalMI, 0)+" MI")
	if r.Bound != nil && r.Bound.Optional != nil {
		o := r.Bound.Optional
		g.add("  paid", amount(o.Paid))
		g.add("  of the best order", grouped(part(o.Paid, o.First), 1)+" %", amount(o.First))
		g.add("  of any schedule", grouped(part(o.Paid, o.Kept), 1)+" %", amount(o.Kept))
	}
	g.add("last job left at", grouped(r.End, 0)+" s")
	g.add("speed", count(int64(r.ApplicationsPerSecond))+" applications/s", fmt.Sprintf("%.3f s", r.WallSeconds))
	if err := g.write(s.con.out, ""); err != nil || r.Bound == nil {
		return err
	}
	_, err := printf(s.con.out, "\n%s\n", boundsOfTheGrid)
	return err
}
