package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// offer is a house that can take a job at a price that the budget meets; the house
// of nobody stands for idle processors.
type offer struct {
	rank  float64 // the free processor time in the job's window
	cost  market.Price
	house int32
	n     int // processors
}

// admitInOrder is Admit without asking everybody. Houses come in the order of their
// claims, the fullest first. What is committed of a job's window in a house is
// claims * window at most, and no more than claims times what is left until its jobs
// are due: so much is free at least, and who has more free than those already found
// need not be asked. It reports whether that was an answer.
func (p *libraPlus) admitInOrder(v book.View, j *market.Job, rate float64, a *Answer) bool {
	f, want := &p.full, int(j.Width)
	p.emptiest = false
	f.sync(v, false)
	if !market.Share(rate).Fits(1) {
		a.refuse(market.CannotMeetDeadline)
		return true
	}
	for len(p.committed) < v.Houses() {
		p.committed = append(p.committed, 0)
	}
	if len(p.costs) < v.Processors() {
		p.costs = make([]market.Price, v.Processors())
	}
	p.offer = p.offer[:0]
	takers, found, window, now := 0, 0, float64(j.SLA.Deadline), float64(v.Now())
	if idle := v.NextIdle(0); idle >= 0 {
		takers += v.Idle()
		p.committed[0] = 0
		found = p.offers(v, j, 0, idle, v.Idle(), found)
	}
	for _, h := range f.apart {
		if house := v.House(h); market.Share(p.claims(v, house) + rate).Fits(1) {
			takers += house.N
			p.committed[h] = p.committedNow(v, house, window)
			found = p.offers(v, j, h, house.First(), house.N, found)
		}
	}
	f.order.from(-edgeOf(rate)-1, func(h int32, _ float64, first int32) bool {
		sum := f.sums[h]
		if !market.Share(sum + rate).Fits(1) {
			return true
		}
		if found >= want {
			most := p.offer[len(p.offer)-1].rank
			if market.Time(window-float64(sum*window)-float64(j.Estimate)).Rank() > most+2 {
				return false // and those after it have more free
			}
			if left := f.spans[h] - float64(sum*now); market.Time(window-left-float64(j.Estimate)).Rank() > most+2+1e-9*f.spans[h] {
				return true
			}
		}
		house := v.House(h)
		takers += house.N
		p.committed[h] = f.commitment(house, now, window)
		found = p.offers(v, j, h, int(first), house.N, found)
		return true
	})
	switch {
	case takers < want:
		a.refuse(market.CannotMeetDeadline)
		return true
	case found < want:
		a.refuse(market.CannotMeetBudget)
		return true
	}
	return p.accept(v, j, rate, a)
}

// commitment is what is committed of a window on a processor of a house whose claims
// hold still.
func (f *fullness) commitment(house *book.House, now, window float64) float64 {
	sum := 0.0
	for _, s := range house.Residents {
		within := window
		if left := f.due[s] - now; left > 0 && left < window {
			within = left
		}
		sum += float64(f.claim[s] * within)
	}
	return sum
}

// committedNow is the same for a house whose claims move.
func (p *libraPlus) committedNow(v book.View, house *book.House, window float64) float64 {
	sum, now := 0.0, v.Now()
	for _, s := range house.Residents {
		e := v.Entry(s)
		within := window
		if left := float64(e.Due() - now); left > 0 && left < window {
			within = left
		}
		sum += float64(shareOf(p.claim(e, now), house.Rating) * within)
	}
	return sum
}

// offers adds a house to the offers, if the budget meets its price, and drops those
// that are no longer among the first. It returns how many processors are on offer.
func (p *libraPlus) offers(v book.View, j *market.Job, h int32, proc, n, found int) int {
	cost, free, sold := p.costOn(v, j, proc)
	if !sold || !cost.Within(j.SLA.Budget) {
		return found
	}
	rank, want := free.Rank(), int(j.Width)
	at := len(p.offer)
	if at > 0 && found >= want && rank > p.offer[at-1].rank {
		return found
	}
	for at > 0 && p.offer[at-1].rank > rank {
		at--
	}
	p.offer = slices.Insert(p.offer, at, offer{rank: rank, cost: cost, house: h, n: n})
	found += n
	for last := len(p.offer) - 1; last > 0 && found-p.offer[last].n >= want && p.offer[last-1].rank < p.offer[last].rank; last-- {
		found -= p.offer[last].n
		p.offer = p.offer[:last]
	}
	return found
}

// accept takes a job in on the first processors on offer. It reports whether that
// is within the budget: else others may be cheaper together.
func (p *libraPlus) accept(v book.View, j *market.Job, rate float64, a *Answer) bool {
	want := int(j.Width)
	p.choice = p.choice[:0]
	for _, o := range p.offer {
		begin := len(p.choice)
		if o.house == 0 {
			p.choice = idleOnes(v, want, p.choice)
		} else {
			p.choice = inHouse(v.House(o.house), o.rank, want, p.choice)
		}
		for i := begin; i < len(p.choice); i++ {
			p.choice[i].rank = o.rank
			p.costs[p.choice[i].proc] = o.cost
		}
	}
	a.Procs = pick(p.choice, want, a.Procs)
	cost, dearest := p.sum(a.Procs)
	if p.tariff.each() && !cost.Within(j.SLA.Budget) {
		return false
	}
	p.show(v, j, dearest, &a.Working)
	a.run(book.Terms{Price: cost, Claim: market.Share(rate), Finish: j.Due(), Firm: true})
	return true
}
