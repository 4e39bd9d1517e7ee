package sweep

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

func order(t *testing.T, names ...string) *Order {
	t.Helper()
	arrivals := []workload.Arrival{{Actual: 10, Job: market.Job{
		Width: 1, Estimate: 10, SLA: market.SLA{Deadline: 100, Budget: 1000},
	}}}
	o := &Order{Seeds: 2, MaxNodes: 8, Base: experiment.Cell{Nodes: 2, Jobs: experiment.Jobs{
		Base: &experiment.Base{Arrivals: arrivals}, Model: "none", Factor: 1,
	}}}
	for _, name := range names {
		kind, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		o.Kinds = append(o.Kinds, kind)
	}
	return o
}

// A policy that lacks a parameter is run once for all of its values; the name of
// a sweep hangs on what its results hang on.
func TestPlan(t *testing.T) {
	o := order(t, "fifo", "libra-plus")
	o.Axes = []Axis{{"beta", []string{"0.1", "1"}}, {"nodes", []string{"2", "4"}}}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.cells) != 2*2+2*2*2 || !slices.Equal(p.labels[0], []string{"", "2"}) || p.cells[11].Nodes != 4 || p.cells[11].Jobs.Seed != 2 {
		t.Errorf("%d cells, %v", len(p.cells), p.labels)
	}
	o.Base.Jobs.Base.Arrivals[0].Actual = 11
	if q, err := New(o); err != nil || q.id == p.id {
		t.Errorf("another workload has the name %s too (%v)", p.id, err)
	}
	o.Axes = []Axis{{"nodes", []string{"9"}}}
	if _, err := New(o); err == nil {
		t.Error("more nodes than a cluster has")
	}
	o.Axes = []Axis{{"bta", []string{"1"}}}
	if unknown, is := errors.AsType[*UnknownError](second(New(o))); !is || !unknown.Varied {
		t.Errorf("an axis nobody knows: %v", unknown)
	}
	o.Axes, o.Settings = nil, []trial.Setting{{Name: "bta", Value: "1"}}
	if unknown, is := errors.AsType[*UnknownError](second(New(o))); !is || unknown.Varied {
		t.Errorf("a setting nobody knows: %v", unknown)
	}
	o.Settings = []trial.Setting{{Name: "storage", Value: "held"}}
	if _, err := New(o); !errors.Is(err, trial.ErrLive) {
		t.Errorf("memory sold as on a live market: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// Shards put together are what one run writes.
func TestMergeOfShards(t *testing.T) {
	p, err := New(order(t, "fifo", "libra"))
	if err != nil {
		t.Fatal(err)
	}
	run := func(i, n int) string {
		lines := Lines{}
		keep := func(cell int, line string) error { lines[cell] = line; return nil }
		if err := p.Run(t.Context(), &experiment.Lab{Workers: 1}, p.Shard(i, n), keep); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := p.Write(&b, lines); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := run(1, 1)
	var m Merge
	var out strings.Builder
	if err := m.Add("b", run(2, 2)); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(&out); err == nil {
		t.Error("half of a sweep is merged")
	}
	if err := m.Add("a", run(1, 2)); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(&out); err != nil || out.String() != whole {
		t.Errorf("%v, got\n%swant\n%s", err, out.String(), whole)
	}
	torn := whole[:len(whole)-3]
	lines, err := p.Resume(torn, p.Shard(1, 1))
	if err != nil || len(lines) != 3 {
		t.Errorf("%d lines of a torn file, %v", len(lines), err)
	}
	if _, err := p.Resume("something else\n", nil); !errors.Is(err, ErrOther) {
		t.Errorf("another file: %v", err)
	}
}

// The bound stands in lines of its own, once for what does not change it, and no policy
// is above it. Nothing is said where there is no bound.
func TestTheBoundInASweep(t *testing.T) {
	o := order(t, "libra", "libra-plus")
	o.Bound, o.Axes = true, []Axis{{"beta", []string{"0.1", "1"}}, {"nodes", []string{"1", "2"}}}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.cells) != (1+2+1)*2*2 || p.cells[15].Policy != experiment.Bound || !slices.Equal(p.labels[15], []string{"", "2"}) {
		t.Fatalf("%d cells, the last %v %v", len(p.cells), p.cells[len(p.cells)-1], p.labels[len(p.labels)-1])
	}
	lines := Lines{}
	if err := p.Run(t.Context(), &experiment.Lab{}, p.Shard(1, 1), func(cell int, line string) error { lines[cell] = line; return nil }); err != nil {
		t.Fatal(err)
	}
	want := p.id + ",12,bound,,1,1,1,,,,,,1,1,1000,1000,,,,\n"
	if lines[12] != want {
		t.Errorf("got %swant %s", lines[12], want)
	}
	o.Base.Jobs.Base.Arrivals[0].Job.SLA.Budget = market.Unlimited
	if p, err = New(o); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), &experiment.Lab{}, []int{12}, func(_ int, line string) error {
		if !strings.HasSuffix(line, ",1,,0,,,,,\n") && !strings.Contains(line, ",bound,,1,1,1,,,,,,1,,") {
			t.Errorf("without budgets: %s", line)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
