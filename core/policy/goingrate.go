package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// goingRate takes whatever fits in time while there is room for all, and else the best offers
// for a processor-second, at a rate that it reads off the book (goingrate_rate.go). Who offers
// the rate or more is taken in at once, wherever everybody will be in time; who offers less waits
// until a processor has nothing to do, the best offer first, or until hardly anybody better can still
// come in its time (goingrate_wait.go). The offer is charged.
//
// What is taken in is promised, and a promise takes away from better offers to come. Where
// load is low nobody better comes, and waiting is all that could be lost; where it is high the
// best of what is here says what will come. That is the whole of it: how much of the work here may
// be promised at the door.
//
// The tasks of a job advance each on its own, and on each processor the earliest deadline goes
// first and all else stands still, as under mf-edf: no order keeps more promises on one processor,
// and a job of many processors needs no common gap. Unlike there, who has had its estimate goes on in the
// time that the others have to spare (imprecise_spare.go).
type goingRate struct {
	tariff
	bid    float64
	part   float64
	room   float64
	lean   float64
	least  reserve
	price  string
	follow float64
	keep   further

	edf       mandatoryFirst // runs what was taken in
	everybody bool           // is asked, though an index could answer
	of        book.View      // whose processors the timetables are of
	tables    []timetable    // by processor
	rates     []appraised    // by slot
	here      bids           // of everybody
	drop      []book.Slot
	takes     []candidate
	procs     market.Procs
}

func newGoingRate() *goingRate {
	return &goingRate{
		tariff: newTariff(), bid: 1, part: 0.5, room: 0.7, lean: 0.2, price: priceBid,
		edf: mandatoryFirst{order: "deadline", lends: true},
	}
}

func (p *goingRate) settings() []Setting {
	return []Setting{
		number("part", &p.part, "how much of the cluster is sold at the door: the going rate is offered by the last of the best who together need so much of it; where all need less, any offer will do"),
		number("room", &p.room, "who waits is taken in where it fits at the latest moment if those who offer more need so much of the cluster, sooner if less, and else only by an idle processor; 0: only by that"),
		number("lean", &p.lean, "how far the order leans towards short jobs: the power of the estimate by which an offer is divided once more"),
		number("bid", &p.bid, "bid per second of estimated runtime of a job that names no budget"),
		p.tariff.setting(),
		p.tariff.counted(),
		p.least.setting(),
		choice("price", &p.price, "what a job costs: what it offers, or what is asked for as much work from anybody (reserve, follow)", priceBid, pricePosted),
		number("follow", &p.follow, "the least that work is sold for, as a part of the going rate; 0: any offer will do"),
		p.keep.setting(),
	}
}

func (p *goingRate) reserved(v book.View) market.Price { return p.least.rate(v) }

// eventByEvent: who waits is asked before somebody new is.
func (p *goingRate) eventByEvent() bool { return true }

// chargesOffer: more work costs as much for a second as was offered.
func (p *goingRate) chargesOffer() bool { return true }

// Admit takes a job in that offers the going rate, if it and all others will be in time. Who
// offers less is taken in where processors have nothing to do, or waits as long as it could
// still be in time; nothing is promised to those who wait.
func (p *goingRate) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	rate, size := p.rate(v), p.size(j)
	offer, least := p.tariff.offer(v, p.bid, j), p.asks(v, j, rate*size)
	posted := p.price == pricePosted
	if !j.SLA.Budget.Limited() && (p.follow > 0 || posted) && least > offer {
		offer, posted = least, true // it pays what is asked
	}
	if !least.Within(offer) || p.least.unmet(v, j, offer) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	price := p.keep.charge(j, offer, least, posted, a)
	if going := rate * size; going > 0 {
		a.Working.add("going rate", "", going)
	}
	terms := book.Terms{
		Price: price, Finish: market.Never, Rank: market.Number(-market.RoundSignificant(float64(price) / size)),
		Latest: j.Due() - market.Time(float64(j.Estimate)/fastest(v)),
		Worth:  market.Number(float64(price) / float64(j.Width)), Independent: true, Flat: true,
	}
	if v.Now().After(terms.Latest) {
		a.refuse(market.CannotMeetDeadline)
		return
	}
	// At a posted price all who pay it are equal.
	above := p.price == pricePosted || !j.Due().Finite() || market.RoundSignificant(float64(price)/size) >= rate
	if !above && !v.HasIdle(j, 1) || !p.fits(v, j) {
		a.queue(terms)
		return
	}
	terms.Finish, terms.Firm = j.Due(), j.Due().Finite()
	a.Procs = append(a.Procs[:0], p.procs...)
	a.run(terms)
}

// asks is the least that a job is sold for of which as much work goes for so much.
func (p *goingRate) asks(v book.View, j *market.Job, going float64) market.Price {
	least := p.least.of(v, j)
	if p.follow > 0 {
		least = max(least, market.Price(p.follow*going))
	}
	return least
}

// size is what an offer is divided by to compare it with others.
func (p *goingRate) size(j *market.Job) float64 {
	return math.Pow(lengthOf(j), 1+p.lean) * float64(j.Width)
}

// Plan drops who can no longer make it, gives processors that have nothing to do to the best
// offers that wait, takes in who has waited long enough, and lets on each processor the earliest
// deadline run.
func (p *goingRate) Plan(v book.View, d *book.Draft) {
	p.drop = v.Late(p.drop[:0])
	for _, s := range p.drop {
		d.Refuse(s, market.CannotMeetDeadline)
	}
	wake := market.Never
	if v.Waiting() > 0 {
		waiting := v.InOrder()
		p.fill(v, d, waiting)
		wake = p.takeIn(v, d, waiting)
	}
	wake = min(wake, p.edf.pace(v, d))
	if v.Idle() > 0 { // somebody may wait for other processors than those, and nobody leave them
		wake = min(wake, v.NextLatest()+beyond)
	}
	d.Wake(wake)
}

// fill gives processors that have nothing to do to the best offers.
func (p *goingRate) fill(v book.View, d *book.Draft, waiting []book.Slot) {
	for _, s := range waiting {
		if v.Idle() == 0 {
			return
		}
		if j := &v.Entry(s).Job; v.HasIdle(j, 1) && p.fits(v, j) {
			d.Join(s, p.procs)
		}
	}
}

var _ Policy = (*goingRate)(nil)
