package slurm

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// An array has as many elements at a time as there are processors for: that, and the time in which
// all of them go through these, is what Slurm counts where it is one job there. Where each element is
// one, it counts them.

// asks is what a request of a user comes to in Slurm, where numbers of elements are less than most. The
// lock is held.
func (b *Backend) asks(user string, r *trade.Request, waits bool, most int) limit.Ask {
	processors, nodes := b.lanes(r)
	width, each := r.Width(processors)
	programs := int(width) / r.PerProgram()
	later := r.Later() || len(r.Follows()) > 0
	waits = waits || later
	elements, apart := 0, programs
	if r.Array != nil {
		if elements = programs; waits { // by then there may be more processors, and nodes
			elements, nodes = r.Array.AtATime(), programs
		}
		if apart = min(programs, max(1, nodes)); r.Array.Nodes > 0 {
			apart = min(apart, r.Array.Nodes)
		}
	}
	jobs, submits := 1, 1
	if b.sweeps(r, most) {
		jobs, submits, apart = max(1, elements), r.Array.Len(), 1
	}
	return limit.Ask{
		Jobs: jobs, Submits: submits,
		User: user, QOS: r.QOS, Reserved: r.Reservation != "", Processors: int(width), Programs: apart, MemoryMB: r.MemoryMB,
		GPUs: r.GPUs * programs, GPUKind: r.GPUKind,
		Licenses: licensesFor(r.Env, elements), Elements: elements, Waits: waits, Later: later,
		Open: r.DeadlineMS == 0,
		Time: max(time.Duration(r.DeadlineMS)*time.Millisecond, time.Duration(min(float64(each)*float64(time.Second), math.MaxInt64/2))),
	}
}

// lanes is how many processors there are for the elements of an array, as the market counts them,
// and on how many nodes. One that the market is being told of counts: it may have heard, and sell it. The
// lock is held.
func (b *Backend) lanes(r *trade.Request) (sum, nodes int) {
	if r.Array == nil {
		return 0, 0
	}
	on := *r
	if len(b.partitions()) == 1 { // then nodes are in none
		on.Partition = ""
	}
	where := on.Where()
	takes := where.Chooser()
	var sizes []int
	for _, n := range b.nodes {
		h := cmp.Or(n.coming, n.hello)
		if h == nil || n.membership != member && n.coming == nil {
			continue
		}
		if shape := (market.Node{Name: h.Node, Features: h.Features, Partition: h.Partition, Reserved: h.Reserved}); where == nil && r.PerProgram() == 1 || takes(&shape) && where.Admits(&shape) {
			sizes = append(sizes, h.Processors-h.Processors%r.PerProgram())
		}
	}
	slices.Sort(sizes)
	if nodes = len(sizes); r.Array.Nodes > 0 {
		sizes = sizes[max(0, nodes-r.Array.Nodes):] // the largest
	}
	for _, size := range sizes {
		sum += size
	}
	return sum, nodes
}
