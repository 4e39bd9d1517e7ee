package experiment

import (
	"context"
	"fmt"

	"github.com/libra-market/libra/lab/report"
)

// libraSLAPaper is 001. Its experiments are those of section 5.
var libraSLAPaper = Paper{
	Name:   nameLibraSLA,
	Title:  "Service Level Agreement based Allocation of Cluster Resources: Handling Penalty to Enhance Utility",
	Source: "Chee Shin Yeo and Rajkumar Buyya",
	Trace:  true,
	Run:    runLibraSLA,
}

// libraSLASetting is section 5.1 of 001 and the values of its figures.
type libraSLASetting struct {
	Jobs, Seeds int
	First       int // seed
	Factors     []float64
	Studies     []study
}

// study is one figure of 001: a parameter of the agreements at three values.
type study struct {
	Number, Title string
	Parameter     string
	Values        []float64
	Default       float64
}

func newLibraSLASetting(o Options) libraSLASetting {
	means := []float64{1, 2, 3}
	s := libraSLASetting{
		Jobs: 1000, Seeds: o.count(30, 3), First: o.First,
		Factors: []float64{0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04},
		Studies: []study{
			{"2", "Impact of deadline type", "high-urgency", []float64{0.2, 0.5, 0.8}, 0.2},
			{"3", "Impact of the deadline mean factor", "deadline-factor", means, 1},
			{"4", "Impact of the budget mean factor", "budget-factor", means, 1},
			{"5", "Impact of the penalty rate mean factor", "penalty-factor", means, 1},
		},
	}
	if o.Quick {
		s.Factors = []float64{0.005, 0.015, 0.025, 0.03, 0.04}
	}
	return s
}

const libraSLA = "LibraSLA"

// level names a value of a study as the figures do.
func (s study) level(value float64) string {
	switch s.Parameter {
	case "high-urgency":
		return fmt.Sprintf("%.0f\u00a0%% hard", 100*value)
	case "deadline-factor":
		return fmt.Sprintf("deadline factor %.0f", value)
	case "budget-factor":
		return fmt.Sprintf("budget factor %.0f", value)
	}
	return fmt.Sprintf("penalty factor %.0f", value)
}

type libraSLARun struct {
	libraSLASetting
	trace   *Trace
	lab     *Lab
	reading *Reading
}

func runLibraSLA(ctx context.Context, o Options) ([]Figure, []Claim, error) {
	r := libraSLARun{newLibraSLASetting(o), o.Trace, o.Lab, o.Reading}
	var all []Figure
	penalty, err := o.Figures("libra-sla-fig1", nil, func() ([]Figure, error) { return []Figure{r.penalty()}, nil })
	if err != nil {
		return nil, nil, err
	}
	all = append(all, penalty...)
	for _, s := range r.Studies {
		name := figureID(nameLibraSLA, s.Number)
		figures, err := o.Figures(name, r.libraSLASetting, func() ([]Figure, error) { return r.measure(ctx, s) })
		if err != nil {
			return nil, nil, err
		}
		all = append(all, figures...)
	}
	if o.Bound {
		figures, err := o.Figures("libra-sla-bound", r.libraSLASetting, func() ([]Figure, error) { return r.bounds(ctx) })
		if err != nil {
			return nil, nil, err
		}
		all = append(all, figures...)
	}
	return all, judgeUnder(o.Reading, nameLibraSLA, o.Trace, all, libraSLAStatements()), nil
}

// cell is a run at one value of a study. Libra is compared as docs/semantics.md,
// section 3, says: no spare time handed out, no check of budgets.
func (r *libraSLARun) cell(policy string, s study, value, factor float64, seed uint64) Cell {
	c := Cell{
		Policy: "libra-sla", Nodes: r.trace.Nodes,
		Jobs: Jobs{Base: r.trace.Last(r.Jobs), Model: "libra-sla", Seed: seed, Factor: factor},
	}
	if value != s.Default { // so that figures share the runs of the defaults
		c.Jobs.Set = c.Jobs.Set.Set(s.Parameter, value)
	}
	if policy == libra {
		c.Policy = "libra"
		c.Set = c.Set.Set("spare", "none").Set("gamma", 0).Set("delta", 0)
	}
	return c
}

// measure makes one figure: LibraSLA's improvement over Libra, and beside it
// what each of the two does.
func (r *libraSLARun) measure(ctx context.Context, s study) ([]Figure, error) {
	var lines []Line
	for i, value := range s.Values {
		for _, policy := range []string{libraSLA, libra} {
			lines = append(lines, Line{Name: policy + ", " + s.level(value), Muted: policy == libra, Hue: i + 1, Cell: func(factor float64, seed uint64) Cell {
				return r.cell(policy, s, value, factor, seed)
			}})
		}
	}
	o, err := r.lab.Grid(ctx, Grid{Stage: "LibraSLA, figure " + s.Number, Lines: lines, Xs: r.Factors, Seeds: seeds(r.First, r.Seeds), Reading: r.reading})
	if err != nil {
		return nil, err
	}
	a := r.figure(s, s.Number+"(a)", "improvement in jobs completed", Axis{Name: "improvement in jobs completed", Unit: "%"},
		"(LibraSLA − Libra) / Libra, in jobs completed.")
	b := r.figure(s, s.Number+"(b)", "improvement in utility", Axis{Name: "improvement in utility", Unit: "%"},
		"(LibraSLA − Libra) / Libra, in utility: budgets less penalties of the jobs that ran.")
	for i, value := range s.Values {
		a.Series = append(a.Series, o.Improvement(s.level(value), 2*i, 2*i+1, completed))
		b.Series = append(b.Series, o.Improvement(s.level(value), 2*i, 2*i+1, utility))
	}
	jobs := r.figure(s, s.Number+"(a), beside", "jobs completed", Axis{Name: "jobs completed"}, "Jobs completed by LibraSLA and by Libra.")
	jobs.Series, jobs.Beside = o.Series(completed), true
	worth := r.figure(s, s.Number+"(b), beside", "utility", Axis{Name: "utility", Unit: "millions"}, "Utility of LibraSLA and of Libra.")
	worth.Series, worth.Beside = o.Series(func(s *report.Summary) float64 { return s.Utility / 1e6 }), true
	late := r.figure(s, s.Number+", hard", "hard deadlines missed", Axis{Name: "jobs"}, "Jobs with a hard deadline that LibraSLA accepts and finishes late.")
	for i, series := range o.Series(hardLate) {
		if i%2 == 0 { // LibraSLA; Libra stands behind it
			late.Series = append(late.Series, series)
		}
	}
	late.Beside, late.Wants = true, "lower is better"
	return []Figure{a, b, jobs, worth, late}, nil
}

func (r *libraSLARun) figure(s study, number, what string, y Axis, measure string) Figure {
	return Figure{
		ID: figureID(nameLibraSLA, number), Number: number, Title: figureTitle(number, s.Title+": "+what), Measure: measure,
		Source: r.trace.describe(r.Jobs) + " Agreements by the two-class model of section 5.1; Libra without spare time and without budget check.",
		X:      factorAxis, Y: y, Interval: confidence, Wants: "higher is better",
	}
}
