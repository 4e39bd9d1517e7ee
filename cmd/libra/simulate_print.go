package main

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/trial"
)

// print writes the results to standard output: for programs, or one for people
// at length, or several side by side.
func (s *simulation) print(results []*report.Summary) error {
	switch {
	case s.json && len(results) == 1:
		return s.con.writeJSON(results[0])
	case s.json:
		return s.con.writeJSON(results)
	}
	if _, err := printf(s.con.out, "%s\n\n", s.headline(results[0].Jobs)); err != nil {
		return err
	}
	if len(results) == 1 {
		return s.printOne(results[0])
	}
	return s.printComparison(results)
}

// headline says what was run, so that a result can be had again.
func (s *simulation) headline(jobs int64) string {
	what := filepath.Base(s.workload)
	if s.workload == "-" {
		what = "standard input"
	}
	last := ""
	if s.last > 0 {
		last = "last "
	}
	parts := []string{what, last + number(jobs, "job")}
	if s.factor != 1 {
		parts = append(parts, fmt.Sprintf("gaps x %v", s.factor))
	}
	size := number(int64(s.nodes.Len()), "node")
	if s.clusters > 1 {
		size = fmt.Sprintf("%s of %s, %s", number(int64(s.clusters), "cluster"), size, s.wish)
		if s.ask > 0 {
			size += fmt.Sprintf(" of %d", s.ask)
		}
	}
	parts = append(parts, size)
	if !s.model.None() {
		parts = append(parts, fmt.Sprintf("SLA model %s, seed %d", s.model.Name, s.seed))
	}
	if s.failures != "" {
		parts = append(parts, "failures of "+filepath.Base(s.failures))
	}
	if s.until > 0 {
		parts = append(parts, fmt.Sprintf("until %v s", s.until))
	}
	if s.estimates != string(trial.UsualEstimates) {
		parts = append(parts, "estimates "+s.estimates)
	}
	for _, set := range s.settings {
		parts = append(parts, set.Name+"="+set.Value)
	}
	return strings.Join(parts, ", ")
}

// stops are the reasons for which accepted jobs end; the others are refusals.
var stops = []string{v1.ReasonNodeLost, v1.ReasonByUser, v1.ReasonPatience}

func (s *simulation) printOne(r *report.Summary) error {
	g := &grid{left: 1}
	g.add("policy", r.Policy)
	g.add("jobs", count(r.Jobs))
	g.add("  accepted", count(r.Accepted), percentOf(r.Accepted, r.Jobs))
	g.add("  refused", count(r.Rejected), percentOf(r.Rejected, r.Jobs))
	open := r.Accepted - r.Completed
	for _, reason := range slices.Sorted(maps.Keys(r.Reasons)) {
		if !slices.Contains(stops, reason) {
			g.add("    "+reason, count(r.Reasons[reason]), percentOf(r.Reasons[reason], r.Jobs))
		}
	}
	for _, reason := range stops {
		if n := r.Reasons[reason]; n > 0 {
			g.add("  "+reason, count(n), percentOf(n, r.Jobs))
			open -= n
		}
	}
	if open > 0 {
		g.add("  unfinished", count(open), percentOf(open, r.Jobs))
	}
	g.add("  completed", count(r.Completed), percentOf(r.Completed, r.Jobs))
	g.add("    in time", count(r.MetDeadline), percentOf(r.MetDeadline, r.Jobs))
	g.add("QoS satisfaction", percent(r.QoSSatisfaction))
	g.add("profitability", percent(r.Profitability))
	g.add("revenue", amount(r.Revenue))
	g.add("utility", amount(r.Utility))
	if r.Bound != nil {
		addLimits(g, r.Bound, "bound on ")
	}
	if d := r.Dealt; d != nil {
		g.add("clusters asked", grouped(float64(d.Asked)/float64(max(1, r.Jobs)), 1)+" a job")
		g.add("taken after a refusal", count(d.Forwarded), percentOf(d.Forwarded, r.Jobs))
		g.add("jobs of a cluster", count(d.Fewest)+" to "+count(d.Most))
	}
	g.add("utilization", percent(r.Utilization))
	g.add("mean wait", grouped(r.MeanWait, 1)+" s")
	g.add("mean slowdown", grouped(r.MeanSlowdown, 2))
	g.add("makespan", grouped(r.Makespan, 0)+" s")
	g.add("speed", count(int64(r.JobsPerSecond))+" jobs/s", fmt.Sprintf("%.3f s", r.WallSeconds))
	return g.write(s.con.out, "")
}

func (s *simulation) printComparison(results []*report.Summary) error {
	g := &grid{left: 1, head: true, spare: []int{10, 9, 8, 2}}
	g.add("policy", "accepted", "refused", "QoS %", "profit %", "revenue", "utility", "used %", "wait s", "slowdown", "jobs/s")
	for _, r := range results {
		g.add(r.Policy, count(r.Accepted), count(r.Rejected),
			grouped(r.QoSSatisfaction*100, 1), grouped(r.Profitability*100, 1), amount(r.Revenue), amount(r.Utility),
			grouped(r.Utilization*100, 1), grouped(r.MeanWait, 0), grouped(r.MeanSlowdown, 2), count(int64(r.JobsPerSecond)))
	}
	if l := results[0].Bound; l != nil {
		profit, revenue := "-", "-"
		if l.Revenue != nil {
			profit, revenue = grouped(*l.Profitability*100, 1), amount(*l.Revenue)
		}
		g.add("upper bound", "", "", grouped(l.QoS*100, 1), profit, revenue, amount(l.Utility))
	}
	return g.write(s.con.out, "")
}

// checkFinite makes sure that a summary can be written: JSON has no word for
// infinity.
func checkFinite(r *report.Summary) error {
	for name, x := range map[string]float64{
		"revenue": r.Revenue, "utility": r.Utility, "profitability": r.Profitability, "makespan": r.Makespan,
		"utilization": r.Utilization, "mean_wait": r.MeanWait, "mean_slowdown": r.MeanSlowdown,
	} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("policy %s: %s is %v: the sums of this workload are beyond what numbers can hold", r.Policy, name, x)
		}
	}
	return nil
}
