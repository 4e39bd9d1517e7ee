package experiment

import (
	"context"
	"fmt"
	"slices"

	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// icPaper is 003. Its experiments are those of section 4, with the parameters
// that docs/semantics.md, section 4, settles.
var icPaper = Paper{
	Name:   nameIC,
	Title:  "Imprecise Computation Grid Application Model for Flexible Market-based Resource Allocation",
	Source: "Kyong Hoon Kim, Rajkumar Buyya and Jong Kim",
	Run:    runIC,
}

const nameIC = "ic"

// icSetting is section 4 of 003 and the values that its figures go through.
type icSetting struct {
	Applications, Seeds int
	First               int       // seed
	Laxities            []float64 // figure 5, %
	Rates               []float64 // figure 6: k
}

func newICSetting(o Options) icSetting {
	s := icSetting{
		Applications: 1000, Seeds: o.count(30, 3), First: o.First,
		Laxities: []float64{10, 20, 40, 60, 80},
		Rates:    []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3},
	}
	if o.Quick { // those that the text speaks of, and the ends
		s.Laxities = []float64{10, 20, 80}
		s.Rates = []float64{0.05, 0.1, 0.2, 0.3}
	}
	return s
}

// The policies as the figures name them.
const (
	mfEDF       = "MF-EDF"
	mfHBF       = "MF-HBF"
	mfTimeShare = "MF-TimeShare"
	hardM       = "Hard-M"
	hardMO      = "Hard-M+O"
)

var (
	proposed  = []string{mfEDF, mfHBF, mfTimeShare} // by 003
	hardTerms = []string{hardM, hardMO}             // what it compares them with
)

var gridPolicyOf = map[string]string{mfEDF: "mf-edf", mfHBF: "mf-hbf", mfTimeShare: "mf-timeshare", mfRate: "mf-rate", hardM: "hard-m", hardMO: "hard-mo"}

// onlyInfeasible names a policy whose tender refuses by the paper's text.
func onlyInfeasible(policy string) string { return policy + ", only infeasible refused" }

// lines are the five policies, each with a colour that it keeps.
func (r *icRun) lines() []icLine {
	var lines []icLine
	for i, policy := range slices.Concat(proposed, hardTerms) {
		lines = append(lines, icLine{name: policy, policy: policy, refuse: r.refuse, hue: i + 1})
	}
	return lines
}

func runIC(ctx context.Context, o Options) ([]Figure, []Claim, error) {
	r := icRun{icSetting: newICSetting(o), lab: o.Lab}
	if o.Reading != nil {
		r.refuse = o.Reading.refuse
	}
	var all []Figure
	type part struct {
		name    string
		measure func(context.Context) ([]Figure, error)
	}
	parts := []part{{"ic-fig4", r.environment}, {"ic-fig5", r.deadlines}, {"ic-fig6", r.rates}}
	if o.Bound {
		parts = append(parts, part{"ic-bound", r.bounds})
	}
	for _, part := range parts {
		figures, err := o.Figures(part.name, r.icSetting, func() ([]Figure, error) { return part.measure(ctx) })
		if err != nil {
			return nil, nil, err
		}
		all = append(all, figures...)
	}
	return all, judgeUnder(o.Reading, nameIC, o.Trace, all, icStatements(r.icSetting)), nil
}

// deadlines is figure 5: all policies as deadlines get later. Beside it stands
// what the rule of refusal does: the text of 003 (section 3.4) refuses only
// what is infeasible, yet its "about 80%" comes about only if what no site
// gains by is refused as well (docs/semantics.md, section 4, item 5). Under hard
// terms every feasible application is a gain, so there the rules are the same.
func (r *icRun) deadlines(ctx context.Context) ([]Figure, error) {
	lines := r.lines()
	for i, policy := range proposed {
		lines = append(lines, icLine{name: onlyInfeasible(policy), policy: policy, refuse: tender.Infeasible, hue: i + 1, muted: true})
	}
	o, err := r.run(ctx, "imprecise grid, figure 5", r.Laxities, lines, func(laxity float64) grid.Workload { return grid.Figure5(laxity / 100) })
	if err != nil {
		return nil, err
	}
	x := Axis{Name: "deadline laxity", Unit: "%"}
	a := r.figure("5(a)", "Acceptance as deadlines get later", x, acceptanceAxis, acceptedApplications, fixedRate)
	a.Series, a.Stated = o.acceptance()[:5], r.statedAcceptance()
	b := r.figure("5(b)", "Total profit as deadlines get later", x, profitAxis, totalProfit, fixedRate)
	b.Series = o.all(profitOf)[:5]

	const ruled = " Solid: what no site gains by is refused. Dashed: only what no site can do."
	rule := r.figure("5(a), refusal", "Acceptance under two rules of refusal", x, acceptanceAxis, acceptedApplications+ruled, fixedRate)
	rule.Series, rule.Beside = byRule(o.acceptance()), true
	worth := r.figure("5(b), refusal", "Lead in profit under two rules of refusal", x, Axis{Name: "profit above the better of Hard-M and Hard-M+O", Unit: "%"},
		"How much more is earned than under hard terms, seed by seed."+ruled, fixedRate)
	worth.Series, worth.Beside = byRule(o.leads()), true
	return []Figure{a, b, rule, worth}, nil
}

// byRule keeps the proposed policies, under both rules.
func byRule(all []Series) []Series {
	return slices.Concat(all[:len(proposed)], all[len(proposed)+len(hardTerms):])
}

// statedAcceptance is what section 4 says of figure 5(a). It gives one number
// for all proposed schemes and all laxities, which is drawn once for each
// scheme, at laxities of their own so that all can be seen.
func (r *icRun) statedAcceptance() []Stated {
	first, last := r.Laxities[0], r.Laxities[len(r.Laxities)-1]
	middle := r.Laxities[len(r.Laxities)/2]
	return []Stated{{mfEDF, first, 80}, {mfHBF, middle, 80}, {mfTimeShare, last, 80}, {hardM, middle, 100}}
}

// rates is figure 6: all policies as optional work pays more. The paper shows
// profit alone; acceptance and what an instruction earns stand beside it, for
// what the text says about the cause.
func (r *icRun) rates(ctx context.Context) ([]Figure, error) {
	o, err := r.run(ctx, "imprecise grid, figure 6", r.Rates, r.lines(), grid.Figure6)
	if err != nil {
		return nil, err
	}
	x := Axis{Name: "budget rate of optional work, k"}
	profit := r.figure("6", "Total profit as optional work pays more", x, profitAxis, totalProfit, variedLaxity)
	profit.Series = o.all(profitOf)
	taken := r.figure("6, acceptance", "Acceptance as optional work pays more", x, acceptanceAxis, acceptedApplications, variedLaxity)
	taken.Series, taken.Beside = o.acceptance(), true
	yield := r.figure("6, yield", "Profit per work done as optional work pays more", x,
		Axis{Name: "paid per 1,000,000 MI executed"}, "What was paid, over all work that accepted applications got.", variedLaxity)
	yield.Series, yield.Beside = o.all(yieldOf), true
	return []Figure{profit, taken, yield}, nil
}

var (
	acceptanceAxis = Axis{Name: "applications accepted", Unit: "%"}
	profitAxis     = Axis{Name: "total profit", Unit: "millions"}
)

const (
	acceptedApplications = "Applications accepted, of all submitted."
	totalProfit          = "All that applications paid to the six sites."
	fixedRate            = "budget rate k = 0.2."
	variedLaxity         = "deadline laxity even between 10 and 50 % per application."
)

func (r *icRun) figure(number, title string, x, y Axis, measure, parameters string) Figure {
	return Figure{
		ID: figureID(nameIC, number), Number: number, Title: figureTitle(number, title), Measure: measure,
		Source: fmt.Sprintf("%s applications made up as in section 4, on the six sites of its figure 4(a); %s", thousands(r.Applications), parameters),
		X:      x, Y: y, Interval: confidence, Wants: "higher is better",
	}
}
