package agent

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// Whatever happens, the parts are the whole, and nobody's part ever falls.
func TestTallyIsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all tally
		var cpu, declined time.Duration
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			before := append(tally(nil), all...)
			if rapid.Bool().Draw(t, "order") {
				var orders []task.Order
				for rank := range rapid.IntRange(0, 4).Draw(t, "ranks") {
					share := rapid.SampledFrom([]float64{0, 0.01, 0.3, 1.0 / 3, 1}).Draw(t, "share")
					orders = append(orders, task.Order{Spec: task.Spec{Key: task.Key{Job: 1, Rank: rank}}, CPU: share})
				}
				all = all.order(orders)
			}
			if len(all) > 0 {
				more := time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "cpu"))
				off := time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "declined"))
				all.add(more, off)
				cpu, declined = cpu+more, declined+off
			}
			var gotCPU, gotDeclined int64
			for i, p := range all {
				gotCPU += p.CPUNS
				gotDeclined += p.DeclinedNS
				if i < len(before) && (p.CPUNS < before[i].CPUNS || p.DeclinedNS < before[i].DeclinedNS) {
					t.Fatalf("%+v, before %+v", p, before[i])
				}
			}
			if gotCPU != int64(cpu) || gotDeclined != int64(declined) {
				t.Fatalf("parts of %d and %d, want %d and %d", gotCPU, gotDeclined, cpu, declined)
			}
		}
	})
}

func TestTallyIsByShare(t *testing.T) {
	key := func(rank int) task.Key { return task.Key{Job: 4, Rank: rank} }
	order := func(rank int, cpu float64) task.Order {
		return task.Order{Spec: task.Spec{Key: key(rank)}, CPU: cpu, Weight: cpu}
	}
	all := tally(nil).order([]task.Order{order(0, 0.1), order(1, 0.3)})
	all.add(400, 800)
	all = all.order([]task.Order{order(1, 0.2)}) // the first has ended
	all.add(100, 0)
	if share, weight := all.share(); share != 0.2 || weight != 0.2 {
		t.Errorf("shares of %v, weights of %v", share, weight)
	}
	if all[0].CPUNS != 100 || all[1].CPUNS != 400 || all[0].DeclinedNS != 200 || all[1].DeclinedNS != 600 {
		t.Errorf("%+v", all)
	}
	all = all.order([]task.Order{order(0, 0), order(1, 0)})
	all.add(50, 0)
	if all[0].CPUNS != 125 || all[1].CPUNS != 425 {
		t.Errorf("without shares not divided evenly: %+v", all)
	}
	if all.same([]task.Order{{Spec: task.Spec{Key: task.Key{Job: 4, Attempt: 1}}}}) {
		t.Error("another attempt is taken for the same")
	}
}

func TestACounterThatFallsIsANewOne(t *testing.T) {
	held := holding{CounterNS: 100}
	if held.since(140) != 40 || held.since(30) != 30 || held.since(100) != 0 {
		t.Error("counted wrongly")
	}
}

func TestWhatANodeBesideSlurmOffers(t *testing.T) {
	for _, c := range []struct {
		processors int
		capacity   float64
		want       int
		each       float64
	}{
		{0, 0, 2, 1},
		{1, 0, 1, 1},
		{4, 0, 4, 0.5},
		{1, 0.4, 1, 0.4},
		{2, 0.4, 2, 0.2},
		{1, 5, 1, 1},
	} {
		config := Config{CPUs: []int{0, 1}, Processors: c.processors, Capacity: c.capacity}
		if got, each := config.emulated(); got != c.want || math.Abs(each-c.each) > 1e-12 {
			t.Errorf("%+v: %d processors of %v", c, got, each)
		}
	}
}

func TestTheNodesNameInSlurm(t *testing.T) {
	t.Setenv("SLURMD_NODENAME", "n7")
	if name, err := NodeName(ControlSlurm); err != nil || name != "n7" {
		t.Errorf("%q, %v", name, err)
	}
	if name, err := NodeName(""); err != nil || name == "n7" {
		t.Errorf("without Slurm: %q, %v", name, err)
	}
}

func TestControlSettings(t *testing.T) {
	for _, c := range []struct {
		config Config
		good   bool
	}{
		{Config{Control: ControlSlurm, Processors: 4, Capacity: 0.4}, true},
		{Config{Control: "pbs"}, false},
		{Config{Capacity: 0.4}, false},
		{Config{Control: ControlSlurm, Capacity: math.NaN()}, false},
		{Config{Control: ControlSlurm, Processors: -1}, false},
	} {
		c.config.StateDir = "/none"
		if _, err := c.config.Default(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.config, err)
		}
	}
}

func TestNumbersOfJobs(t *testing.T) {
	for id, want := range map[string]bool{"17": true, "": false, "../3": false, "1_2": false, "-1": false, "123456789012345678901": false} {
		if validBatch(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}

// A job of Slurm's is one group for all its tasks on a node. On one processor it weighs
// no more than one of them can have been granted there.
func TestTasksOfAJobDoNotAddUpOnOneProcessor(t *testing.T) {
	groups := newFakeGroups()
	a, err := New(Config{Node: "n", StateDir: t.TempDir(), CPUs: []int{4, 6}, Self: "/none"}, newBoard(), groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.control = &control{agent: a}
	for what, c := range map[string]struct {
		shares []float64
		weight float64
	}{
		"one":                      {[]float64{0.8}, 0.8},
		"two":                      {[]float64{0.8, 0.8}, 0.6},
		"two whole ones":           {[]float64{1, 1}, 1},
		"two with little":          {[]float64{0.3, 0.3}, leastShare},
		"more than the host's two": {[]float64{0.5, 0.5, 0.25, 0.25}, 0.5},
	} {
		h := newHolder(a.control, "7")
		var orders []task.Order
		for rank, share := range c.shares {
			orders = append(orders, task.Order{Spec: task.Spec{Key: task.Key{Job: 4, Rank: rank}}, CPU: share, Weight: share})
		}
		if got := h.limitsOf(tally(nil).order(orders), h.processorsOf(orders)); math.Abs(got.Weight-c.weight) > 1e-9 {
			t.Errorf("%s: weighs %v, want %v", what, got.Weight, c.weight)
		}
	}
}

// Of a short job of Slurm's, too, most is looked at.
func TestYoungJobsOfSlurmAreLookedAtOften(t *testing.T) {
	groups := &kernelLike{newFakeGroups()}
	a, err := New(Config{Node: "n", StateDir: t.TempDir(), CPUs: []int{4}, Self: "/none"}, newBoard(), groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.control = &control{agent: a}
	h := newHolder(a.control, "7")
	for ago, want := range map[time.Duration]time.Duration{0: lookEvery, time.Second: lookEvery, time.Minute: sampleEvery} {
		h.held.StartedUS = unixMicros() - ago.Microseconds()
		if got := h.patience(); got != want {
			t.Errorf("begun %v ago: looked at every %v, want %v", ago, got, want)
		}
	}
	if h.held.StartedUS = 0; h.patience() != lookEvery {
		t.Error("what has not begun is waited for")
	}
}

type kernelLike struct{ *fakeGroups }

func (*kernelLike) Kind() string { return cgroup.V1 }
