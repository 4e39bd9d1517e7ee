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
	slot  book.Slot
	turn  int32 // when it is asked, from 1; 0: not at all
	procs int   // that it goes first on and others could be let in
	cost  float64
	job   market.JobID
}

// cheaper orders hosts by what each of their processors costs.
func (h *host) cheaper(other *host) int {
	return cmp.Or(cmp.Compare(h.cost*float64(other.procs), other.cost*float64(h.procs)), cmp.Compare(h.job, other.job))
}

// isCheaper reports whether that puts it before another.
func (h *host) isCheaper(other *host) bool {
	mine, theirs := h.cost*float64(other.procs), other.cost*float64(h.procs)
	return mine < theirs || mine == theirs && h.job < other.job
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
// pays for them. Where somebody is told what would have done, that is worked out in any case.
func (p *makeWay) makesRoom(v book.View, j *market.Job, price market.Price, long market.Time, told bool) bool {
	if j.Estimate.Done() || !j.Due().Finite() {
		return false // it would be over at once, or is in no hurry
	}
	p.line.survey(v, p.everybody)
	alike, width := anywhere(v, j), int(j.Width)
	if alike && !told && p.hopeless(v, j, width-v.Idle(), price, long) {
		return false
	}
	lent := p.ask(v, j, long)
	if lent == 0 || alike && lent+v.Idle() < width {
		return false
	}
	p.way.times = p.times(v)
	if alike {
		most := market.Unlimited
		if !told {
			most = price
		}
		if !p.choose(width-min(width, v.Idle()), most) || !p.way.paidBy(price) {
			return false // before anything is put together
		}
	} else { // which of them will do is known when they are put together
		slices.SortFunc(p.hosts, func(a, b host) int { return a.cheaper(&b) })
		for i := range p.hosts {
			p.hosts[i].turn = market.Int32(i + 1)
		}
	}
	p.takes = p.idles(v, j, p.takes[:0])
	for i := range p.hosts {
		h := &p.hosts[i]
		if h.turn == 0 {
			continue
		}
		for _, house := range v.Entry(h.slot).Houses() {
			if p.line.leads(h.slot, house) {
				p.takes = p.let(v, j, house, float64(h.turn), alike)
			}
		}
	}
	if !p.gather(v, j) {
		return false
	}
	if !alike {
		p.way.cost = p.costOf(v, p.procs)
	}
	return alike || p.way.paidBy(price)
}

// roundingDown makes what is worked out on one way no more than what it is on another.
const roundingDown = 1 - 1e-8

// ask lists who could make way, and counts their processors: who goes first there, is in no hurry or longer
// than the job, and would be in time all the same.
func (p *makeWay) ask(v book.View, j *market.Job, long market.Time) (lent int) {
	p.hosts = p.hosts[:0]
	now := v.Now()
	for i, spare := range p.line.lenders.spares {
		if spare < long { // it, or somebody below it, would be late
			continue
		}
		l := &p.line.lenders.list[i]
		if !l.makesWay(j.Estimate, now) {
			continue
		}
		h := host{slot: l.slot, procs: l.procs, job: l.job}
		if late := l.late(now+long, now); late > 0 {
			h.cost = l.pays * late
		}
		p.hosts = append(p.hosts, h)
		lent += h.procs
	}
	return lent
}

// choose asks the cheapest until enough processors are there, and notes what that costs. What is missing at
// the end comes from whoever has that many for the least: half of a wide job's processors
// are no use to anybody else. It gives up where it is certain to cost more than somebody pays.
func (p *makeWay) choose(missing int, most market.Price) bool {
	p.asked, p.way.cost = p.asked[:0], 0
	for sum := 0.0; missing > 0; {
		next, whole := -1, -1
		for i := range p.hosts {
			h := &p.hosts[i]
			if h.turn > 0 {
				continue
			}
			if next < 0 || h.isCheaper(&p.hosts[next]) {
				next = i
			}
			if h.procs >= missing && (whole < 0 || h.cost < p.hosts[whole].cost || h.cost == p.hosts[whole].cost && h.isCheaper(&p.hosts[whole])) {
				whole = i
			}
		}
		if next < 0 {
			break
		}
		// Those that are asked from now on are no cheaper.
		rest := p.hosts[next].cost / float64(p.hosts[next].procs) * float64(missing)
		if !(passage{cost: (sum + rest) * (1 - 1e-9), times: p.way.times}).paidBy(most) {
			return false
		}
		if whole >= 0 && (p.hosts[whole].cost <= p.hosts[next].cost || p.hosts[next].procs >= missing) {
			next = whole
		}
		p.asked = append(p.asked, p.hosts[next])
		p.hosts[next].turn = market.Int32(len(p.asked))
		missing -= p.hosts[next].procs
		sum += p.hosts[next].cost
	}
	slices.SortFunc(p.asked, func(a, b host) int { return a.cheaper(&b) })
	for i := range p.asked {
		p.way.cost += p.asked[i].cost
	}
	return true
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
		for _, house := range v.Entry(p.hosts[i].slot).Houses() {
			if p.line.leads(p.hosts[i].slot, house) && p.taken[house] > 0 {
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
