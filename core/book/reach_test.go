package book

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// Whatever a job asks for, the book says of it what asking every node would say: whether the
// cluster could hold it, how many idle processors it could have and which it is given, and when
// there will be enough.
func TestEveryNodeNeedNotBeAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SliceOfN(rapid.Custom(drawNode), 1, 70).Draw(t, "nodes")
		b := New(market.Each(nodes))
		d := NewDraft(b)
		v := b.View()
		var running []Slot
		for id := range market.JobID(rapid.IntRange(1, 40).Draw(t, "jobs")) {
			b.Tick(b.now + market.Time(rapid.IntRange(0, 3).Draw(t, "pause")))
			change(t, b, &running)
			j := drawJob(t)
			j.ID = id
			if could := everyNodeCould(b, &j); v.CouldHold(&j) != could {
				t.Fatalf("%+v: the cluster could hold it: %v", j, !could)
			}
			idle := everyNodeIdle(&b.processors, &j)
			for _, n := range []int{1, idle, idle + 1, int(j.Width)} {
				if v.HasIdle(&j, n) != (idle >= n) && v.Choosy(&j) {
					t.Fatalf("%+v: %d idle ones for it: %v, of %d", j, n, idle < n, idle)
				}
			}
			if at, then := v.Shadow(&j); v.Choosy(&j) {
				if wantAt, want := everyNodeShadow(b, &j); at != wantAt || then != want {
					t.Fatalf("%+v: enough at %v, %d idle then, want %v, %d", j, at, then, wantAt, want)
				}
			}
			if v.HasIdle(&j, int(j.Width)) {
				want := firstIdle(b, &j)
				s := b.Add(&j)
				b.Wait(s, Terms{Latest: market.Never})
				d.Start(s)
				if got := writeProcs(b.Entry(s).Procs); got != want {
					t.Fatalf("%+v: is given %s, want %s", j, got, want)
				}
				running = append(running, s)
			}
		}
	})
}

// change lets somebody end, or something happen to a node.
func change(t *rapid.T, b *Book, running *[]Slot) {
	node := rapid.IntRange(0, b.nodes.Len()-1).Draw(t, "node")
	switch rapid.IntRange(0, 5).Draw(t, "first") {
	case 0, 1:
		if n := len(*running); n > 0 {
			i := rapid.IntRange(0, n-1).Draw(t, "who ends")
			b.Remove((*running)[i])
			*running = slices.Delete(*running, i, i+1)
		}
	case 2:
		b.SetClosed(node, !b.Closed(node))
	case 3:
		if len(b.HeldOn(node)) == 0 {
			b.SetDown(node, !b.down[node])
		}
	case 4:
		b.Withhold(node, int64(rapid.IntRange(0, 3).Draw(t, "withheld")))
	}
}

func drawNode(t *rapid.T) market.Node {
	n := market.Plain()
	n.Name = fmt.Sprintf("n%d", rapid.IntRange(0, 9).Draw(t, "name"))
	n.Processors = rapid.IntRange(1, 70).Draw(t, "processors") // a node may lie in several words, and a word have several nodes
	if rapid.Bool().Draw(t, "small") {
		n.Processors = n.Processors%5 + 1
	}
	n.Memory = int64(rapid.IntRange(0, 9).Draw(t, "memory"))
	n.Features = rapid.SampledFrom([]string{"", "fast", "fast,ib"}).Draw(t, "features")
	n.Partition = rapid.SampledFrom([]string{"", "p1", "p2"}).Draw(t, "partition")
	n.Reserved = rapid.SampledFrom([]string{"", "", "course"}).Draw(t, "reserved")
	n.GPUs = rapid.IntRange(0, 4).Draw(t, "gpus")
	n.GPUKind = rapid.SampledFrom([]string{"", "a100"}).Draw(t, "kind")
	if n.GPUs == 3 {
		n.GPUKind = "a100:1,v100:1"
	}
	return n
}

func drawJob(t *rapid.T) market.Job {
	one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	j := market.Job{
		Threads: int32(rapid.IntRange(0, 3).Draw(t, "threads")), Spread: one("spread", "", "", "yes") != "",
		Memory: int64(rapid.IntRange(0, 3).Draw(t, "memory of a job")), GPUs: int32(rapid.IntRange(0, 2).Draw(t, "gpus of a job")),
		Estimate: market.Work(rapid.IntRange(1, 9).Draw(t, "estimate")),
	}
	j.Width = max(1, j.Threads) * int32(rapid.IntRange(1, 5).Draw(t, "programs"))
	if j.GPUs > 0 {
		j.GPUKind = one("kind of a job", "", "a100", "v100")
	}
	if rapid.Bool().Draw(t, "anywhere") {
		return j
	}
	j.Where = &market.Where{
		Nodes: one("on", "", "", "n1", "n2,n3,n3", "n4,nowhere"), Exclude: one("not on", "", "", "n3,n5"),
		Constraint: one("constraint", "", "", "fast", "fast&ib", "ib|gold"), Partition: one("in", "", "", "p1", "p3"), Reservation: one("aside", "", "", "course"),
	}
	return j
}

func everyNodeCould(b *Book, j *market.Job) bool {
	held := 0
	for node := range b.nodes.Len() {
		if everyNodeMay(b, node, j) {
			held += j.Whole(b.roomEver(node, j))
		}
	}
	return held >= int(j.Width)
}

// everyNodeMay reads what a job says of nodes, and remembers nothing.
func everyNodeMay(b *Book, node int, j *market.Job) bool {
	if j.Where == nil {
		return true
	}
	for _, name := range j.Where.Names() {
		if !slices.ContainsFunc(b.nodes.Kinds(), func(n market.Node) bool { return n.Name == name }) {
			return false
		}
	}
	return j.Where.Takes(b.nodes.At(node))
}

func everyNodeIdle(p *processors, j *market.Job) (free int) {
	for node := range p.nodes.Len() {
		idle := 0
		for proc, on := range p.nodeOf {
			if int(on) == node && p.idle.has(proc) {
				idle++
			}
		}
		free += j.Whole(min(idle, p.roomNow(node, j)))
	}
	return free
}

func firstIdle(b *Book, j *market.Job) string {
	if !b.choosy(j) {
		j = &market.Job{Width: j.Width}
	}
	var procs market.Procs
	want := int(j.Width)
	for node := 0; want > 0; node++ {
		p := b.processors
		take := 0
		for proc, on := range p.nodeOf {
			if int(on) == node && p.idle.has(proc) {
				take++
			}
		}
		take = min(want, j.Whole(min(take, p.roomNow(node, j))))
		want -= take
		for proc := int(p.first[node]); take > 0; proc++ {
			if p.idle.has(proc) {
				procs = procs.Add(proc)
				take--
			}
		}
	}
	return writeProcs(procs)
}

// everyNodeShadow plays all ends forward, and asks every node after each.
func everyNodeShadow(b *Book, j *market.Job) (market.Time, int) {
	then := b.processors
	then.idle = bitset{words: slices.Clone(b.idle.words), summary: slices.Clone(b.idle.summary)}
	then.memory, then.disk, then.gpus = slices.Clone(b.memory), slices.Clone(b.disk), b.gpus.clone()
	for _, chunk := range b.ends.chunks {
		for _, x := range chunk.items {
			s, _ := b.register.find(x.id)
			then.deallocate(b.slots.at(s).Procs, &b.slots.at(s).Job)
			if everyNodeIdle(&then, j) >= int(j.Width) {
				return max(b.now, x.at), then.idleN
			}
		}
	}
	return market.Never, b.idleN
}

// What is counted of a set is counted whichever words it lies in.
func TestCountOfABitset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 200
		s, in := newBitset(n), map[int]bool{}
		for _, i := range rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, "members") {
			s.set(i)
			in[i] = true
		}
		from, to := rapid.IntRange(0, n).Draw(t, "from"), rapid.IntRange(0, n).Draw(t, "to")
		want := 0
		for i := range in {
			if i >= from && i < to {
				want++
			}
		}
		if got := s.count(from, to); got != want {
			t.Fatalf("%d from %d to %d, want %d of %v", got, from, to, want, in)
		}
	})
}

// A job that asks for GPUs where nobody has any is held nowhere, and waits for ever.
func TestGPUsWhereThereAreNone(t *testing.T) {
	b := New(market.Alike(market.Plain(), 3))
	d, v := NewDraft(b), b.View()
	b.Tick(0)
	s := b.Add(&market.Job{ID: 1, Width: 1, Estimate: 1})
	b.Wait(s, Terms{})
	d.Start(s)
	j := &market.Job{ID: 2, Width: 1, GPUs: 1, Estimate: 1}
	if at, _ := v.Shadow(j); v.CouldHold(j) || v.HasIdle(j, 1) || float64(at) < math.MaxFloat64 && at.Finite() {
		t.Errorf("it could be held, or there is room for it, now or at %v", at)
	}
}
