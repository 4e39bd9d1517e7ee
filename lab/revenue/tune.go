package revenue

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/libra-market/libra/core/admission"
)

// Tuning looks for the admission probabilities that earn most in the simulated
// cluster at one load.
//
// The paper takes its q* from a model of one server as fast as the cluster,
// whose T0 is the square of the capacity too large for the cluster that it then
// simulates. So q* admits far too little. Tuning starts from several rules,
// those of the paper among them and the optimum of a model with a T0 of the
// right size, and improves each by a pattern search on the simulator: change
// one probability or trade one against another, keep what pays, and halve the
// step when nothing does. All candidates see the same jobs. The rules are then
// compared on periods that the search has not seen, so that the winner is not
// flattered by having been chosen.
type Tuning struct {
	System        System
	Load          float64
	Phi           float64 // of the paper's rule
	Offset        admission.Offset
	SearchPeriods int // periods on which candidates are compared
	Periods       int // other periods on which the result is measured
	Seed          uint64
	Workers       int
	Hints         [][]float64 // more starts, for instance the best rule of a load nearby
	Jobs          *atomic.Int64
}

// The names of the rules that every tuning compares.
const (
	RuleAdmitAll = "admit-all"
	RuleOptimal  = "q*"
	RuleOneFifth = "one-in-five"
	RuleServers  = "multi-server"
	RuleTuned    = "tuned"
)

// Standing is a rule with what it earns and how far it is from the best found.
type Standing struct {
	Result RuleResult
	Gap    Estimate // revenue per second less than the best, paired by period
	Part   float64  // Gap as a part of the best
}

// Tuned is the result of a tuning.
type Tuned struct {
	Load      float64
	Best      Rule
	Standings []Standing // in the order of the rules above
	Evaluated int        // candidates that were simulated
}

// finest is the last step of the search: probabilities are multiples of it.
const finest = 1.0 / 64

// Rules are the fixed rules that a tuning starts from and compares with: the
// paper's two, "one LvLu in five" (one in five of the cheapest and most patient
// class, all others), and the optimum of the model with T0 divided by the
// square of the capacity.
func (t *Tuning) Rules() ([]Rule, error) {
	all := AdmitAll(&t.System)
	optimal, err := t.modelRule(RuleOptimal, t.Phi, t.Offset)
	if err != nil {
		return nil, err
	}
	model := t.System.Model(t.Load, t.Phi, t.Offset)
	n := model.Capacity
	servers, err := t.modelRule(RuleServers, 1/(n*n), admission.Wait)
	if err != nil {
		return nil, err
	}
	fifth := Rule{Name: RuleOneFifth, Q: slices.Clone(all.Q)}
	ranks := t.System.ranks()
	fifth.Q[ranks[len(ranks)-1]] = 0.2
	return []Rule{all, optimal, fifth, servers}, nil
}

func (t *Tuning) modelRule(name string, phi float64, offset admission.Offset) (Rule, error) {
	m := t.System.Model(t.Load, phi, offset)
	o, err := m.Optimize()
	if err != nil {
		return Rule{}, err
	}
	return Rule{Name: name, Q: o.QByClass}, nil
}

// Tune searches and measures.
func Tune(ctx context.Context, t Tuning) (*Tuned, error) {
	if err := t.System.Validate(); err != nil {
		return nil, err
	}
	if t.SearchPeriods < 1 || t.Periods < 2 {
		return nil, fmt.Errorf("periods: %d to search and %d to measure are too few (want 1 and 2)", t.SearchPeriods, t.Periods)
	}
	rules, err := t.Rules()
	if err != nil {
		return nil, err
	}

	// 1. Search, coarsely on few periods and then finely on all.
	s := &patternSearch{tuning: &t}
	starts := [][]float64{}
	for _, r := range rules {
		starts = append(starts, r.Q)
	}
	best, err := s.search(ctx, append(starts, t.Hints...))
	if err != nil {
		return nil, err
	}

	// 2. Measure on other periods. A fixed rule may turn out to be the best
	// found; then it is.
	rules = append(rules, Rule{Name: RuleTuned, Q: best})
	study := Study{
		System: t.System, Load: t.Load, Rules: rules, Periods: t.Periods, First: t.SearchPeriods,
		Seed: t.Seed, Workers: t.Workers, Jobs: t.Jobs,
	}
	results, err := study.Run(ctx)
	if err != nil {
		return nil, err
	}

	// 3. Compare.
	top := len(results) - 1
	for i := range results {
		if results[i].RevenuePerSecond().Mean > results[top].RevenuePerSecond().Mean {
			top = i
		}
	}
	tuned := &Tuned{Load: t.Load, Best: results[top].Rule, Evaluated: s.evaluated}
	for i := range results {
		gap := results[i].Less(&results[top])
		part := 0.0
		if mean := results[top].RevenuePerSecond().Mean; mean != 0 {
			part = gap.Mean / math.Abs(mean)
		}
		tuned.Standings = append(tuned.Standings, Standing{Result: results[i], Gap: gap, Part: part})
	}
	return tuned, nil
}
