package oracle

import (
	"math"
	"sort"
)

// lender is a tenant that could make way, and what that costs.
type lender struct {
	*tenant
	nodes []int
	cost  float64
	asked bool
}

// room finds nodes for a job: idle ones, and those of others who make way for it; nil if there are too
// few, or it pays too little.
func (m *makeWay) room(job int) []int {
	j := m.jobs[job]
	if j.Estimate <= timeSlack || math.IsInf(j.due(), 1) {
		return nil
	}
	lenders, lent := m.lenders(job)
	nodes := m.idle()
	if lent == 0 || len(nodes)+lent < j.Procs {
		return nil
	}
	cost := 0.0
	for len(nodes) < j.Procs {
		l := cheapest(lenders, j.Procs-len(nodes))
		l.asked = true
		cost += l.cost
		nodes = append(nodes, l.nodes...)
	}
	full := math.Min(1, 5*float64(len(m.waiting))/float64(m.nodes))
	if !affordable((m.margin+m.press*full)*cost, m.price[job]) {
		return nil
	}
	return nodes[:j.Procs] // of the last lender those of the lowest numbers
}

// cheapest is who is asked next when so many nodes are missing.
func cheapest(lenders []*lender, missing int) *lender {
	var next, whole *lender
	for _, l := range lenders {
		if l.asked {
			continue
		}
		if next == nil {
			next = l
		}
		if len(l.nodes) >= missing && (whole == nil || l.cost < whole.cost) {
			whole = l
		}
	}
	if whole != nil && (whole.cost <= next.cost || len(next.nodes) >= missing) {
		return whole
	}
	return next
}

// lenders are who could make way for a job, the cheapest nodes first.
func (m *makeWay) lenders(job int) (all []*lender, lent int) {
	j := m.jobs[job]
	for _, x := range m.inLine() {
		if m.spare(x) < j.Estimate {
			continue
		}
		l := &lender{tenant: x}
		for _, n := range x.nodes {
			if m.on(n)[0] == x && (m.last(x) || j.Estimate < x.left-timeSlack) {
				l.nodes = append(l.nodes, n)
			}
		}
		if len(l.nodes) == 0 {
			continue
		}
		if late := m.now + j.Estimate - m.begins(x); late > 0 {
			l.cost = m.price[x.job] / m.length(x.job) * late
		}
		all, lent = append(all, l), lent+len(l.nodes)
	}
	sort.Slice(all, func(a, b int) bool {
		x, y := all[a].cost*float64(len(all[b].nodes)), all[b].cost*float64(len(all[a].nodes))
		if x != y {
			return x < y
		}
		return all[a].job < all[b].job
	})
	return all, lent
}
