package policy

import (
	"math"
	"math/bits"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// proportional is what libra and libra-plus have in common: a job gets the
// share of a processor that its deadline needs (Algorithm 2 of 000), spare time
// goes to everybody in proportion, and a node can take a job as long as the
// shares it has promised leave room.
//
// A parallel job advances as one, so a share is a rate of work: demand is the
// work per second the job needs, and on a processor of rating r that is a share
// of demand/r.
type proportional struct {
	spare      string
	commitment string
	replan     string
	emptiest   bool // whether admission asks for the emptiest processor first, not the fullest

	// Scratch, by house.
	load      []float64
	committed []float64
	guests    []int32
	demands   []float64 // by place in the list of running jobs
	choice    []candidate
	asked     asked
	full      fullness
	procs     []int32
	cursors   []cursor
}

func newProportional() proportional {
	return proportional{spare: "proportional", commitment: "promised", replan: "cluster"}
}

func (p *proportional) settings() []Setting {
	return []Setting{
		choice("spare", &p.spare, "who gets processor time that nobody needs", "proportional", "none"),
		choice("commitment", &p.commitment, "what admission keeps for a running job: at least what it was promised, "+
			"or what it needs now alone", "promised", "current"),
		later(choice("replan", &p.replan, "whose shares are worked out anew at an event: those of all jobs of the cluster, "+
			"or of those on the nodes that it touched", "cluster", "touched")),
	}
}

// claim is the work per second that admission keeps for a running job.
// Progress made thanks to spare time frees nothing before the job is gone.
func (p *proportional) claim(e *book.Entry, now market.Time) float64 {
	need := e.Demand(now)
	if promised := float64(e.Terms.Claim); promised > need && p.commitment != "current" {
		return promised
	}
	return need
}

// shareOf is the share of a processor of the given rating that a rate of work
// takes: never more than all of it.
func shareOf(rate, rating float64) float64 {
	if rate >= rating {
		return 1
	}
	return rate / rating
}

// commitments sums the claims on the processors of every house at this very
// instant into load and, where a window is given, the processor time they take of it
// into committed.
func (p *proportional) commitments(v book.View, window market.Time) {
	p.load = zeroed(p.load, v.Houses())
	if window > 0 {
		p.committed = zeroed(p.committed, v.Houses())
	}
	now, ratings := v.Now(), v.Ratings()
	for _, s := range v.Running() {
		e := v.Entry(s)
		rate, within := p.claim(e, now), window
		if left := e.Due() - now; left > 0 && left < window {
			within = left
		}
		if ratings == nil {
			share := shareOf(rate, 1)
			addTo(p.load, e.Houses(), share)
			if window > 0 {
				addTo(p.committed, e.Houses(), share*float64(within))
			}
			continue
		}
		for _, h := range e.Houses() {
			share := shareOf(rate, v.House(h).Rating)
			p.load[h] += share
			if window > 0 {
				p.committed[h] += float64(share * float64(within))
			}
		}
	}
}

// candidates lists the processors that can take a job that needs the given work
// per second, with load as their rank: where one is like another, of each house no
// more than the job is wide, since those of the lowest numbers go first.
func (p *proportional) candidates(v book.View, j *market.Job, rate float64, alike bool) []candidate {
	p.choice = p.choice[:0]
	if alike {
		for h := 1; h < v.Houses(); h++ {
			if load := p.load[h]; market.Share(load + rate).Fits(1) {
				p.choice = inHouse(v.House(market.Int32(h)), market.Share(load).Rank(), int(j.Width), p.choice)
			}
		}
		if market.Share(rate).Fits(1) {
			p.choice = idleOnes(v, int(j.Width), p.choice)
		}
		return p.choice
	}
	everywhere := v.AllRoom(j)
	for proc := range v.Processors() {
		load := p.load[v.HouseOf(proc)]
		sum := load + rate/v.Rating(proc)
		if market.Share(sum).Fits(1) && (everywhere || v.Room(proc, j)) {
			p.choice = append(p.choice, candidate{rank: market.Share(load).Rank(), proc: market.Int32(proc)})
		}
	}
	return p.choice
}

// inHouse appends the first processors of a house, at most so many.
func inHouse(h *book.House, rank float64, most int, to []candidate) []candidate {
	for _, b := range h.Procs {
		for base, w := b.Index<<6, b.Bits; w != 0; w &= w - 1 {
			if most == 0 {
				return to
			}
			most--
			to = append(to, candidate{rank: rank, proc: base + market.Int32(bits.TrailingZeros64(w))})
		}
	}
	return to
}

// idleOnes appends the first processors that nobody is on, at most so many.
func idleOnes(v book.View, most int, to []candidate) []candidate {
	proc := -1
	for range most {
		if proc = v.NextIdle(proc + 1); proc < 0 {
			break
		}
		to = append(to, candidate{proc: market.Int32(proc)})
	}
	return to
}

// events are what shares follow: a refusal is none of them.
const events = book.Placed | book.Departed | book.Measured | book.Woke | book.NodesChanged

// Plan gives every running job its share, and what nobody needs to all in
// proportion. Shares hold until the next event of the cluster: a refusal is
// not one, nor is a place that is kept or given back.
func (p *proportional) Plan(v book.View, d *book.Draft) {
	if p.replan == "touched" {
		p.planTouched(v, d)
		return
	}
	if v.Cause()&events == 0 && !someUsedUp(v) {
		return
	}
	if v.Ratings() == nil && v.Plainly() {
		p.planAlike(v, d)
		return
	}
	now, running := v.Now(), v.Running()
	p.load = zeroed(p.load, v.Houses())
	p.demands = p.demands[:0]
	p.guests = p.guests[:0]
	p.addLoads(v)
	wake := market.Never
	for i, s := range running {
		e := v.Entry(s)
		if e.Reserved() {
			continue
		}
		rate := p.demands[i]
		var speed float64
		if e.Due().Finite() {
			speed = p.speed(v, e, rate)
		} else {
			speed = p.speedOfGuest(v, e)
		}
		d.Speed(s, speed)
		// The end of an estimate is an event, for a late job too. A guest needs
		// nothing, before it and after.
		if left := e.LeftAt(now); !left.Done() && speed > 0 && e.Due().Finite() {
			wake = min(wake, now+market.Time(float64(left)/speed))
		}
	}
	d.Wake(wake)
}

// someUsedUp reports whether the estimate of some running job has been used up,
// but for rounding, since shares were last given: that is an event too.
func someUsedUp(v book.View) bool {
	now := v.Now()
	for _, s := range v.Running() {
		if e := v.Entry(s); !e.Left.Done() && e.LeftAt(now).Done() && e.Due().Finite() {
			return true
		}
	}
	return false
}

// addLoads fills in demands, load and, if there are any, guests: jobs without a
// deadline, which need nothing and live on what others leave.
func (p *proportional) addLoads(v book.View) {
	now, ratings, guests := v.Now(), v.Ratings(), false
	for _, s := range v.Running() {
		e := v.Entry(s)
		rate := e.Demand(now)
		p.demands = append(p.demands, rate)
		if e.Reserved() {
			continue // room is kept for it, but until it begins its time is everybody's
		}
		if !e.Due().Finite() {
			guests = true
			continue
		}
		share := shareOf(rate, 1)
		if ratings == nil {
			addTo(p.load, e.Houses(), share)
			continue
		}
		for _, h := range e.Houses() {
			p.load[h] += shareOf(rate, v.House(h).Rating)
		}
	}
	if guests {
		p.countGuests(v)
	}
}

func (p *proportional) countGuests(v book.View) {
	p.guests = append(p.guests, make([]int32, v.Houses())...)
	for _, s := range v.Running() {
		if e := v.Entry(s); !e.Due().Finite() {
			for _, h := range e.Houses() {
				p.guests[h]++
			}
		}
	}
}

// speed is how fast a job advances: as its share, scaled by the fullest of its
// processors. Over-commitment hurts all in proportion; spare time goes to all
// in proportion, unless there are guests who have nothing else.
func (p *proportional) speed(v book.View, e *book.Entry, rate float64) float64 {
	ratings, proportion := v.Ratings(), p.spare == "proportional"
	if ratings == nil && len(p.guests) == 0 {
		most := fullest(p.load, e.Houses())
		if !proportion {
			most = max(most, 1)
		}
		return shareOf(rate, 1) / most
	}
	least := math.Inf(1)
	for _, h := range e.Houses() {
		load, rating := p.load[h], v.House(h).Rating
		if !proportion || len(p.guests) > 0 && p.guests[h] > 0 {
			load = max(load, 1)
		}
		least = min(least, shareOf(rate, rating)*rating/load)
	}
	return least
}

// speedOfGuest is what the others leave, shared equally among the guests.
func (p *proportional) speedOfGuest(v book.View, e *book.Entry) float64 {
	least := math.Inf(1)
	for _, h := range e.Houses() {
		spare := max(0, 1-p.load[h]) / float64(p.guests[h])
		least = min(least, spare*v.House(h).Rating)
	}
	return least
}

// zeroed returns n zeros, in the old space if it is large enough.
func zeroed(old []float64, n int) []float64 {
	if cap(old) < n {
		return make([]float64, n)
	}
	old = old[:n]
	clear(old)
	return old
}
