package experiment

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/lab/revenue"
)

// The rules of admission as figures 16 to 19 name them: the paper's two, the
// second with both values of Phi, and the best that was found.
const (
	nistAll     = "admit all"
	nistPrinted = "q*, Φ = 0.56"
	nistFitted  = "q*, Φ = 0.556"
	nistBest    = "best found"
)

// The rules that stand beside them. Phi = 0.54 is where (30) has no delay left:
// 0.54 * 40,000 s is tau_min. The last is q* from a T0 of the right size: (17)
// is for one server as fast as the cluster, and N^2 too large for N of them.
const (
	nistFree    = "q*, Φ = 0.54"
	nistFifth   = "one LvLu in five"
	nistServers = "q*, T0 over N²"
	nistDefined = "q*, Φ as measured"
	freePhi     = 0.54
)

// The jobs of the figures, and other ones to search the best rule on: it must
// not be flattered by having been chosen on the jobs that it is measured on.
const (
	nistSeed   = 1
	searchSeed = 2
)

// simulated is figures 16 to 19, load by load: each is kept when it is done.
func (r *nistRun) simulated(ctx context.Context) ([]Figure, error) {
	return r.overLoads(ctx, "simulated", r.Loads, r.atLoad)
}

// overLoads puts what is measured at each load together to figures.
func (r *nistRun) overLoads(ctx context.Context, part string, loads []float64, measure func(context.Context, float64) ([]Figure, error)) ([]Figure, error) {
	var figures []Figure
	for _, load := range loads {
		name := fmt.Sprintf("nist-%s-%v", part, load)
		step, err := r.remember(name, r.nistSetting, func() ([]Figure, error) { return measure(ctx, load) })
		if err != nil {
			return nil, err
		}
		if figures == nil {
			figures = step
			continue
		}
		for i := range figures {
			for k := range figures[i].Series {
				to, from := &figures[i].Series[k], &step[i].Series[k]
				to.Points, to.Runs = append(to.Points, from.Points...), append(to.Runs, from.Runs...)
			}
		}
	}
	return countJobs(figures), nil
}

// revenueTrial is a cluster at a load, in per cent, under some rules.
type revenueTrial struct {
	system  revenue.System
	load    float64
	rules   []revenue.Rule
	periods int
}

// simulate runs the periods of a revenueTrial in blocks, on all processors. The same
// jobs meet every rule.
func (r *nistRun) simulate(ctx context.Context, stage string, t revenueTrial) ([]revenue.RuleResult, error) {
	block := max(1, t.periods/100)
	parts := make([][]revenue.RuleResult, (t.periods+block-1)/block)
	err := r.o.Lab.Each(ctx, stage, len(parts), func(ctx context.Context, i int) (err error) {
		study := revenue.Study{
			System: t.system, Load: t.load / 100, Rules: t.rules, Seed: nistSeed,
			First: max(1, r.First) - 1 + i*block, Periods: min(block, t.periods-i*block), Workers: 1,
		}
		parts[i], err = study.Run(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	whole := parts[0]
	for k := range whole {
		whole[k].Periods = slices.Clip(whole[k].Periods) // the next rule's lie behind
		for _, part := range parts[1:] {
			whole[k].Periods = append(whole[k].Periods, part[k].Periods...)
			for c := range part[k].ByClass {
				whole[k].ByClass[c].Add(&part[k].ByClass[c])
			}
		}
	}
	return whole, nil
}

// atLoad measures one load of figures 16 to 19.
func (r *nistRun) atLoad(ctx context.Context, load float64) ([]Figure, error) {
	stage := fmt.Sprintf("provider revenue, figures 16 to 19, load %v %%", load)

	// 1. The rules.
	shownRules, err := r.paperRules(&r.system, load)
	if err != nil {
		return nil, err
	}
	otherRules, err := r.besideRules(load)
	if err != nil {
		return nil, err
	}
	best, searched, err := r.search(ctx, stage+", search", load, otherRules)
	if err != nil {
		return nil, err
	}
	shownRules = append(shownRules, best)

	// 2. The periods.
	shown, err := r.simulate(ctx, stage, revenueTrial{r.system, load, shownRules, r.Periods})
	if err != nil {
		return nil, err
	}
	others, err := r.simulate(ctx, stage+", other rules", revenueTrial{r.system, load, otherRules, r.Beside})
	if err != nil {
		return nil, err
	}

	// 3. What came of them.
	return append(r.panels(load, shown, others), jobsCounted(load, searched, shown, others)), nil
}

// paperRules are admit all and q* with both values of Phi.
func (r *nistRun) paperRules(system *revenue.System, load float64) ([]revenue.Rule, error) {
	rules, err := revenue.PaperRules(system, load/100, admission.PaperPhi, admission.Scaled)
	if err != nil {
		return nil, err
	}
	fitted, err := revenue.PaperRules(system, load/100, admission.FittedPhi, admission.Scaled)
	if err != nil {
		return nil, err
	}
	rules = append(rules, fitted[1])
	for i, name := range []string{nistAll, nistPrinted, nistFitted} {
		rules[i].Name = name
	}
	return rules, nil
}

// besideRules are those that explain what is wrong with q*.
func (r *nistRun) besideRules(load float64) ([]revenue.Rule, error) {
	t := revenue.Tuning{System: r.system, Load: load / 100, Phi: freePhi, Offset: admission.Scaled}
	rules, err := t.Rules()
	if err != nil {
		return nil, err
	}
	var list []revenue.Rule
	for _, rule := range rules {
		switch rule.Name {
		case revenue.RuleOptimal:
			rule.Name = nistFree
		case revenue.RuleOneFifth:
			rule.Name = nistFifth
		case revenue.RuleServers:
			rule.Name = nistServers
		default:
			continue
		}
		list = append(list, rule)
	}
	defined, err := revenue.PaperRules(&r.system, load/100, r.measuredPhi(load), admission.Scaled)
	if err != nil {
		return nil, err
	}
	defined[1].Name = nistDefined
	return append(list, defined[1]), nil
}

// measuredPhi is Phi at a load by the definition of section VI: the delay with
// expiry by the delay without. Beyond full load the latter grows without end, and
// Phi is at most what it is there.
func (r *nistRun) measuredPhi(load float64) float64 {
	if len(r.phi) == 0 {
		return admission.PaperPhi
	}
	load = min(max(load, r.phi[0].X), r.phi[len(r.phi)-1].X)
	return r.phi.along(load) / 100
}

// search finds the admission probabilities that earn most, on jobs of its own.
// It starts from the rules of the paper and from others.
func (r *nistRun) search(ctx context.Context, stage string, load float64, others []revenue.Rule) (best revenue.Rule, jobs int64, err error) {
	var count atomic.Int64
	var hints [][]float64
	for _, rule := range others {
		hints = append(hints, rule.Q)
	}
	system := r.system
	system.Period = r.SearchDays * 86400
	err = r.o.Lab.Each(ctx, stage, 1, func(ctx context.Context, _ int) error {
		tuned, failed := revenue.Tune(ctx, revenue.Tuning{
			System: system, Load: load / 100, Phi: admission.PaperPhi, Offset: admission.Scaled,
			SearchPeriods: r.Search, Periods: r.Search, Seed: searchSeed, Workers: r.o.Lab.Workers, Hints: hints, Jobs: &count,
		})
		if failed == nil {
			best = revenue.Rule{Name: nistBest, Q: tuned.Best.Q}
		}
		return failed
	})
	return best, count.Load(), err
}

// widths is the last paragraph of section VI: jobs of mixed widths. q* stays
// that of jobs of 500 processors, with which the numbers of the paper come out.
func (r *nistRun) widths(ctx context.Context) ([]Figure, error) {
	system := r.system
	system.ModelWidth, system.Widths = system.MeanWidth(), revenue.MixedWidths()
	return r.overLoads(ctx, "widths", r.Widths, func(ctx context.Context, load float64) ([]Figure, error) {
		rules, err := r.paperRules(&system, load)
		if err != nil {
			return nil, err
		}
		stage := fmt.Sprintf("provider revenue, mixed widths, load %v %%", load)
		results, err := r.simulate(ctx, stage, revenueTrial{system, load, rules, r.Beside})
		if err != nil {
			return nil, err
		}
		return append(r.widthPanels(load, results), jobsCounted(load, 0, results)), nil
	})
}

// expiry is how section VI came to its Phi: the delay when all are admitted,
// with expiry and without.
func (r *nistRun) expiry(ctx context.Context) ([]Figure, error) {
	patient := r.system
	patient.Classes = slices.Clone(patient.Classes)
	for i := range patient.Classes {
		patient.Classes[i].Decay *= 1e-6 // they keep their order, and wait for ever
	}
	return r.overLoads(ctx, "phi", r.Expiry, func(ctx context.Context, load float64) ([]Figure, error) {
		stage := fmt.Sprintf("provider revenue, expiry, load %v %%", load)
		rules := []revenue.Rule{revenue.AdmitAll(&r.system)}
		with, err := r.simulate(ctx, stage, revenueTrial{r.system, load, rules, r.Expired})
		if err != nil {
			return nil, err
		}
		without, err := r.simulate(ctx, stage+", none", revenueTrial{patient, load, rules, r.Expired})
		if err != nil {
			return nil, err
		}
		return append(r.expiryPanels(load, with[0], without[0]), jobsCounted(load, 0, with, without)), nil
	})
}
