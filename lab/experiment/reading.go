package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/lab/reading"
	"github.com/libra-market/libra/lab/tender"
)

// Reading is another way to read what a paper leaves open or contradicts itself in.
type Reading struct {
	Name  string
	Title string
	// Papers it makes a difference to.
	Papers []string

	cell   func(*Cell)                        // what it changes in a run
	refuse tender.Refuse                      // what the grid's broker refuses
	rename func(figure, series string) string // which lines the claims are about
}

// timeShared changes the runs of libra and libra-plus.
func timeShared(name, value string) func(*Cell) {
	return func(c *Cell) {
		if c.Policy == "libra" || c.Policy == "libra-plus" {
			c.Set = c.Set.Set(name, value)
		}
	}
}

// agreed changes the agreements that a model makes.
func agreed(model string, set map[string]float64) func(*Cell) {
	return func(c *Cell) {
		if c.Jobs.Model == model {
			for name, value := range set { // Set puts them in order
				c.Jobs.Set = c.Jobs.Set.Set(name, value)
			}
		}
	}
}

var readings = []Reading{
	{
		Name: "commitment=promised", Title: "admission keeps for a running job what it was promised, not what it needs now",
		Papers: []string{nameLibra}, cell: timeShared("commitment", "promised"),
	},
	{
		Name: "replan=cluster", Title: "all shares are worked out anew at every event of the cluster",
		Papers: []string{nameLibra, nameLibraPlus, nameLibraSLA}, cell: timeShared("replan", "cluster"),
	},
	{
		Name: "replan=touched", Title: "shares are worked out anew on the nodes that an event touches",
		Papers: []string{nameLibra, nameLibraPlus, nameLibraSLA}, cell: timeShared("replan", "touched"),
	},
	{
		Name: "commitment=current", Title: "admission keeps for a running job what it needs now, not what it was promised",
		Papers: []string{nameLibraPlus}, cell: timeShared("commitment", "current"),
	},
	{
		Name: "late=lapsed", Title: "backfilling drops a job when its deadline has passed, not when it cannot be met any more",
		Papers: []string{nameLibraPlus}, cell: func(c *Cell) {
			if strings.HasSuffix(c.Policy, "-bf") {
				c.Set = c.Set.Set("late", "lapsed")
			}
		},
	},
	{
		Name: "deviations", Title: "deadlines spread by 0.33 of their mean, budgets by 0.2",
		Papers: []string{nameLibraPlus}, cell: agreed("libra-plus", map[string]float64{"deadline-deviation": 0.33, "budget-deviation": 0.2}),
	},
	{
		Name: "tasks=apart", Title: "the tasks of a parallel job advance each on its own, and a node sets shares at its own events",
		Papers: []string{nameLibraPlus}, cell: timeShared(reading.Tasks, "apart"),
	},
	{
		Name: "overrun=last", Title: "a job that has used up its estimate keeps its last partition (Algorithm 2 to the letter)",
		Papers: []string{nameLibraPlus}, cell: func(c *Cell) {
			if _, wrong := c.Jobs.Set.Map()["inaccuracy"]; wrong { // nobody else over-runs
				timeShared(reading.Overrun, "last")(c)
			}
		},
	},
	{
		Name: "free=estimates", Title: "free is the window less all estimates on the node (equation (6) to the letter)",
		Papers: []string{nameLibraPlus}, cell: func(c *Cell) {
			if c.Policy == "libra-plus" {
				c.Set = c.Set.Set(reading.Free, "estimates")
			}
		},
	},
	{
		Name: "penalty=0.18", Title: "penalty rates of 0.18 for soft and 0.72 for hard deadlines",
		Papers: []string{nameLibraSLA}, cell: agreed("libra-sla", map[string]float64{"penalty-relaxed": 0.18, "penalty-urgent": 0.72}),
	},
	{
		Name: "penalty=0.1", Title: "penalty rates of 0.1 for soft and 0.4 for hard deadlines",
		Papers: []string{nameLibraSLA}, cell: agreed("libra-sla", map[string]float64{"penalty-relaxed": 0.1, "penalty-urgent": 0.4}),
	},
	{
		Name: "refuse=infeasible", Title: "only what no site can do is refused (section 3.4)",
		Papers: []string{nameIC}, refuse: tender.Infeasible,
	},
	{
		Name: "phi=0.556", Title: "Φ is 0.556, not 0.56",
		Papers: []string{nameNIST}, rename: fittedInstead,
	},
}

// fittedInstead shows the claims the lines of the other Phi.
func fittedInstead(figure, series string) string {
	switch {
	case series == nistPrinted:
		return nistFitted
	case figure == "15" && !strings.Contains(series, "Φ"):
		return withPhi(series, 0.556)
	}
	return series
}

// Readings lists those that there are.
func Readings() []Reading { return slices.Clone(readings) }

// change makes a run one under the reading.
func (r *Reading) change(c Cell) Cell {
	if r != nil && r.cell != nil {
		r.cell(&c)
	}
	return c
}

func (r *Reading) name() string {
	if r == nil {
		return ""
	}
	return r.Name
}

// Difference is what a reading does to the claims of a paper, beside the usual
// reading at the same, smaller, size.
type Difference struct {
	Reading string `json:"reading"`
	Title   string `json:"title"`
	Paper   string `json:"paper"`
	Held    int    `json:"held"`   // that are evidence
	Failed  int    `json:"failed"` // as many do not hold; the others are within the noise
	// The same under the usual reading.
	UsualHeld   int `json:"usual_held"`
	UsualFailed int `json:"usual_failed"`
	// Those whose verdict is better than under the usual reading, and worse.
	Gained []Claim `json:"gained"`
	Lost   []Claim `json:"lost"`
}

// mostForReadings are enough seeds to see what a reading does.
const mostForReadings = 10

// differences measures every reading of the papers of a report. It does so at a
// smaller size: what matters is what changes, and both are measured alike.
func (r *Report) differences(ctx context.Context) ([]Difference, error) {
	if r.Reading != nil || r.Seeds == 1 { // one seed decides nothing
		return nil, nil
	}
	small := r.Options
	small.Quick, small.Bound, small.aside, small.brief = true, false, true, r.Quick
	var all []Difference
	for i := range r.Parts {
		p := &r.Parts[i]
		var usual []Claim
		for k := range readings {
			other := &readings[k]
			if !slices.Contains(other.Papers, p.Name) {
				continue
			}
			if other.rename != nil { // the lines are there already
				all = append(all, compareReadings(other, p.Name, p.Claims, p.rejudge(other, p.Figures)))
				continue
			}
			if usual == nil {
				var err error
				if usual, err = p.under(ctx, small, nil); err != nil {
					return nil, err
				}
			}
			claims, err := p.under(ctx, small, other)
			if err != nil {
				return nil, err
			}
			all = append(all, compareReadings(other, p.Name, usual, claims))
		}
	}
	return all, nil
}

// under judges a paper under a reading.
func (p *Part) under(ctx context.Context, o Options, r *Reading) ([]Claim, error) {
	o.Reading = r
	_, claims, err := p.Run(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("reading %q of paper %s: %w", r.name(), p.Name, err)
	}
	return claims, nil
}

func compareReadings(r *Reading, paper string, usual, other []Claim) Difference {
	d := Difference{Reading: r.Name, Title: r.Title, Paper: paper, Gained: []Claim{}, Lost: []Claim{}}
	for i := range other {
		before, now := &usual[i], &other[i]
		if before.Mark != "" {
			continue
		}
		for _, count := range []struct {
			verdict      Verdict
			held, failed *int
		}{{before.Verdict, &d.UsualHeld, &d.UsualFailed}, {now.Verdict, &d.Held, &d.Failed}} {
			switch count.verdict {
			case Holds:
				*count.held++
			case Fails:
				*count.failed++
			case InNoise:
			}
		}
		switch was, is := before.Verdict.rank(), now.Verdict.rank(); {
		case is > was:
			d.Gained = append(d.Gained, *now)
		case is < was:
			d.Lost = append(d.Lost, *now)
		}
	}
	return d
}

// rank puts the verdicts in order, the best last.
func (v Verdict) rank() int { return slices.Index([]Verdict{Fails, InNoise, Holds}, v) }
