package roster

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Node is a machine that has joined. A node that comes back with another shape
// is another one of the same name: its processors get new numbers.
type Node struct {
	task.Hello

	First   int    `json:"first"` // number of its first processor
	Up      bool   `json:"up"`
	Why     string `json:"why,omitempty"`
	Retired bool   `json:"retired,omitempty"`
	Closed  bool   `json:"closed,omitempty"` // it is up, and takes no new jobs; Why says why

	Withheld int `json:"withheld,omitempty"` // GPUs that are somebody else's, who is none of the market's

	AheadUS int64 `json:"ahead_us,omitempty"` // it is somebody else's from then on; 0: nobody has said so

	Losses *Losses `json:"losses,omitempty"` // nil: none

	HeardUS int64 `json:"-"` // when it last said something

	tenants []int64 // the jobs that have tasks here, by number
	changed Mark    // since somebody last asked
}

// Tenants are the jobs that have tasks here, by number. The list is the node's.
func (n *Node) Tenants() []int64 { return n.tenants }

// AddTenant notes that a job has tasks here.
func (n *Node) AddTenant(job int64) {
	if i, here := slices.BinarySearch(n.tenants, job); !here {
		n.tenants = slices.Insert(n.tenants, i, job)
	}
}

// RemoveTenant notes that a job has none here any more.
func (n *Node) RemoveTenant(job int64) {
	if i, here := slices.BinarySearch(n.tenants, job); here {
		n.tenants = slices.Delete(n.tenants, i, i+1)
	}
}

// Core is the node as the core sees it, at some base prices.
func (n *Node) Core(base market.Rates) market.Node {
	return market.Node{
		Name: n.Node, Processors: n.Processors, Rating: n.Rating, Memory: n.MemoryMB, Disk: n.DiskMB,
		GPUs: n.GPUs, GPUKind: n.GPUKind, Features: n.Features, Partition: n.Partition, Reserved: n.Reserved, Base: base,
	}
}

// maxName bounds the name of a node, in bytes.
const maxName = 128

// Sound names the first thing about a node that makes no sense.
func Sound(h *task.Hello) error {
	n := market.Node{Processors: h.Processors, Rating: h.Rating, Memory: h.MemoryMB, Disk: h.DiskMB, GPUs: h.GPUs, GPUKind: h.GPUKind}
	if h.Node == "" || len(h.Node) > maxName {
		return market.Wrong("node", "a name")
	}
	if err := n.Validate(); err != nil {
		return market.Wrong("node", err.Error())
	}
	if err := market.CheckFeatures(h.Features); err != nil {
		return err
	}
	if h.Partition != "" && !market.Word(h.Partition) {
		return market.Wrong("partition", "a word of letters, digits, - _ and .")
	}
	if h.Reserved != "" && !market.Word(h.Reserved) {
		return market.Wrong("reserved", "a word of letters, digits, - _ and .")
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
	return was.GPUs == is.GPUs && was.GPUKind == is.GPUKind && alike(was, is)
}

// labels are what a node says of itself that jobs ask for by name, and that may change while
// all else stays.
type labels struct{ features, partition, reserved string }

func labelsOf(h *task.Hello) labels { return labels{h.Features, h.Partition, h.Reserved} }

// on gives a node these labels.
func (l labels) on(h *task.Hello) {
	h.Features, h.Partition, h.Reserved = l.features, l.partition, l.reserved
}

// alike is the same but for GPUs.
func alike(was, is *task.Hello) bool {
	const little = 0.1
	return was.Processors == is.Processors && math.Abs(is.Rating-was.Rating) <= little*was.Rating &&
		float64(is.MemoryMB) >= (1-little)*float64(was.MemoryMB)
}
