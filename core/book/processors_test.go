package book

import (
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// mixedNodes are nodes of two, three and one processors that differ in one thing each.
func mixedNodes() []market.Node {
	all := []market.Node{market.Plain(), market.Plain(), market.Plain()}
	all[0].Processors, all[1].Processors, all[2].Processors = 2, 3, 1
	return all
}

// What nodes have is known of each, whichever of them has it, and where none has it nothing is
// counted.
func TestWhatNodesHave(t *testing.T) {
	for i := range 3 {
		plain := newProcessors(market.Each(mixedNodes()))
		if plain.rating != nil || plain.memory != nil || plain.gpus.free != nil || plain.rates || plain.aside {
			t.Fatalf("of plain nodes something is counted: %+v", plain)
		}
		if !slices.Equal(plain.first, []int32{0, 2, 5}) || !slices.Equal(plain.nodeOf, []int32{0, 0, 1, 1, 1, 2}) || plain.idleN != 6 || plain.upN != 6 {
			t.Fatalf("%v and %v, %d idle and %d up", plain.first, plain.nodeOf, plain.idleN, plain.upN)
		}
		nodes := mixedNodes()
		nodes[i].GPUs = 4
		if p := newProcessors(market.Each(nodes)); len(p.gpus.free) != 3 || p.gpus.free[i] != 4 || p.rates || p.rating != nil || p.memory != nil {
			t.Errorf("GPUs of node %d: %v", i, p.gpus.free)
		}
		nodes = mixedNodes()
		nodes[i].Base.Processor = 9
		if p := newProcessors(market.Each(nodes)); !p.rates || p.gpus.free != nil {
			t.Errorf("node %d sells at other rates", i)
		}
		nodes = mixedNodes()
		nodes[i].Rating = 3
		p := newProcessors(market.Each(nodes))
		for proc := range 6 {
			if want := nodes[p.nodeOf[proc]].Rating; p.slowest(market.ProcsOf(proc)) != want {
				t.Errorf("node %d is fast: processor %d is of rating %v, want %v", i, proc, p.slowest(market.ProcsOf(proc)), want)
			}
		}
	}
	all := market.Plain()
	all.Base.Processor, all.Processors = 9, 2
	if p := newProcessors(market.Alike(all, 3)); p.rates {
		t.Error("nodes that all sell at the same rates differ in them")
	}
}

// As many programs are on a node as it has GPUs for, each with all its threads.
func TestRoomForPrograms(t *testing.T) {
	n := market.Plain()
	n.Processors, n.GPUs = 8, 4
	p := newProcessors(market.Each([]market.Node{n}))
	for _, c := range []struct {
		gpus    int32
		threads int32
		want    int
	}{{1, 0, 4}, {2, 1, 2}, {4, 0, 1}, {5, 0, 0}, {2, 2, 4}, {2, 3, 6}, {4, 8, 8}} {
		if got := p.roomNow(0, &market.Job{GPUs: c.gpus, Threads: c.threads}); got != c.want {
			t.Errorf("%d GPUs for each %d: room for %d, want %d", c.gpus, c.threads, got, c.want)
		}
	}
}

// Processors of one node alone are counted, given, taken away and brought back with it: those
// before it and behind it are others'.
func TestProcessorsOfANode(t *testing.T) {
	idle := func(p *processors) (which []int) {
		for proc := range len(p.nodeOf) {
			if p.idle.has(proc) {
				which = append(which, proc)
			}
		}
		if len(which) != p.idleN {
			t.Errorf("%d are idle, and counted %d", len(which), p.idleN)
		}
		return which
	}
	p := newProcessors(market.Each(mixedNodes()))
	pairs := &market.Job{Width: 2, Threads: 2}
	if got := []int{p.idleOn(0, pairs), p.idleOn(1, pairs), p.idleOn(2, pairs)}; !slices.Equal(got, []int{2, 2, 0}) {
		t.Errorf("two at a time: %v", got)
	}
	if one := (&market.Job{Width: 1}); p.idleOn(0, one) != 2 || p.idleOn(1, one) != 3 || p.idleOn(2, one) != 1 {
		t.Error("idle processors of another node are counted, or not all")
	}
	var given []int
	for proc := range p.allocateIdle(&market.Job{Width: 4, Threads: 2}, nil).All() {
		given = append(given, proc)
	}
	if !slices.Equal(given, []int{0, 1, 2, 3}) || !slices.Equal(idle(&p), []int{4, 5}) {
		t.Errorf("given %v, left %v", given, idle(&p))
	}
	if one := (&market.Job{Width: 1}); p.idleOn(0, one) != 0 || p.idleOn(1, one) != 1 || p.idleOn(2, one) != 1 {
		t.Error("what is left on a node is counted with the next, or not at all")
	}
	for name, turn := range map[string]func(p *processors, away bool){
		"down":   func(p *processors, away bool) { p.setDown(1, away) },
		"closed": func(p *processors, away bool) { p.setClosed(1, away, nil) },
	} {
		p := newProcessors(market.Each(mixedNodes()))
		if turn(&p, true); !slices.Equal(idle(&p), []int{0, 1, 5}) || p.upN != 3 {
			t.Errorf("%s: %v are idle, %d up", name, idle(&p), p.upN)
		}
		if turn(&p, false); !slices.Equal(idle(&p), []int{0, 1, 2, 3, 4, 5}) || p.upN != 6 {
			t.Errorf("%s, and back: %v are idle, %d up", name, idle(&p), p.upN)
		}
	}
}
