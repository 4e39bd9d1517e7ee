package estimate_test

import (
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/estimate"
)

// An estimate that is to be 90 % sure holds for nine of ten runs that are like those
// before, however long they are.
func TestAnEstimateHoldsAsOftenAsItSays(t *testing.T) {
	const seed = 7
	draw := rand.New(rand.NewPCG(seed, 1))
	length := func() int64 { return int64(60_000 * (1 + 50*draw.ExpFloat64())) }
	const tries = 4000
	held := 0
	for range tries {
		runs := make([]estimate.Run, 30)
		for i := range runs {
			runs[i] = estimate.Run{Width: 2, WorkMS: length()}
		}
		g, ok := estimate.Of(runs, 2, 0.9)
		if !ok || g.Runs != 30 || !g.SameWidth || g.Sure < 0.9 {
			t.Fatalf("%+v, %t", g, ok)
		}
		if length() <= g.WorkMS {
			held++
		}
	}
	if part := float64(held) / tries; part < 0.89 || part > 0.95 {
		t.Errorf("seed %d: it held in %.3f of %d", seed, part, tries)
	}
}

func TestFewRunsAreNotTrusted(t *testing.T) {
	if _, ok := estimate.Of(nil, 1, 0.9); ok {
		t.Error("an estimate from nothing")
	}
	one := []estimate.Run{{Width: 1, WorkMS: 100_000}}
	if g, _ := estimate.Of(one, 1, 0.9); g.WorkMS < 200_000 || g.Sure != 0.5 || g.SameWidth {
		t.Errorf("from one run: %+v", g)
	}
	mixed := []estimate.Run{{Width: 4, WorkMS: 900_000}, {Width: 1, WorkMS: 100_000}, {Width: 1, WorkMS: 100_000}, {Width: 1, WorkMS: 100_000}}
	if g, _ := estimate.Of(mixed, 1, 0.9); !g.SameWidth || g.Runs != 3 || g.Longest != 100_000 {
		t.Errorf("of the same size: %+v", g)
	}
	if g, _ := estimate.Of(mixed, 4, 0.9); g.SameWidth || g.Runs != 4 || g.Longest != 900_000 {
		t.Errorf("of any size: %+v", g)
	}
}

func TestBecause(t *testing.T) {
	g := estimate.Guess{Runs: 4, Sure: 0.8, SameWidth: true}
	if got := g.Because("fold"); got != "4 runs of fold on as many processors; 80 % sure for one like them" {
		t.Error(got)
	}
	g = estimate.Guess{Runs: 1, Sure: 0.5}
	if got := g.Because("sleep 3; echo hi"); got != `1 run of "sleep 3; echo hi" of any size; 50 % sure for one like them` {
		t.Error(got)
	}
}
