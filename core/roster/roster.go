package roster

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Roster is all nodes that ever joined, in the order of their processors' numbers.
type Roster struct {
	nodes   []*Node
	byName  map[string]int // the latest of a name
	marked  []*Node
	census  *Census               // nil: to be counted
	changed bool                  // since it was asked last
	shut    map[market.Where]bool // whether all nodes are closed to jobs that may be there, of those that asked
	parts   map[string]*Census    // by partition, of those that were
	places  places
}

// New is one that nobody has joined.
func New() *Roster { return &Roster{byName: map[string]int{}} }

// Restore is the roster of nodes that were written down.
func Restore(nodes []*Node) (*Roster, error) {
	r := New()
	r.nodes = nodes
	for i, n := range nodes {
		if n == nil {
			return nil, fmt.Errorf("node %d is missing", i)
		}
		if !n.Retired {
			r.byName[n.Node] = i
		}
	}
	return r, nil
}

// Len is how many there are.
func (r *Roster) Len() int { return len(r.nodes) }

// At is the node of an index.
func (r *Roster) At(index int) *Node { return r.nodes[index] }

// All are the nodes, by index. The list is the roster's.
func (r *Roster) All() []*Node { return r.nodes }

// Named is the index of the latest node of a name.
func (r *Roster) Named(name string) (index int, known bool) {
	index, known = r.byName[name]
	return index, known
}

// Names are those of the nodes that have not retired, in order.
func (r *Roster) Names() []string { return slices.Sorted(maps.Keys(r.byName)) }

// Same reports whether a node is known and comes in the shape that it had.
func (r *Roster) Same(h *task.Hello) bool {
	index, known := r.byName[h.Node]
	return known && sameShape(&r.nodes[index].Hello, h)
}

// Add appends a node, and says how that is undone. It has its name when it is named
// so (Name): until then another may have it.
func (r *Roster) Add(h *task.Hello) (undo func()) {
	first := 0
	if n := len(r.nodes); n > 0 {
		first = r.nodes[n-1].First + r.nodes[n-1].Processors
	}
	r.nodes = append(r.nodes, &Node{Hello: *h, Up: true, First: first})
	r.recount()
	return func() {
		r.nodes = r.nodes[:len(r.nodes)-1]
		r.recount()
	}
}

// Name gives the last node that was added its name: its index. It answers for what
// was lost on the one that had it.
func (r *Roster) Name() int {
	last := len(r.nodes) - 1
	if before, known := r.byName[r.nodes[last].Node]; known {
		r.nodes[last].Losses = r.nodes[before].Losses
	}
	r.byName[r.nodes[last].Node] = last
	return last
}

// Of is the index of the node of a processor.
func (r *Roster) Of(proc int) int {
	return sort.Search(len(r.nodes), func(i int) bool { return r.nodes[i].First > proc }) - 1
}

// ProcessorsUp counts the processors that can be had.
func (r *Roster) ProcessorsUp() int { return r.Census().Processors }

// Speed is the work a second of all processors that are up.
func (r *Roster) Speed() float64 {
	total := 0.0
	for _, n := range r.nodes {
		if n.Up {
			total += n.Rating * float64(n.Processors)
		}
	}
	return total
}

// SpeedOfAll is that of all that belong to the market, whether or not they are up.
func (r *Roster) SpeedOfAll() float64 {
	total := 0.0
	for _, n := range r.nodes {
		if !n.Retired {
			total += n.Rating * float64(n.Processors)
		}
	}
	return total
}

// Batch is a node that is up where a batch system runs the tasks, if one is.
func (r *Roster) Batch() *Node { return r.Census().batch }

// Up lists the nodes that should be heard of, by name.
func (r *Roster) Up() []string {
	var up []string
	for name, index := range r.byName {
		if r.nodes[index].Up {
			up = append(up, name)
		}
	}
	slices.Sort(up)
	return up
}

// Core is the nodes as the core sees them, at some base prices.
func (r *Roster) Core(base market.Rates) []market.Node {
	nodes := make([]market.Node, len(r.nodes))
	for i, n := range r.nodes {
		nodes[i] = n.Core(base)
	}
	return nodes
}
