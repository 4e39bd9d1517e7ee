package underway

import (
	"testing"

	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// What a program of several processors has declined is by all of them: work counts on
// each, and its processor time for all together.
func TestWhatAProgramHasDeclined(t *testing.T) {
	j := &Job{}
	j.Request.Threads = 3
	r := &Rank{Task: meter.Task{Had: 8, CPUUS: 5e6}}
	if got := j.DeclinedUS(r, 2); got != 7e6 { // 8 of work at speed 2 are 4 s on each of 3
		t.Errorf("%d", got)
	}
	r.SaidUS = 20e6
	if got := j.DeclinedUS(r, 2); got != 15e6 {
		t.Errorf("by what was said: %d", got)
	}
	r.Status = &task.Status{DeclinedUS: 3}
	if got := j.DeclinedUS(r, 2); got != 3 {
		t.Errorf("at its end: %d", got)
	}
}

// GPUs are free when enough of the kind that is asked for have been given back for all
// programs, on nodes where they can be.
func TestWhenGPUsAreFree(t *testing.T) {
	node := func(gpus int, kind string) *roster.Node {
		n := &roster.Node{Up: true}
		n.Processors, n.GPUs, n.GPUKind = 8, gpus, kind
		return n
	}
	nodes := []*roster.Node{node(2, "a"), node(4, "b")}
	b := NewBook()
	add := func(id, due int64, node, gpus, threads int, kind string) {
		j := &Job{}
		j.ID, j.DueUS, j.Request.GPUs, j.Request.GPUKind, j.Request.Threads = id, due, gpus, kind, threads
		j.Ranks = make([]Rank, threads)
		for i := range j.Ranks {
			j.Ranks[i].Node = node
		}
		b.Add(j)
	}
	add(1, 10, 0, 2, 2, "a")
	add(2, 20, 1, 2, 1, "b")
	add(3, 30, 1, 2, 1, "")
	for _, c := range []struct {
		gpus, procs, threads int
		kind                 string
		want                 int64
	}{
		{1, 1, 1, "a", 10}, {2, 1, 1, "b", 20}, {4, 1, 1, "b", 30}, {2, 4, 2, "", 20}, {2, 6, 2, "", 30}, {2, 3, 3, "", 10}, {5, 1, 1, "", 0},
	} {
		r := &trade.Request{GPUs: c.gpus, GPUKind: c.kind, Processors: c.procs, Threads: c.threads}
		if got := b.GPUsFree(nodes, r); got != c.want {
			t.Errorf("%+v: free at %d", c, got)
		}
	}
}

// GPUs of nodes that take no jobs, or none of those, are not free for it, ever.
func TestGPUsOfNodesThatItMayBeOn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*roster.Node)
		asks   trade.Request
		want   int64
	}{
		"any":                {want: 10},
		"down":               {change: func(n *roster.Node) { n.Up = false }},
		"closed":             {change: func(n *roster.Node) { n.Closed = true }},
		"set aside":          {change: func(n *roster.Node) { n.Reserved = "course" }},
		"set aside for it":   {change: func(n *roster.Node) { n.Reserved = "course" }, asks: trade.Request{Reservation: "course"}, want: 10},
		"not set aside":      {asks: trade.Request{Reservation: "course"}},
		"excluded":           {asks: trade.Request{Exclude: []string{"n1"}}},
		"another's":          {change: func(n *roster.Node) { n.Withheld = 1 }},
		"of its partition":   {change: func(n *roster.Node) { n.Partition = "fast" }, asks: trade.Request{Partition: "fast"}, want: 10},
		"of another of them": {change: func(n *roster.Node) { n.Partition = "slow" }, asks: trade.Request{Partition: "fast"}},
	} {
		n := &roster.Node{Up: true}
		n.Node, n.Processors, n.GPUs = "n1", 8, 2
		if c.change != nil {
			c.change(n)
		}
		b, holds := NewBook(), &Job{Ranks: []Rank{{}}}
		holds.ID, holds.DueUS, holds.Request.GPUs = 1, 10, 1
		b.Add(holds)
		c.asks.GPUs, c.asks.Processors = 2, 1
		if got := b.GPUsFree([]*roster.Node{n}, &c.asks); got != c.want {
			t.Errorf("%s: free at %d, want %d", name, got, c.want)
		}
	}
}

// A job is on nodes that there are, and so is what it leaves.
func TestAJobFitsItsNodes(t *testing.T) {
	for _, c := range []struct {
		ranks   []Rank
		leaving *Leaving
		fits    bool
	}{
		{[]Rank{{Node: 0}, {Node: 1}}, nil, true},
		{[]Rank{{Node: 2}}, nil, false},
		{[]Rank{{Node: -1}}, nil, false},
		{nil, &Leaving{Nodes: []int{1}, Ranks: []int{0}}, true},
		{nil, &Leaving{Nodes: []int{2}}, false},
		{nil, &Leaving{Nodes: []int{-1}}, false},
		{nil, &Leaving{Nodes: []int{0}, Ranks: []int{1}}, false},
		{nil, &Leaving{Nodes: []int{0}, Ranks: []int{-1}}, false},
	} {
		j := &Job{Ranks: c.ranks, Leaving: c.leaving}
		if _, fits := j.Fits(2); fits != c.fits {
			t.Errorf("%+v", c)
		}
	}
}
