package sim

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// GPUs sells the GPUs of a world beside what its policy sells, as a live market does:
// whatever the policy is, a job pays for those it holds by the clock. Of its budget the
// policy is told what is left when they are paid for as long as the job may hold them.
// That is its price for them; it owes the time in which it did hold them, and no more
// than that price.
type GPUs struct {
	world      World
	nodes      market.Nodes
	timeShared bool
	rates      *trade.Rates // of partitions
	hired      map[market.JobID]*hired
	inputs     []market.Event // scratch
	refused    []market.Event // scratch
	event      market.Event   // scratch: as it is shown
	record     market.Record  // scratch
}

// hired is a job with GPUs that is there.
type hired struct {
	spec market.Job // as its user submitted it
	rate market.Price
	most market.Price // for all the time in which it may hold them
}

// SellGPUs has a world sell the GPUs of its nodes, at the factors of their partitions, under a
// policy that shares processors by time or does not; false: they cost nothing, and there is
// nothing to do.
func SellGPUs(w World, nodes market.Nodes, timeShared bool, partitions *trade.Rates) (*GPUs, bool) {
	g := &GPUs{world: w, nodes: nodes, timeShared: timeShared, rates: partitions, hired: map[market.JobID]*hired{}}
	if g.rates == nil {
		g.rates = &trade.Rates{}
	}
	for i := range nodes.Kinds() {
		if n := &nodes.Kinds()[i]; n.GPUs > 0 && n.Base.GPUPrice("") > 0 {
			return g, true
		}
	}
	return nil, false
}

// Step passes on what happens. Who cannot pay for the GPUs that he asks for is refused.
func (g *GPUs) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	g.refused = g.refused[:0]
	left := g.forWork(happened)
	if len(left) == 0 && len(g.refused) > 0 {
		return g.refused, nil // the policy never hears of it, and has nothing to plan for
	}
	events, err := g.world.Step(at, left)
	if err != nil || len(g.refused) == 0 {
		return events, err
	}
	return append(g.refused, events...), nil
}

// forWork is what happened as the policy is told of it.
func (g *GPUs) forWork(happened []market.Event) []market.Event {
	g.inputs = g.inputs[:0]
	for _, e := range happened {
		if e.Kind == market.Submitted && e.Spec.GPUs > 0 {
			h := g.hire(e.Spec)
			left := *e.Spec
			if left.SLA.Budget.Limited() {
				if !h.most.Within(left.SLA.Budget) {
					g.refused = append(g.refused, market.Event{
						Kind: market.Rejected, Reason: market.CannotMeetBudget, Job: e.Job, Slot: -1, Spec: &h.spec, Start: market.Never,
					})
					continue
				}
				left.SLA.Budget = max(0, left.SLA.Budget-h.most)
			}
			e.Spec = &left
		}
		g.inputs = append(g.inputs, e)
	}
	return g.inputs
}

// hire notes what the GPUs of a job cost: by the dearest of the nodes that could run it
// and, if it lives on a part of a processor, until its deadline.
func (g *GPUs) hire(j *market.Job) *hired {
	h := &hired{spec: *j}
	slowest, could, takes := market.Work(0), int64(0), j.Where.Chooser()
	for i := range g.nodes.Len() {
		n := g.nodes.At(i)
		if !takes(n) {
			continue
		}
		if programs := n.ProgramsOn(int64(n.GPUs), j); programs > 0 {
			h.rate = max(h.rate, n.Base.GPUPrice(j.GPUKind))
			slowest = max(slowest, j.Estimate/market.Work(n.Rating))
			could += min(programs, int64(n.Processors)/int64(max(1, j.Threads)))
		}
	}
	if could < j.Programs() { // that, and not their price, is why it is refused
		h.rate = 0
	}
	if j.Where != nil {
		h.rate = trade.Times(h.rate, g.rates.Factor(j.Where.Partition))
	}
	longest := market.Time(slowest)
	if g.timeShared && j.SLA.Deadline.Finite() {
		longest = max(longest, j.SLA.Deadline)
	}
	h.most = j.ForGPUs(h.rate, longest)
	g.hired[j.ID] = h
	return h
}

// Seer shows records on with the GPUs in their prices, and jobs as they were submitted.
func (g *GPUs) Seer(show func(*market.Record)) func(*market.Record) {
	return func(r *market.Record) {
		h, known := g.hired[r.Job]
		if !known || r.Kind.Input() || r.Spec == nil {
			show(r)
			return
		}
		g.event, g.record = *r.Event, *r
		g.event.Spec, g.record.Event = &h.spec, &g.event
		switch r.Kind {
		case market.Accepted, market.Queued:
			g.event.Price += h.most
		case market.Completed:
			g.event.Price += min(h.most, h.spec.ForGPUs(h.rate, r.Finish-r.Start))
			delete(g.hired, r.Job)
		case market.Rejected, market.Stopped:
			delete(g.hired, r.Job)
		default: // says nothing of money
		}
		show(&g.record)
	}
}

var _ World = (*GPUs)(nil)
