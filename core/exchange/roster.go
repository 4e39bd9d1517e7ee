package exchange

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// node is a machine that has joined. A node that comes back with another shape
// is another one of the same name: its processors get new numbers.
type node struct {
	task.Hello

	First   int    `json:"first"` // number of its first processor
	Up      bool   `json:"up"`
	Why     string `json:"why,omitempty"`
	Retired bool   `json:"retired,omitempty"`

	Losses *losses `json:"losses,omitempty"` // nil: none

	tenants []*activeJob // who has tasks here, by number
	changed mark         // since somebody last asked for effects
	heardUS int64        // when it last said something
}

// addTenant notes that a job has tasks here.
func (n *node) addTenant(j *activeJob) {
	if i, here := n.tenant(j); !here {
		n.tenants = slices.Insert(n.tenants, i, j)
	}
}

// removeTenant notes that a job has none here any more.
func (n *node) removeTenant(j *activeJob) {
	if i, here := n.tenant(j); here {
		n.tenants = slices.Delete(n.tenants, i, i+1)
	}
}

func (n *node) tenant(j *activeJob) (int, bool) {
	return slices.BinarySearchFunc(n.tenants, j.ID, func(t *activeJob, id int64) int { return cmp.Compare(t.ID, id) })
}

// nodeList is all nodes that ever joined, in the order of their processors'
// numbers.
type nodeList []*node

// of is the index of the node of a processor.
func (r nodeList) of(proc int) int {
	return sort.Search(len(r), func(i int) bool { return r[i].First > proc }) - 1
}

// processorsUp counts the processors that can be had.
func (r nodeList) processorsUp() int {
	n := 0
	for _, node := range r {
		if node.Up {
			n += node.Processors
		}
	}
	return n
}

// processors is the number after that of the last processor.
func (r nodeList) processors() int {
	if len(r) == 0 {
		return 0
	}
	last := r[len(r)-1]
	return last.First + last.Processors
}

// speed is the work a second of all processors that are up.
func (r nodeList) speed() float64 {
	total := 0.0
	for _, n := range r {
		if n.Up {
			total += n.Rating * float64(n.Processors)
		}
	}
	return total
}

// batch is a node that is up where a batch system runs the tasks, if one is.
func (r nodeList) batch() *node {
	for _, n := range r {
		if n.Up && n.Runs != "" {
			return n
		}
	}
	return nil
}

// core is the nodes as the core sees them, at some base prices.
func (r nodeList) core(rates trade.Rates) []market.Node {
	nodes := make([]market.Node, len(r))
	for i, n := range r {
		nodes[i] = market.Node{
			Name: n.Node, Processors: n.Processors, Rating: n.Rating, Memory: n.MemoryMB, Disk: n.DiskMB,
			Base: rates.Base(),
		}
	}
	return nodes
}

// sound names the first thing about a node that makes no sense.
func sound(h *task.Hello) error {
	n := market.Node{Processors: h.Processors, Rating: h.Rating, Memory: h.MemoryMB, Disk: h.DiskMB}
	if h.Node == "" || len(h.Node) > trade.MaxName {
		return market.Wrong("node", "a name")
	}
	if err := n.Validate(); err != nil {
		return market.Wrong("node", err.Error())
	}
	if !(h.Speed >= h.Rating) {
		return market.Wrong("speed", "at least the rating")
	}
	return nil
}

// sameShape reports whether a node that comes back is what it was: a free disk
// fills, and a measured rating differs a little from time to time. What counts
// is then what it said first.
func sameShape(was, is *task.Hello) bool {
	const little = 0.1
	return was.Processors == is.Processors && math.Abs(is.Rating-was.Rating) <= little*was.Rating &&
		float64(is.MemoryMB) >= (1-little)*float64(was.MemoryMB)
}
