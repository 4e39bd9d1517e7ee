package limit

import (
	"strings"
	"testing"
)

// Licences are counted against what Slurm has, less what others have there and what jobs of
// the market have: those that Slurm counts already are not counted twice.
func TestLicensesAreCounted(t *testing.T) {
	config := "Licenses                = fluent:4,matlab:2\n"
	if !Licensed(config) || Licensed("Licenses                = (null)\n") || Licensed("") {
		t.Error("whether there are any is not known")
	}
	s := Read(Said{Config: config, Licenses: "LicenseName=fluent Total=4 Used=2 Free=2 Reserved=1 Remote=no\nLicenseName=matlab Total=2 Used=0 Free=2 Reserved=0 Remote=no\n"})
	of := func(n int) map[Who]Use {
		return map[Who]Use{{User: "ann"}: {Licenses: map[string]int{"fluent": n}}}
	}
	for name, c := range map[string]struct {
		asks  map[string]int
		books Books
		want  string // in the detail; empty: it may
	}{
		"none":                         {nil, Books{}, ""},
		"what others leave":            {map[string]int{"fluent": 1, "matlab": 2}, Books{}, ""},
		"more than others leave":       {map[string]int{"fluent": 2}, Books{}, "asks for 2 of the licences fluent, and 1 are free: of 4 jobs of the market have 0, others 2, and 1 are reserved"},
		"more than there are":          {map[string]int{"matlab": 3}, Books{}, "Slurm has 2"},
		"of a name that there is not":  {map[string]int{"abaqus": 1}, Books{}, "no licences called abaqus"},
		"the market has one":           {map[string]int{"fluent": 1}, Books{Underway: of(1)}, "0 are free"},
		"which is one of Slurm's two":  {map[string]int{"fluent": 1}, Books{Underway: of(1), Running: of(1)}, ""},
		"and is not there twice":       {map[string]int{"fluent": 2}, Books{Underway: of(1), Running: of(1)}, "1 are free"},
		"both are the market's":        {map[string]int{"fluent": 1}, Books{Underway: of(2), Running: of(2)}, ""},
		"Slurm has not counted one":    {map[string]int{"fluent": 1}, Books{Underway: of(3), Running: of(3)}, "and 0 are free"},
		"more have been given away":    {map[string]int{"fluent": 1}, Books{Underway: of(4)}, "and 0 are free"},
		"Slurm counted what has ended": {map[string]int{"fluent": 3}, Books{Running: of(2)}, ""},
	} {
		e := s.Check(Ask{User: "bob", Processors: 1, Programs: 1, Licenses: c.asks}, c.books)
		if (e == nil) != (c.want == "") || e != nil && !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	waits := Ask{User: "bob", Processors: 1, Programs: 1, Licenses: map[string]int{"fluent": 4}, Waits: true}
	if e := s.Check(waits, Books{}); e != nil {
		t.Errorf("who waits is refused what others have now: %+v", e)
	}
	waits.Licenses = map[string]int{"fluent": 5}
	if e := s.Check(waits, Books{}); e == nil {
		t.Error("who waits is promised more than there are")
	}
	if !s.HasLicenses() || Read(Said{}).HasLicenses() {
		t.Error("whether there are any is not known")
	}
	var u Use
	one := map[string]int{"fluent": 1}
	for range 2 {
		u.Add(Use{Licenses: one})
	}
	if u.Licenses["fluent"] != 2 || one["fluent"] != 1 {
		t.Errorf("%v, %v", u.Licenses, one)
	}
}
