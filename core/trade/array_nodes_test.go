package trade_test

import (
	"testing"

	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// An array that is on so many nodes at most is asked for in as many blocks, each of which is on one
// node, and has the GPUs of all its elements there.
func TestAnArrayOnSomeNodes(t *testing.T) {
	for _, c := range []struct {
		nodes, threads, limit, processors int
		width, block                      int32 // 0: its elements are wherever processors are
	}{
		{0, 0, 0, 8, 8, 0},
		{1, 0, 0, 8, 8, 8},
		{1, 0, 3, 8, 3, 3},
		{1, 0, 1, 8, 1, 0},
		{1, 0, 0, 20, 10, 10},
		{2, 0, 0, 8, 8, 4},
		{2, 0, 0, 7, 6, 3},
		{3, 0, 0, 5, 3, 0},
		{9, 0, 0, 5, 5, 0},
		{1, 2, 0, 8, 8, 8},
		{2, 2, 0, 12, 12, 6},
		{2, 2, 0, 4, 4, 2},
	} {
		r := trade.Request{EstimateMS: 1000, Threads: c.threads, GPUs: 2, Array: &trade.Array{First: 1, Last: 10, Step: 1, Limit: c.limit, Nodes: c.nodes}}
		j := r.Asked(1, "eve", 0, c.processors)
		each := int32(max(1, c.threads))
		block := max(c.block, int32(c.threads))
		if j.Width != c.width || j.Threads != block || j.GPUs != 2*max(1, block/each) || j.Validate() != nil {
			t.Errorf("%+v: %d processors by %d with %d GPUs, %v", c, j.Width, j.Threads, j.GPUs, j.Validate())
		}
		for before := j.Width; j.Width > each; before = j.Width {
			if trade.Narrow(&j, &r); j.Width >= before || j.Validate() != nil || c.nodes == 1 && j.Width > each && j.Threads != j.Width || j.GPUs != 2*max(1, j.Threads/each) {
				t.Fatalf("%+v: of %d processors %d by %d with %d GPUs, %v", c, before, j.Width, j.Threads, j.GPUs, j.Validate())
			}
		}
	}
	if bad := (&trade.Request{EstimateMS: 1, Array: &trade.Array{Nodes: -1}}).ValidateTerms(); bad == nil {
		t.Error("on fewer nodes than none")
	}
}

// As many processors count for it as the largest of so many nodes have.
func TestLanesOfAnArrayOnSomeNodes(t *testing.T) {
	nodes := roster.New()
	for name, n := range map[string]int{"a": 4, "b": 7, "c": 4, "d": 2} {
		nodes.Add(&task.Hello{Node: name, Processors: n, Rating: 1, Speed: 1})
		nodes.Raise(nodes.Name())
	}
	for _, c := range []struct{ on, threads, want int }{{0, 0, 17}, {1, 0, 7}, {2, 0, 11}, {3, 0, 15}, {9, 0, 17}, {1, 2, 6}, {2, 2, 10}, {2, 5, 5}} {
		r := trade.Request{Threads: c.threads, Array: &trade.Array{Last: 99, Nodes: c.on}}
		if got := r.Lanes(nodes); got != c.want {
			t.Errorf("on %d nodes, %d each: %d, want %d", c.on, c.threads, got, c.want)
		}
	}
}
