package experiment

import (
	"slices"
	"testing"
)

// Every reading has a name of its own, belongs to papers that there are, and
// changes something: a run, what is refused, or which line is meant.
func TestReadings(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Readings() {
		if seen[r.Name] || r.Title == "" || len(r.Papers) == 0 {
			t.Errorf("%s: twice, or incomplete", r.Name)
		}
		seen[r.Name] = true
		for _, name := range r.Papers {
			if !slices.ContainsFunc(Papers(), func(p Paper) bool { return p.Name == name && (r.rename == nil || p.rejudge != nil) }) {
				t.Errorf("%s: no paper %s", r.Name, name)
			}
		}
		changed := r.refuse != 0 || r.rename != nil
		for _, policy := range []string{"libra", "libra-plus", "libra-sla", "edf-bf"} {
			for _, model := range []string{"libra-plus", "libra-sla"} {
				c := Cell{Policy: policy, Jobs: Jobs{Model: model, Set: "inaccuracy=0.3"}}
				changed = changed || r.change(c) != c
			}
		}
		if !changed {
			t.Errorf("%s changes nothing", r.Name)
		}
	}
	var usual *Reading
	if c := (Cell{Policy: "libra"}); usual.change(c) != c || usual.name() != "" {
		t.Error("the usual reading changes something")
	}
}

// What a reading gains and loses are claims that are evidence.
func TestCompareReadings(t *testing.T) {
	usual := []Claim{{Claim: "stays", Verdict: Holds}, {Claim: "goes", Verdict: Holds}, {Claim: "comes", Verdict: Fails}, {Claim: "marked", Mark: Input, Verdict: Fails}}
	other := []Claim{{Claim: "stays", Verdict: Holds}, {Claim: "goes", Verdict: InNoise}, {Claim: "comes", Verdict: InNoise}, {Claim: "marked", Mark: Input, Verdict: Holds}}
	d := compareReadings(&Reading{Name: "r"}, "p", usual, other)
	if len(d.Gained) != 1 || d.Gained[0].Claim != "comes" || len(d.Lost) != 1 || d.Lost[0].Claim != "goes" || d.Held != 1 || d.UsualHeld != 2 || d.Failed != 0 || d.UsualFailed != 1 {
		t.Errorf("%+v", d)
	}
}

// Another Phi is another line of the same figures.
func TestRenamedLines(t *testing.T) {
	f := Figure{Number: "17", Series: []Series{{Name: nistPrinted, Points: line(1)}, {Name: nistFitted, Points: line(3)}}}
	s := statement{"17", "VI", "above 2", "above 2", func(e evidence) verdict { return above("q*", e.line("17", nistPrinted).first(), "two", 2, 0) }}
	i := slices.IndexFunc(readings, func(r Reading) bool { return r.rename != nil })
	if judgeAll(nameNIST, nil, []Figure{f}, []statement{s})[0].Holds || !judgeUnder(&readings[i], nameNIST, nil, []Figure{f}, []statement{s})[0].Holds {
		t.Error("the line of the other reading is not the one that is judged")
	}
}

// A report has the readings of its papers, smaller than the rest.
func TestReportHasReadings(t *testing.T) {
	dir := t.TempDir()
	o := Options{Trace: smallTrace(t, 40), Seeds: 2, Quick: true, Lab: &Lab{}, Store: open(t, dir, false)}
	r, err := Reproduce(t.Context(), []Paper{libraPaper}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Readings) != 3 || files(t, dir)["readings.json"] == "" {
		t.Errorf("%d readings", len(r.Readings))
	}
	o.Reading, o.Store = &readings[0], open(t, t.TempDir(), false)
	if r, err = Reproduce(t.Context(), []Paper{libraPaper}, o); err != nil || r.Readings != nil {
		t.Errorf("readings of a reading: %v, error %v", r.Readings, err)
	}
}
