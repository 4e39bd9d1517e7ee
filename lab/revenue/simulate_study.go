package revenue

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Study simulates many periods of a system at one load, under several admission
// rules. All rules see the same jobs (common random numbers), so that small
// differences between them show.
type Study struct {
	System  System
	Load    float64
	Rules   []Rule
	Periods int
	First   int // number of the first period: other periods are other jobs
	Seed    uint64
	// Workers is how many run at the same time; 0 means as many as there are
	// processors. The results do not depend on it.
	Workers int
	// Jobs, if it is there, counts the jobs that have been simulated.
	Jobs *atomic.Int64
}

// RuleResult is what one rule came to, period by period.
type RuleResult struct {
	Rule    Rule
	Periods []Tally
	ByClass []Tally // sums over the periods, in the order of the system's classes

	system *System
}

// Run does the work. It returns the results in the order of the rules.
func (s *Study) Run(ctx context.Context) ([]RuleResult, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	workers := s.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	tasks := len(s.Rules) * s.Periods
	tallies := make([]Tally, tasks)
	byClass := make([]Tally, tasks*len(s.System.Classes))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(workers, tasks) {
		sim, err := NewSimulator(s.System)
		if err != nil {
			return nil, err
		}
		wait.Go(func() {
			for ctx.Err() == nil {
				task := int(next.Add(1)) - 1
				if task >= tasks {
					return
				}
				tallies[task] = sim.Run(s.Seed, s.First+task%s.Periods, s.Load, s.Rules[task/s.Periods])
				copy(byClass[task*len(s.System.Classes):], sim.ByClass())
				if s.Jobs != nil {
					s.Jobs.Add(tallies[task].Arrived)
				}
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	results := make([]RuleResult, len(s.Rules))
	for r := range results {
		results[r] = RuleResult{
			Rule: s.Rules[r], Periods: tallies[r*s.Periods : (r+1)*s.Periods],
			ByClass: make([]Tally, len(s.System.Classes)), system: &s.System,
		}
		for k := range s.Periods {
			at := (r*s.Periods + k) * len(s.System.Classes)
			for c := range results[r].ByClass {
				results[r].ByClass[c].Add(&byClass[at+c])
			}
		}
	}
	return results, nil
}

func (s *Study) check() error {
	if err := s.System.Validate(); err != nil {
		return err
	}
	if !(s.Load >= 0) || s.Load > 1e6 {
		return fmt.Errorf("load: %v makes no sense (want 0 or more)", s.Load)
	}
	if s.Periods < 1 {
		return fmt.Errorf("periods: %d makes no sense (want 1 or more)", s.Periods)
	}
	for _, rule := range s.Rules {
		if len(rule.Q) != len(s.System.Classes) {
			return fmt.Errorf("rule %s: %d admission probabilities for %d classes", rule.Name, len(rule.Q), len(s.System.Classes))
		}
		for i, q := range rule.Q {
			if !(q >= 0 && q <= 1) {
				return fmt.Errorf("rule %s: q of %s: %v makes no sense (want 0 to 1)", rule.Name, s.System.Classes[i].Name, q)
			}
		}
	}
	return nil
}

func (r *RuleResult) over(value func(*Tally) float64) Estimate {
	values := make([]float64, len(r.Periods))
	for i := range r.Periods {
		values[i] = value(&r.Periods[i])
	}
	return estimate(values)
}

// RevenuePerSecond is figure 16.
func (r *RuleResult) RevenuePerSecond() Estimate {
	return r.over(func(t *Tally) float64 { return t.Revenue / r.system.Period })
}

// RevenuePerJob is figure 17: per job that started or expired.
func (r *RuleResult) RevenuePerJob() Estimate { return r.over((*Tally).PerJob) }

// MeanDelay is figure 18: of the jobs that started or expired.
func (r *RuleResult) MeanDelay() Estimate { return r.over((*Tally).MeanDelay) }

// MeanWait is the mean delay of the jobs that started.
func (r *RuleResult) MeanWait() Estimate { return r.over((*Tally).MeanWait) }

// Utilisation is figure 19.
func (r *RuleResult) Utilisation() Estimate {
	return r.over(func(t *Tally) float64 { return t.Busy / (float64(r.system.Processors) * r.system.Period) })
}

// Jobs are all jobs of all periods.
func (r *RuleResult) Jobs() (total Tally) {
	for i := range r.Periods {
		total.Add(&r.Periods[i])
	}
	return total
}

// Less is by how much revenue per second a rule is behind another on the same
// jobs, period by period.
func (r *RuleResult) Less(than *RuleResult) Estimate {
	values := make([]float64, len(r.Periods))
	for i := range r.Periods {
		values[i] = (than.Periods[i].Revenue - r.Periods[i].Revenue) / r.system.Period
	}
	return estimate(values)
}
