package cgroup

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func cpuSet(cpus ...int) (set unix.CPUSet) {
	for _, c := range cpus {
		set.Set(c)
	}
	return set
}

// What a group waited for others, of a second, by what its threads say of themselves
// in milliseconds.
func TestWhoseThreadsWaitForEachOtherWaitsForNobody(t *testing.T) {
	const ms = time.Millisecond
	type thread struct {
		ran, waited time.Duration
		on          []int // that it keeps itself to; nil: all
	}
	many := func(n int, like thread) []thread {
		all := make([]thread, n)
		for i := range all {
			all[i] = like
		}
		return all
	}
	one, two := holding{processors: 1, cpus: []int{3}, share: 1}, holding{processors: 2, cpus: []int{3, 5}, share: 2}
	half := holding{processors: 2, cpus: []int{3, 5}, share: 1} // of each of them
	four := holding{processors: 4, cpus: []int{0, 1, 2, 3}, share: 4}
	for _, c := range []struct {
		name    string
		have    holding
		threads []thread
		ended   time.Duration // what threads used that are gone
		want    time.Duration
	}{
		// Those who are honest.
		{"starved by others", one, []thread{{ran: 300, waited: 700}}, 0, 700},
		{"starved, among sleepers", one, []thread{{}, {ran: 1}, {ran: 300, waited: 700}, {waited: 2}}, 0, 699},
		{"make -j4 on one processor, half of which others have", one, many(4, thread{ran: 125, waited: 875}), 0, 500},
		{"a pool that always wants both processors", two, many(16, thread{ran: 75, waited: 925}), 0, 800},
		{"a thread for each processor, pinned", two, []thread{{ran: 400, waited: 600, on: []int{3}}, {ran: 300, waited: 700, on: []int{5}}}, 0, 1300},
		{"pinned, and another that is not", two, []thread{{ran: 400, waited: 600, on: []int{3}}, {ran: 300, waited: 700}}, 0, 1300},
		{"a command of seconds, after one that ended", one, []thread{{}, {ran: 300, waited: 500}}, 100, 400},
		{"granted half of each, and has a quarter", half, many(2, thread{ran: 250, waited: 750}), 0, 500},
		{"nobody knows on which processors", holding{processors: 2, share: 2}, many(2, thread{ran: 500, waited: 500}), 0, 1000},
		// Those who are not.
		{"a herd that wakes together", one, many(16, thread{ran: 20, waited: 150}), 0, 0},
		{"a herd, and what it waits for has ended", one, many(4, thread{ran: 1, waited: 320}), 320, 0},
		{"a herd that others kept back a little", one, many(16, thread{ran: 20, waited: 350}), 0, 50},
		{"two on one of two processors", two, many(2, thread{ran: 500, waited: 500, on: []int{3}}), 0, 0},
		{"eight on one of two, which others have half of", half, many(8, thread{ran: 62.5 * 2, waited: 875, on: []int{5}}), 0, 0},
		{"the same, and one that wants the other for a moment", half, append(many(8, thread{ran: 62, waited: 938, on: []int{5}}), thread{waited: 4, on: []int{3}}), 0, 8},
		{"crowded on two of four, by three sets", four, []thread{
			{ran: 500, waited: 500, on: []int{0}}, {ran: 500, waited: 500, on: []int{1}}, {ran: 500, waited: 500, on: []int{0, 1}}, {ran: 500, waited: 500, on: []int{1, 0}},
		}, 0, 0},
		{"room is made for who has no choice", two, []thread{{ran: 400, waited: 600, on: []int{3, 5}}, {ran: 300, waited: 690, on: []int{3}}}, 0, 1290},
		{"kept to processors that are not its own", two, many(2, thread{ran: 1, waited: 900, on: []int{7}}), 0, 0},
		{"asleep", one, many(3, thread{}), 0, 0},
	} {
		var wants []wanted
		used := c.ended * ms
		for i, th := range c.threads {
			wants = append(wants, wanted{tid: i, ran: th.ran * ms, waited: th.waited * ms})
			used += th.ran * ms
		}
		got := c.have.others(wants, used, time.Second, func(tid int) *unix.CPUSet {
			set := cpuSet(c.threads[tid].on...)
			if c.threads[tid].on == nil {
				set = cpuSet(0, 1, 2, 3, 4, 5, 6, 7)
			}
			return &set
		})
		if got != c.want*ms {
			t.Errorf("%s: waited %v, want %v", c.name, got, c.want*ms)
		}
	}
}

// Whatever threads do, a group waits no more than all of them, and no more than its
// processors had besides what it used; on one processor, one thread does what it says.
func TestWhateverThreadsWant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := holding{processors: rapid.IntRange(1, 4).Draw(t, "processors"), share: rapid.Float64Range(-1, 4).Draw(t, "share")}
		var wants []wanted
		sets := map[int]unix.CPUSet{}
		used, sum := time.Duration(0), time.Duration(0)
		for tid := range rapid.IntRange(0, 9).Draw(t, "threads") {
			ran := time.Duration(rapid.IntRange(0, 1000).Draw(t, "ran"))
			waited := time.Duration(rapid.IntRange(0, int(1000-ran)).Draw(t, "waited"))
			used, sum = used+ran, sum+waited
			wants = append(wants, wanted{tid: tid, ran: ran, waited: waited})
			sets[tid] = cpuSet(rapid.SliceOfN(rapid.IntRange(0, 5), 1, 4).Draw(t, "on")...)
		}
		ended := time.Duration(rapid.IntRange(0, 500).Draw(t, "ended"))
		got := h.others(wants, used+ended, 1000, func(tid int) *unix.CPUSet { set := sets[tid]; return &set })
		if got < 0 || got > sum || got > max(0, time.Duration(h.processors)*1000-used-ended) {
			t.Fatalf("waited %v of %v, used %v on %d processors", got, sum, used+ended, h.processors)
		}
		if len(wants) == 1 && h.processors == 1 && ended == 0 && got != sum {
			t.Fatalf("one thread waited %v, and the group %v", sum, got)
		}
	})
}

// Who keeps itself to less, and to more when it expects somebody to look, is taken to
// do so for some time.
func TestWhereAThreadWasSeenToKeepItself(t *testing.T) {
	var p pinning
	narrow, other, wide := cpuSet(1), cpuSet(2), cpuSet(1, 2)
	p.see(&wide)
	p.see(&narrow)
	p.see(&wide)
	if p.to != narrow {
		t.Error("one look, and what was seen is forgotten")
	}
	if p.see(&other); p.to != other {
		t.Error("it has moved")
	}
	for range pinnedFor {
		p.see(&wide)
	}
	if p.to != wide {
		t.Error("never seen there again, and not forgotten")
	}
}

// testWaitedHerd: threads that wake together, run for a moment each and sleep have
// what they want, however long each waits for the others.
func testWaitedHerd(t *testing.T, w world) {
	tree := openTree(t, w)
	favour(t, tree)
	g, err := tree.Make("herd", Limits{CPU: 1, CPUs: []int{onlyCPU(t)}})
	must(t, err)
	start(t, g, "herd", 16)
	keptBack(t, g, 2) // in turn, each behind half of the others, it would be 7.5
}

// testWaitedCrowd: nor do two threads on one of two processors wait for others.
func testWaitedCrowd(t *testing.T, w world) {
	all := ownCPUs(t, 0)
	if len(all) < 2 {
		t.Skip("one processor only")
	}
	tree := openTree(t, w)
	favour(t, tree)
	g, err := tree.Make("crowd", Limits{CPU: -1, CPUs: all[len(all)-2:]})
	must(t, err)
	p := start(t, g, "busy", 2)
	set := cpuSet(onlyCPU(t))
	waitFor(t, "all threads", func() bool { return len(threadsOf(p.Process.Pid)) > 3 })
	for _, tid := range threadsOf(p.Process.Pid) {
		must(t, unix.SchedSetaffinity(tid, &set))
	}
	keptBack(t, g, 0.5)
}

// testWaitedThrong: threads that are too many to be looked at are not, and what they
// waited is nobody's: their demand is six processors.
func testWaitedThrong(t *testing.T, w world) {
	if w.kind == Signals {
		t.Skip("the fallback knows each of its processes anyway")
	}
	tree := openTree(t, w)
	g, err := tree.Make("throng", Limits{CPU: 0.5, CPUs: []int{onlyCPU(t)}})
	must(t, err)
	start(t, g, "herd", mostLooked+64)
	waitFor(t, "all threads", func() bool { return usage(t, g).Procs > mostLooked })
	before := usage(t, g)
	after := before
	for after.CPU < before.CPU+200*time.Millisecond {
		time.Sleep(100 * time.Millisecond)
		after = usage(t, g)
	}
	if after.Waited != before.Waited {
		t.Errorf("of %d threads somebody knows that they waited %v", after.Procs, after.Waited-before.Waited)
	}
}

// keptBack looks how long a group that nobody is in the way of has waited, for every
// second that it had, and complains if it is more than that.
func keptBack(t *testing.T, g Group, most float64) {
	t.Helper()
	best := 0.0
	for i := range 20 { // others may be in the way, now and then
		before := usage(t, g)
		for after := before; after.CPU < before.CPU+400*time.Millisecond; after = usage(t, g) {
			time.Sleep(200 * time.Millisecond)
		}
		after := usage(t, g)
		ratio := (after.Waited - before.Waited).Seconds() / (after.CPU - before.CPU).Seconds()
		t.Logf("had %v, waited %v", after.CPU-before.CPU, after.Waited-before.Waited)
		if i == 0 || ratio < best {
			best = ratio
		}
		if best < most {
			return
		}
	}
	t.Errorf("at best it waited %.2f times as long as it ran", best)
}
