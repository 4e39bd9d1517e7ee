package oracle

import (
	"math"
	"slices"
)

// asked is the least that a job is sold for.
func (m *makeWay) asked(job int) float64 {
	j := m.jobs[job]
	least := m.reserve * j.Estimate * float64(j.Procs)
	if m.follow > 0 {
		least = math.Max(least, m.follow*m.goingRate()*m.measure(job))
	}
	return least
}

// goingRate is what is offered for the node in the middle.
func (m *makeWay) goingRate() float64 {
	offers := make([]float64, len(m.idle())) // nothing
	add := func(job int) {
		offer := m.jobs[job].Budget
		if math.IsInf(offer, 1) {
			offer = m.price[job]
		}
		for range m.jobs[job].Procs {
			offers = append(offers, offer/m.measure(job))
		}
	}
	for _, x := range m.running {
		add(x.job)
	}
	for _, job := range m.waiting {
		add(job)
	}
	slices.Sort(offers)
	return offers[(len(offers)-1)/2]
}

func (m *makeWay) measure(job int) float64 {
	j := m.jobs[job]
	size := m.length(job)
	if m.each {
		size *= float64(j.Procs)
	}
	share := math.Min(1, math.Max(0.05, j.Estimate/j.Deadline))
	return size * math.Pow(share, m.urgency)
}
