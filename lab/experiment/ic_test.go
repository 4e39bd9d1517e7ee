package experiment

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// smallIC is 003 with few applications; the sites and the gaps are the paper's.
func smallIC(workers int) icRun {
	s := newICSetting(Options{Seeds: 2, Quick: true})
	s.Applications = 60
	return icRun{icSetting: s, lab: &Lab{Workers: workers}}
}

func (r *icRun) figures(t *testing.T) []Figure {
	t.Helper()
	five, err := r.deadlines(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	six, err := r.rates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return append(five, six...)
}

// Whoever is compared with what nobody could exceed does not, and the bounds that know which
// applications were taken are of those alone that sell optional parts.
func TestICBounds(t *testing.T) {
	r := smallIC(2)
	figures, err := r.bounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) != 6 {
		t.Errorf("%d figures", len(figures))
	}
	for i := range figures {
		f := &figures[i]
		if want := map[bool]int{true: 7, false: 5}[strings.HasSuffix(f.Number, ", bound")]; len(f.Series) != want || !f.Beside || f.runs() != 2 {
			t.Errorf("%s: %d lines, beside %v, %d seeds", f.ID, len(f.Series), f.Beside, f.runs())
		}
		for _, s := range f.Series {
			if _, most := curve(s.Points).peak(); !(most > 20 && most <= 100+1e-6) {
				t.Errorf("%s: %s comes to %v %%", f.ID, s.Name, most)
			}
		}
	}
}

// Figures do not depend on how many runs are made at a time, and all that the
// statements are about is measured.
func TestICFigures(t *testing.T) {
	one, two := smallIC(1), smallIC(2)
	figures := one.figures(t)
	if !reflect.DeepEqual(figures, two.figures(t)) {
		t.Error("two workers: other figures")
	}
	for i := range figures {
		f := &figures[i]
		for _, m := range f.Stated {
			if s, ok := f.find(m.Series); !ok || math.IsNaN(curve(s.Points).at(m.X)) {
				t.Errorf("%s: nothing at the mark %+v", f.ID, m)
			}
		}
		if f.Beside != strings.Contains(f.Number, ", ") || f.runs() != 2 {
			t.Errorf("%s: beside %v, %d seeds", f.ID, f.Beside, f.runs())
		}
	}
	for _, c := range judgeAll(nameIC, nil, figures, icStatements(one.icSetting)) {
		if c.Measured == "not measured" || strings.Contains(c.Measured, "NaN") || strings.Contains(c.Measured, "%!") {
			t.Errorf("%s: %s", c.Claim, c.Measured)
		}
	}
}

// Under hard terms every feasible application is a gain: the rule of refusal
// makes no difference, which is why figure 5 varies it for the others only.
func TestICHardTermsKnowOneRule(t *testing.T) {
	w := grid.Figure5(0.1)
	w.Applications = 150
	apps, err := w.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range hardTerms {
		usual, err := icLine{policy: policy}.run(t.Context(), apps, 0)
		if err != nil {
			t.Fatal(err)
		}
		literal, err := icLine{policy: policy, refuse: tender.Infeasible}.run(t.Context(), apps, 0)
		if err != nil {
			t.Fatal(err)
		}
		if usual != literal || usual.profit <= 0 {
			t.Errorf("%s: %+v and %+v", policy, usual, literal)
		}
	}
}

// Work is counted once: what Hard-M is paid per MI is the mandatory budget,
// 0.001, and nothing else.
func TestICYield(t *testing.T) {
	r := smallIC(2)
	for _, f := range r.figures(t) {
		if f.Number != "6, yield" {
			continue
		}
		s, _ := f.find(hardM)
		for _, p := range s.Points {
			if math.Abs(p.Mean-1000) > 1e-6 {
				t.Errorf("k = %v: %v per 1,000,000 MI", p.X, p.Mean)
			}
		}
		return
	}
	t.Error("no figure")
}

func TestICCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := smallIC(2)
	told := 0
	r.lab.Progress = func(string, int64, int64) {
		if told++; told == 3 {
			cancel()
		}
	}
	if _, err := r.deadlines(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestICStatements(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range icStatements(icSetting{}) {
		if s.figure == "" || s.section == "" || s.quote == "" || s.expect == "" || seen[s.figure+s.quote+s.expect] {
			t.Errorf("incomplete or twice: %+v", s)
		}
		seen[s.figure+s.quote+s.expect] = true
		if s.figure == "workload" {
			continue
		}
		if c := judgeAll(nameIC, nil, nil, []statement{s})[0]; c.Holds || c.Measured != "not measured" {
			t.Errorf("%s: holds %v, measured %q", c.Claim, c.Holds, c.Measured)
		}
	}
}

func TestContest(t *testing.T) {
	ten, gap := named{"ten", line(10, 10)}, named{"gap", line(10, math.NaN())}
	for name, c := range map[string]struct {
		got  contest
		want bool
	}{
		"more":                 {compare([]named{{"a", line(11, 12)}}, []named{ten}), true},
		"less somewhere":       {compare([]named{{"a", line(11, 9)}}, []named{ten}), false},
		"one of two is less":   {compare([]named{{"a", line(11, 11)}, {"b", line(9, 9)}}, []named{ten}), false},
		"a gap is not more":    {compare([]named{gap}, []named{ten}), false},
		"nor more than a gap":  {compare([]named{ten}, []named{gap}), false},
		"nothing is not more":  {compare(nil, nil), false},
		"nor an empty curve":   {compare([]named{{"a", nil}}, []named{ten}), false},
		"equal is not more":    {compare([]named{ten}, []named{ten}), false},
		"more than the better": {compare([]named{{"a", line(21, 22)}}, []named{{"b", better(line(1, 20), line(20, 1))}}), true},
	} {
		if v := c.got.verdict(0); v.holds != c.want {
			t.Errorf("%s: %v (%s)", name, v.holds, v.measured)
		}
	}
	if c := compare([]named{{"a", line(11, 12)}}, []named{ten}); math.Abs(c.mean-15) > 1e-9 || math.Abs(c.least-10) > 1e-9 {
		t.Errorf("leads %+v", c)
	}
}
