package revenue

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// patternSearch climbs on a lattice of admission probabilities. It remembers
// what it has simulated.
type patternSearch struct {
	tuning    *Tuning
	known     map[string]float64
	evaluated int
}

// search improves every start on a few periods with large steps, then the best
// of them on all periods with small ones.
func (p *patternSearch) search(ctx context.Context, starts [][]float64) ([]float64, error) {
	type summit struct {
		q     []float64
		value float64
	}
	few := max(1, p.tuning.SearchPeriods/4)
	p.known = map[string]float64{}
	var summits []summit
	for _, start := range starts {
		q, value, err := p.climb(ctx, onLattice(start), few, 0.25, 0.125)
		if err != nil {
			return nil, err
		}
		summits = append(summits, summit{q, value})
	}
	slices.SortStableFunc(summits, func(a, b summit) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	p.known = map[string]float64{}
	best := summit{value: math.Inf(-1)}
	for _, s := range summits[:min(2, len(summits))] {
		q, value, err := p.climb(ctx, s.q, p.tuning.SearchPeriods, 0.0625, finest)
		if err != nil {
			return nil, err
		}
		if value > best.value {
			best = summit{q, value}
		}
	}
	// The starts themselves, off the lattice, may be better than all that.
	values, err := p.values(ctx, starts, p.tuning.SearchPeriods)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v > best.value {
			best = summit{slices.Clone(starts[i]), v}
		}
	}
	return best.q, nil
}

// climb goes to the best neighbour as long as there is a better one, with steps
// from first down to last.
func (p *patternSearch) climb(ctx context.Context, q []float64, periods int, first, last float64) ([]float64, float64, error) {
	values, err := p.values(ctx, [][]float64{q}, periods)
	if err != nil {
		return nil, 0, err
	}
	value := values[0]
	for step := first; step >= last; {
		near := neighbours(q, step)
		if values, err = p.values(ctx, near, periods); err != nil {
			return nil, 0, err
		}
		best := -1
		for i, v := range values {
			if v > value {
				best, value = i, v
			}
		}
		if best < 0 {
			step /= 2
			continue
		}
		q = near[best]
	}
	return q, value, nil
}

// neighbours are the points one step away: one probability up or down, or one up
// and another down.
func neighbours(q []float64, step float64) [][]float64 {
	var list [][]float64
	add := func(i int, di float64, j int, dj float64) {
		x := slices.Clone(q)
		x[i] = min(max(x[i]+di, 0), 1)
		if j != i {
			x[j] = min(max(x[j]+dj, 0), 1)
		}
		if !slices.Equal(x, q) {
			list = append(list, x)
		}
	}
	for i := range q {
		add(i, step, i, 0)
		add(i, -step, i, 0)
		for j := range i {
			add(i, step, j, -step)
			add(i, -step, j, step)
		}
	}
	return list
}

// values simulates the points that are new, all at once.
func (p *patternSearch) values(ctx context.Context, points [][]float64, periods int) ([]float64, error) {
	key := func(q []float64) string { return fmt.Sprint(periods, q) }
	t := p.tuning
	study := Study{System: t.System, Load: t.Load, Periods: periods, Seed: t.Seed, Workers: t.Workers, Jobs: t.Jobs}
	for _, q := range points {
		if _, known := p.known[key(q)]; !known {
			p.known[key(q)] = math.Inf(-1)
			study.Rules = append(study.Rules, Rule{Q: q})
		}
	}
	if len(study.Rules) > 0 {
		results, err := study.Run(ctx)
		if err != nil {
			return nil, err
		}
		p.evaluated += len(results)
		for i := range results {
			p.known[key(results[i].Rule.Q)] = results[i].RevenuePerSecond().Mean
		}
	}
	values := make([]float64, len(points))
	for i, q := range points {
		values[i] = p.known[key(q)]
	}
	return values, nil
}

func onLattice(q []float64) []float64 {
	x := slices.Clone(q)
	for i := range x {
		x[i] = min(max(math.Round(x[i]/finest)*finest, 0), 1)
	}
	return x
}
