package exchange

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/trade"
)

// An answer lists so many processors one by one, of all nodes together and of one
// node: it must not grow with what nodes announce. Of the others it has the sums.
const (
	mostLoads       = 1 << 14
	mostLoadsOfNode = 1 << 12
)

// Nodes lists the nodes that have joined and what runs on them.
func (x *teller) Nodes() []trade.NodeView {
	var views []trade.NodeView
	at := map[int]int{}
	left := mostLoads
	for _, name := range x.nodes.Names() {
		index, _ := x.nodes.Named(name)
		v := x.nodeView(index)
		listed := min(v.Processors, left, mostLoadsOfNode)
		left -= listed
		v.More = v.Processors - listed
		v.Loads = make([]trade.ProcessorView, listed)
		for i := range v.Loads {
			v.Loads[i].Jobs = []trade.Tenant{}
		}
		at[v.Index] = len(views)
		views = append(views, v)
	}
	for _, l := range x.taken() {
		i, here := at[l.node]
		if !here {
			continue
		}
		v := &views[i]
		v.FreeMB -= l.memoryMB
		v.FreeGPUs = max(0, v.FreeGPUs-l.gpus) // others may have what was sold
		if v.More > 0 {
			v.Given += min(1, l.Share)
			v.Kept += min(1, l.Kept)
		}
		if l.processor < len(v.Loads) {
			v.Loads[l.processor] = l.ProcessorView
		}
	}
	return views
}

// nodeView is what a node is, without what runs there.
func (x *teller) nodeView(index int) trade.NodeView {
	n := x.nodes.At(index)
	return trade.NodeView{Hello: n.Hello, Index: index, Up: n.Up, Why: n.Why, Closed: n.Closed, Rates: x.rates, Loads: []trade.ProcessorView{}, FreeMB: n.MemoryMB, FreeGPUs: n.GPUs - n.Withheld, OthersGPUs: n.Withheld}
}

// takenProcessor is a processor on which something runs.
type takenProcessor struct {
	trade.ProcessorView

	node, processor int
	memoryMB        int64
	gpus            int
}

// taken lists the processors that jobs under way hold, by node and number: as many
// as there are tasks, however many processors there are.
func (x *teller) taken() []takenProcessor {
	type place struct{ node, processor int }
	var list []takenProcessor
	at := map[place]int{}
	for _, id := range x.jobs.IDs() {
		j := x.jobs.Find(id)
		stand, _ := x.standing(j)
		for i := range j.Ranks {
			r := &j.Ranks[i]
			where := place{r.Node, r.Processor}
			k, known := at[where]
			if !known {
				k = len(list)
				at[where] = k
				list = append(list, takenProcessor{node: r.Node, processor: r.Processor})
			}
			p, rating := &list[k], x.nodes.At(r.Node).Rating
			share := r.Speed / rating
			p.Share += share
			p.Kept += min(1, max(stand, 0)/rating)
			p.Jobs = append(p.Jobs, trade.Tenant{Job: j.ID, Owner: j.Owner, Name: j.Name, Share: share, DueUS: j.DueUS})
			p.memoryMB += j.Request.MemoryMB
			p.gpus += j.GPUsOf(i)
		}
	}
	slices.SortFunc(list, func(a, b takenProcessor) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.processor, b.processor))
	})
	return list
}
