package policy

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// host is a job that could make way, and what it costs if it does: what it pays for the time
// by which that delays it.
type host struct {
	at    int32 // in the lineup
	procs int   // that it goes first on and others could be let in
	cost  float64
	turn  int // when it is asked, from 1; 0: not at all
}

// idle finds idle processors for a waiting job, those of the lowest numbers, leaves them in
// procs, and says whether there are enough.
func (p *makeWay) idle(v book.View, j *market.Job) bool {
	if !v.HasIdle(j, int(j.Width)) {
		return false
	}
	p.takes = p.idles(v, j, p.takes[:0])
	return p.gather(v, j)
}

func (p *makeWay) idles(v book.View, j *market.Job, to []candidate) []candidate {
	if anywhere(v, j) {
		return idleOnes(v, int(j.Width), to)
	}
	for proc := v.NextIdle(0); proc >= 0; proc = v.NextIdle(proc + 1) {
		if suits(v, proc, j) {
			to = append(to, candidate{proc: market.Int32(proc)})
		}
	}
	return to
}

// gather picks processors among those that were found, if they are enough.
func (p *makeWay) gather(v book.View, j *market.Job) bool {
	p.takes = together(v, j, p.takes)
	if len(p.takes) < int(j.Width) {
		return false
	}
	p.procs = pick(p.takes, int(j.Width), p.procs)
	return true
}

// anywhere reports whether a job can be on any processor that is up.
func anywhere(v book.View, j *market.Job) bool { return v.Ratings() == nil && v.Alike(j) }

// suits reports whether a processor has room for a job and is fast enough for its deadline.
func suits(v book.View, proc int, j *market.Job) bool {
	long := market.Time(float64(j.Estimate) / v.Rating(proc))
	return !(v.Now() + long).After(j.Due()) && v.Room(proc, j)
}

// makesRoom finds processors for a job that takes so long: idle ones, and others
// whose jobs make way for it. It leaves them in procs, and says whether there are any and the job
// pays for them.
func (p *makeWay) makesRoom(v book.View, j *market.Job, price market.Price, long market.Time) bool {
	if j.Estimate.Done() || !j.Due().Finite() {
		return false // it would be over at once, or is in no hurry
	}
	p.line.survey(v)
	alike := anywhere(v, j)
	lent := p.ask(v, j, long)
	if lent == 0 || alike && lent+v.Idle() < int(j.Width) {
		return false
	}
	p.takes = p.idles(v, j, p.takes[:0])
	missing := int(j.Width) - len(p.takes)
	if alike {
		p.choose(missing)
	} else { // which of them will do is known when they are put together
		for i := range p.hosts {
			p.hosts[i].turn = i + 1
		}
	}
	for i := range p.hosts {
		h := &p.hosts[i]
		if h.turn == 0 {
			continue
		}
		for _, house := range v.Entry(p.line.up[h.at].slot).Houses() {
			if p.line.first[house] == h.at && p.lends(house, j) {
				p.takes = p.let(v, j, house, float64(h.turn), alike)
			}
		}
	}
	if !p.gather(v, j) {
		return false
	}
	p.way = passage{cost: p.costOf(v, p.procs), times: p.times(v)}
	return market.Price(p.way.cost * p.way.times).Within(price)
}

// lends reports whether a job is shorter than what is left of any of those who live in a
// house and are in a hurry.
func (p *makeWay) lends(house int32, j *market.Job) bool {
	l := &p.line.up[p.line.first[house]]
	return l.last || j.Estimate < l.left-market.WorkSlack
}

// ask lists who could make way, the cheapest processors first, and counts those.
func (p *makeWay) ask(v book.View, j *market.Job, long market.Time) (lent int) {
	p.hosts = p.hosts[:0]
	until := v.Now() + long
	for i := range p.line.up {
		l := &p.line.up[i]
		if l.spare < long { // it, or somebody below it, would be late
			continue
		}
		h := host{at: market.Int32(i)}
		e := v.Entry(l.slot)
		for _, house := range e.Houses() {
			if p.line.first[house] == h.at && p.lends(house, j) {
				h.procs += v.House(house).N
			}
		}
		if h.procs > 0 {
			if late := until - l.begins; late > 0 {
				h.cost = float64(e.Terms.Price) / lengthOf(&e.Job) * float64(late)
			}
			p.hosts = append(p.hosts, h)
			lent += h.procs
		}
	}
	slices.SortFunc(p.hosts, func(a, b host) int {
		return cmp.Or(cmp.Compare(a.cost*float64(b.procs), b.cost*float64(a.procs)), cmp.Compare(p.line.up[a.at].job, p.line.up[b.at].job))
	})
	return lent
}

// choose asks the cheapest until enough processors are there. What is missing at
// the end comes from whoever has that many for the least: half of a wide job's processors
// are no use to anybody else.
func (p *makeWay) choose(missing int) {
	for turn := 1; missing > 0; turn++ {
		next, whole := -1, -1
		for i := range p.hosts {
			h := &p.hosts[i]
			if h.turn > 0 {
				continue
			}
			if next < 0 {
				next = i
			}
			if h.procs >= missing && (whole < 0 || h.cost < p.hosts[whole].cost) {
				whole = i
			}
		}
		if next < 0 {
			return
		}
		if whole >= 0 && (p.hosts[whole].cost <= p.hosts[next].cost || p.hosts[next].procs >= missing) {
			next = whole
		}
		p.hosts[next].turn = turn
		missing -= p.hosts[next].procs
	}
}

// let appends the processors of a house that will do for a job.
func (p *makeWay) let(v book.View, j *market.Job, house int32, rank float64, alike bool) []candidate {
	if alike {
		return inHouse(v.House(house), rank, int(j.Width), p.takes)
	}
	for proc := range v.House(house).Procs.All() {
		if suits(v, proc, j) {
			p.takes = append(p.takes, candidate{rank: rank, proc: market.Int32(proc)})
		}
	}
	return p.takes
}

// costOf is what those pay for the time who would make way on some processors.
func (p *makeWay) costOf(v book.View, procs market.Procs) (sum float64) {
	p.taken = zeroed(p.taken, v.Houses())
	for proc := range procs.All() {
		p.taken[v.HouseOf(proc)]++
	}
	for i := range p.hosts {
		for _, house := range v.Entry(p.line.up[p.hosts[i].at].slot).Houses() {
			if p.line.first[house] == p.hosts[i].at && p.taken[house] > 0 {
				sum += p.hosts[i].cost
				break
			}
		}
	}
	return sum
}

// slowestUp is the rating of the slowest processor.
func slowestUp(v book.View) float64 {
	least := 1.0
	for i, r := range v.Ratings() {
		if i == 0 || r < least {
			least = r
		}
	}
	return least
}
