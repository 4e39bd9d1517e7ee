package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Every package of the core, with all its mutants in it, is a Go program still,
// and no two mutants have one number.
func TestMutantsOfALedger(t *testing.T) {
	if testing.Short() {
		t.Skip("asks go list for what a package stands on")
	}
	t.Chdir("../..")
	s, err := load("core/ledger")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.mutants) < 100 {
		t.Errorf("%d mutants", len(s.mutants))
	}
	for i, m := range s.mutants {
		if m.ID != i+1 || m.Line == 0 || !strings.HasPrefix(m.File, "core/ledger/") {
			t.Errorf("%d: %+v", i, m)
		}
	}
	for name, text := range s.sources {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}
}

// A sample is the same for the same seed, in order, and without repetition.
func TestASample(t *testing.T) {
	all := make([]mutant, 100)
	for i := range all {
		all[i].ID = i
	}
	one, two, other := choose(all, 10, 7), choose(all, 10, 7), choose(all, 10, 8)
	same := true
	for i := range one {
		if one[i] != two[i] || i > 0 && one[i-1].ID >= one[i].ID {
			t.Fatalf("%v, %v", one, two)
		}
		same = same && one[i] == other[i]
	}
	if same || len(choose(all, 0, 1)) != 100 || len(choose(all, 1000, 1)) != 100 {
		t.Error("another seed draws the same, or not all are drawn")
	}
}
