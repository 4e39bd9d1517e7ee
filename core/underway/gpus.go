package underway

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
)

// GPUsFree is when the GPUs that a request asks for are free at the latest, if those who
// hold them are done as was promised; 0: nobody knows. What others than jobs have of a node
// stays with them, for all that is known.
func (b *Book) GPUsFree(nodes []*roster.Node, r *trade.Request) int64 {
	type release struct {
		at   int64
		node int
		gpus int64
	}
	where := r.Where()
	free, takes := make([]int64, len(nodes)), where.Chooser()
	for i, n := range nodes {
		if shape := n.Core(market.Rates{}); n.Up && !n.Closed && where.Admits(&shape) && takes(&shape) {
			free[i] = min(shape.OfKind(r.GPUKind), int64(n.GPUs-n.Withheld))
		}
	}
	var ends []release
	for _, id := range b.IDs() {
		j := b.Find(id)
		if j.Request.GPUKind != "" && r.GPUKind != "" && j.Request.GPUKind != r.GPUKind {
			continue
		}
		for rank := range j.Ranks {
			gpus := int64(j.GPUsOf(rank))
			if at := cmp.Or(j.PromisedUS, j.DueUS); gpus > 0 && at > 0 {
				ends = append(ends, release{at, j.Ranks[rank].Node, gpus})
			}
			free[j.Ranks[rank].Node] -= gpus
		}
	}
	slices.SortStableFunc(ends, func(a, b release) int { return cmp.Compare(a.at, b.at) })
	for i := range ends {
		free[ends[i].node] += ends[i].gpus
		programs := int64(0)
		for _, n := range free {
			programs += max(0, n) / int64(r.GPUs)
		}
		if programs >= int64(r.Procs()/r.PerProgram()) && (i+1 == len(ends) || ends[i+1].at > ends[i].at) {
			return ends[i].at
		}
	}
	return 0
}
