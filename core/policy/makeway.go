package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// makeWay sells processors to the highest offer per processor-second and charges the offer,
// like bestOffer, and lets a job that runs make way for a shorter one: it stands
// still until the other is done, if it will be in time all the same, and if the other pays more
// for that time than those who make way for it.
//
// A job that is done in a moment, and due a moment later, is lost wherever processors are
// held until the end, unless some are kept idle for it; where processors are shared by need
// long jobs get a part of one each and nobody pays for how soon he is done. Time to spare is what
// the cluster has in plenty: a long job with a day to go does not miss a minute. It is
// lent to whoever pays most for it, and nothing has to be kept idle.
//
// Who goes first on a processor is read off the book: whoever has least left of an estimate.
// Who runs gets ahead of who stands still, so that stays as it is until he is done, and the
// policy needs no memory. Whose estimate is used up goes last: he has had what he asked for, and
// those who made way are in time. Who has no deadline is in no hurry: he makes way, and nobody for
// him.
type makeWay struct {
	tariff
	bid     float64
	margin  float64
	press   float64
	lean    float64
	least   reserve
	price   string
	follow  float64
	urgency float64
	keep    further

	drop   []book.Slot
	of     book.View // whose jobs have been looked at
	visits turns
	line   lineup
	takes  []candidate
	hosts  []host
	asked  []host // of these
	offers []appraisal
	taken  []float64 // by house: processors that a job would be given there
	procs  market.Procs
	way    passage

	everybody bool // is asked: for tests, beside what leaves most of them out
}

func newMakeWay() *makeWay {
	return &makeWay{tariff: newTariff(), bid: 1, margin: 1.1, press: 0.7, lean: 0.2, price: priceBid, urgency: 1}
}

func (p *makeWay) settings() []Setting {
	return []Setting{
		number("margin", &p.margin, "jobs make way for one that pays at least so many times what they pay for the time"),
		number("press", &p.press, "how much is added to margin as more jobs wait; all of it where one waits for every five processors"),
		number("lean", &p.lean, "how far the order leans towards short jobs: the power of the estimate by which an offer is divided once more"),
		number("bid", &p.bid, "bid per second of estimated runtime of a job that names no budget"),
		p.tariff.setting(),
		p.tariff.counted(),
		p.least.setting(),
		later(choice("price", &p.price, "what a job costs: what it offers, or what is asked for as much work from anybody (reserve, follow)", priceBid, pricePosted)),
		later(number("follow", &p.follow, "the least that work is sold for, as a part of what is offered here for as much; 0: any offer will do")),
		later(number("urgency", &p.urgency, "how far what is offered is compared by urgency: the power of the share of a processor that a job takes until its deadline")),
		p.keep.setting(),
	}
}

func (p *makeWay) reserved(v book.View) market.Price { return p.least.rate(v) }

// Admit lets a job run that can begin now, and promises its deadline; the others wait, as long as
// they could still be in time, and nothing is promised to them. What rests on others who make
// way holds now and not a moment later.
func (p *makeWay) Admit(v book.View, j *market.Job, a *Answer) {
	p.line.known = false
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	offer := p.tariff.offer(v, p.bid, j)
	least, posted := p.asks(v, j), p.price == pricePosted
	if !j.SLA.Budget.Limited() && (p.follow > 0 || posted) && least > offer {
		offer, posted = least, true // it pays what is asked
	}
	if !least.Within(offer) || p.least.unmet(v, j, offer) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	price := p.keep.charge(j, offer, least, posted, a)
	p.way = passage{}
	rank := float64(price) / p.size(j)
	terms := book.Terms{
		Price: price, Finish: market.Never, Rank: market.Number(-market.RoundSignificant(rank)),
		Latest: j.Due() - market.Time(float64(j.Estimate)/fastest(v)),
	}
	if v.Now().After(terms.Latest) {
		a.refuse(market.CannotMeetDeadline)
		return
	}
	long := market.Time(float64(j.Estimate) / slowestUp(v))
	idle := p.idle(v, j) && p.harmless(v, j, terms.Rank, long)
	room := idle || p.makesRoom(v, j, price, long, true)
	p.way.show(a)
	if !room {
		a.queue(terms)
		return
	}
	terms.Finish, terms.Firm, terms.Claim = j.Due(), j.Due().Finite(), 1
	a.Procs = append(a.Procs[:0], p.procs...)
	a.run(terms)
	a.Passing, p.line.known = !idle, false
}

// harmless reports whether a job that takes idle processors delays nobody who waits and offers more.
func (p *makeWay) harmless(v book.View, j *market.Job, rank market.Number, long market.Time) bool {
	head, some := v.Head()
	if !some || rank < v.Entry(head).Terms.Rank {
		return true
	}
	shadow, extra := p.shadow(v, int(v.Entry(head).Job.Width))
	return !(v.Now() + long).After(shadow) || int(j.Width) <= extra
}

// eventByEvent: who waits is asked before somebody new is.
func (p *makeWay) eventByEvent() bool { return true }

// chargesOffer: more work costs as much for a second as was offered.
func (p *makeWay) chargesOffer() bool { return true }

// lengthOf is the estimate of a job, which may be nothing, as something to divide by.
func lengthOf(j *market.Job) float64 { return math.Max(float64(j.Estimate), float64(market.WorkSlack)) }

// Plan is one scheduling pass.
func (p *makeWay) Plan(v book.View, d *book.Draft) {
	// 1. Who can no longer make it is dropped.
	p.drop = v.Late(p.drop[:0])
	for _, s := range p.drop {
		d.Refuse(s, market.CannotMeetDeadline)
	}
	// 2. Others start in the order of their offers, where there is room or somebody makes way.
	p.line.known = !p.everybody && p.line.still(v)
	if v.Waiting() > 0 {
		p.start(v, d)
	}
	// 3. Who goes first on all its processors runs.
	p.pace(v, d)
}

// start lets waiting jobs run, the best offer first. The first for whom there is no room
// gets a reservation, as under EASY: others take what is idle only where that does not delay
// it.
func (p *makeWay) start(v book.View, d *book.Draft) {
	now, slowest := v.Now(), slowestUp(v)
	head, shadow, extra := book.NoSlot, market.Never, 0
	for _, s := range v.InOrder() {
		j := &v.Entry(s).Job
		long := market.Time(float64(j.Estimate) / slowest)
		width := int(j.Width)
		if p.idle(v, j) {
			switch {
			case head == book.NoSlot || !(now + long).After(shadow):
				p.join(d, s)
				continue
			case width <= extra:
				extra -= width
				p.join(d, s)
				continue
			}
		}
		if head == book.NoSlot {
			head = s
			shadow, extra = p.shadow(v, width)
		}
		if p.makesRoom(v, j, v.Entry(s).Terms.Price, long, false) {
			p.join(d, s)
			if s == head {
				head = book.NoSlot
			}
		}
	}
}

// join puts a job on the processors that were found for it.
func (p *makeWay) join(d *book.Draft, s book.Slot) {
	d.Join(s, p.procs)
	p.line.known = false
}

var _ Policy = (*makeWay)(nil)
