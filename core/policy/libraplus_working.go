package policy

import (
	"fmt"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// show says what the price on a processor was worked out from.
func (p *libraPlus) show(v book.View, j *market.Job, proc int, w *Working) {
	node := v.Node(proc)
	*w = Working{}
	w.add("rating", "", v.Rating(proc))
	w.add("PBase", "a second", p.base*float64(node.Base.Processor))
	deadline := j.SLA.Deadline.Finite()
	if deadline {
		w.add("RESMax", "s", float64(j.SLA.Deadline))
		w.add("RESCommitted", "s", p.committed[v.HouseOf(proc)])
	}
	freeMemory, freeDisk := v.FreeOn(proc)
	for _, s := range [...]struct {
		name              string
		base              market.Price
		wanted, all, free int64
	}{{"memory", node.Base.Memory, j.Memory, node.Memory, freeMemory}, {"disk", node.Base.Disk, j.Disk, node.Disk, freeDisk}} {
		// Of an endless window all is free: the amount has a price by time alone.
		if s.base <= 0 || s.wanted <= 0 || deadline && s.all == market.NoLimit || !deadline && p.stock != byTime {
			continue
		}
		unit := "a MB"
		if p.stock == byTime {
			unit = "a MB, for an hour"
		}
		w.add(s.name, "MB", float64(s.wanted))
		w.add(s.name+" price", unit, float64(s.base))
		if deadline {
			w.add(s.name+" max", "MB", float64(s.all))
			w.add(s.name+" free", "MB", float64(s.free))
		}
	}
}

// mostShown is for how many kinds of processors of a job it is shown what they cost.
const mostShown = 8

// showOthers says how many of the processors of a job cost what the dearest does,
// and what goes into the price of those that cost something else.
func (p *libraPlus) showOthers(v book.View, j *market.Job, dearest int, a *Answer) {
	type sort struct {
		Working
		n    int
		cost market.Price
	}
	var sorts []*sort
	left, rest := 0, market.Price(0)
	first := &sort{Working: a.Working, cost: p.costs[dearest]}
	sorts = append(sorts, first)
next:
	for proc := range a.Procs.All() {
		var w Working
		p.show(v, j, proc, &w)
		for _, s := range sorts {
			if s.Inputs == w.Inputs {
				s.n++
				continue next
			}
		}
		if len(sorts) == mostShown {
			left, rest = left+1, rest+p.costs[proc]
			continue
		}
		sorts = append(sorts, &sort{Working: w, n: 1, cost: p.costs[proc]})
	}
	more := []market.Input{{Name: "of this kind", Unit: "processors", Value: float64(first.n)}}
	for i, s := range sorts[1:] {
		more = append(more, market.Input{Name: fmt.Sprintf("of kind %d", i+2), Unit: "processors", Value: float64(s.n)})
		for k := range s.N {
			if in := s.Inputs[k]; in != first.Inputs[k] {
				more = append(more, market.Input{Name: fmt.Sprintf("%s of kind %d", in.Name, i+2), Unit: in.Unit, Value: in.Value})
			}
		}
	}
	if left > 0 {
		more = append(more, market.Input{Name: "others", Unit: fmt.Sprintf("for %d processors more", left), Value: float64(rest)})
	}
	a.Working.More = more
}
