package experiment

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/libra-market/libra/lab/report"
)

// smallTrace is a made-up log cut to so many jobs.
func smallTrace(t *testing.T, jobs int) *Trace {
	t.Helper()
	trace, err := MakeTrace()
	if err != nil {
		t.Fatal(err)
	}
	trace.jobs = trace.jobs[len(trace.jobs)-jobs:]
	trace.seal()
	return trace
}

func someCells(trace *Trace) []Cell {
	var cells []Cell
	for _, policy := range []string{"fcfs-bf", "libra", "libra-plus"} {
		for _, factor := range []float64{0.2, 1} {
			for seed := range uint64(3) {
				cells = append(cells, Cell{
					Policy: policy, Nodes: 128,
					Jobs: Jobs{Base: trace.Last(200), Model: "libra-plus", Seed: seed, Factor: factor},
				})
			}
		}
	}
	return cells
}

// Results do not depend on how many runs are made at a time, nor on the order.
func TestWorkersDoNotMatter(t *testing.T) {
	cells := someCells(smallTrace(t, 200))
	var before []*report.Summary
	for _, workers := range []int{1, 2, 7} {
		lab := &Lab{Workers: workers}
		got, err := lab.Run(t.Context(), "test", cells)
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !reflect.DeepEqual(before, got) {
			t.Errorf("%d workers: other results", workers)
		}
		before = got
	}
	alone, err := cells[4].Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(alone, before[4]) {
		t.Errorf("a cell alone: %+v, among others: %+v", alone, before[4])
	}
}

// Equal cells are run once, and the shared jobs stay as they were.
func TestCellsAreShared(t *testing.T) {
	trace := smallTrace(t, 200)
	cells := someCells(trace)
	sum := trace.Sum
	runs := int64(0)
	lab := &Lab{Progress: func(_ string, _, total int64) { runs = total }}
	first, err := lab.Run(t.Context(), "test", append(cells, cells...))
	if err != nil {
		t.Fatal(err)
	}
	if runs != int64(len(cells)) {
		t.Errorf("%d runs for %d cells that stand there twice", runs, len(cells))
	}
	if first[0] != first[len(cells)] {
		t.Error("equal cells have two results")
	}
	if _, err := lab.Run(t.Context(), "test", cells[:3]); err != nil || runs != 0 {
		t.Errorf("cells known from before: %d runs, error %v", runs, err)
	}
	if trace.seal(); trace.Sum != sum {
		t.Error("runs wrote to the arrivals they share")
	}
}

func TestProgressAndCancel(t *testing.T) {
	cells := someCells(smallTrace(t, 200))
	ctx, cancel := context.WithCancel(t.Context())
	var last atomic.Int64
	lab := &Lab{Workers: 2, Progress: func(_ string, done, _ int64) {
		if done < last.Load() {
			t.Errorf("progress goes back to %d", done)
		}
		last.Store(done)
		if done == 3 {
			cancel()
		}
	}}
	_, err := lab.Run(ctx, "test", cells)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if last.Load() >= int64(len(cells)) {
		t.Error("all cells were run")
	}
}

func TestErrorsNameTheCell(t *testing.T) {
	base := smallTrace(t, 10).Last(10)
	for want, cell := range map[string]Cell{
		"no-such":    {Policy: "no-such", Nodes: 1, Jobs: Jobs{Base: base}},
		"beta":       {Policy: "libra", Set: "beta=1", Nodes: 1, Jobs: Jobs{Base: base}},
		"nonsense":   {Policy: "libra", Nodes: 1, Jobs: Jobs{Base: base, Model: "libra-plus", Set: "nonsense=1"}},
		"at least":   {Policy: "libra", Nodes: 0, Jobs: Jobs{Base: base}},
		"SLA model":  {Policy: "libra", Nodes: 1, Jobs: Jobs{Base: base, Model: "other"}},
		"arrival fa": {Policy: "libra", Nodes: 1, Jobs: Jobs{Base: base, Factor: -1}},
	} {
		if _, err := (&Lab{}).Run(t.Context(), "test", []Cell{cell}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestBrokenWorkIsAnError(t *testing.T) {
	err := (&Lab{}).Each(t.Context(), "test", 3, func(_ context.Context, i int) error {
		if i == 1 {
			panic("invariant 7")
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "invariant 7") {
		t.Errorf("error %v", err)
	}
}

func TestSettings(t *testing.T) {
	s := Settings("").Set("spare", "none").Set("beta", 0.3).Set("beta", 0.5)
	if s != "beta=0.5,spare=none" {
		t.Errorf("settings %q", s)
	}
	if m := s.Map(); len(m) != 2 || m["spare"] != "none" {
		t.Errorf("map %v", m)
	}
}
