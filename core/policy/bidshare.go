package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// bidShare gives every job the share of a processor that its bid has in all
// bids there, whatever it needs: REXEC (Chun and Culler, CANPC 2000) and the
// auction share of Tycoon (Lai et al., 2004), of which 000 and 001 say what
// they lack: there is no admission control, and no deadline is looked at.
//
// The bid is a rate, what the user would pay for a second of processor time:
// budget over estimate. He goes where the least is bid, since there he gets
// most, and pays what he bid for the time he said he would take: the budget.
// Nothing is promised, so nothing comes off for delay.
//
// A user who names no budget would starve all others with an infinite bid: he
// bids what the setting says. A bid of nothing gets next to nothing while
// others bid, and all of a processor when nobody does. Without admission a job
// is refused only where there is no room to put it: more processors than are
// up, or memory and disk that others have taken.
type bidShare struct {
	tariff
	bid   float64
	least reserve
	bids  []float64 // scratch: by processor, the sum
	takes []candidate
	stake stakes
}

func newBidShare() *bidShare { return &bidShare{tariff: newTariff(), bid: 1} }

func (p *bidShare) settings() []Setting {
	return []Setting{number("bid", &p.bid, "bid per second of estimated runtime of a job that names no budget"), p.tariff.setting(), p.tariff.counted(), p.least.setting()}
}

// leastBid is the bid of who bids nothing: shares of it are defined, and too
// small to matter.
const leastBid = 1e-9

// offer is what a job bids for a second of each of its processors.
func (p *bidShare) offer(j *market.Job) float64 {
	bid := p.bid
	if j.SLA.Budget.Limited() {
		bid = float64(j.SLA.Budget) / float64(max(j.Estimate, market.WorkSlack))
	}
	return max(bid, leastBid)
}

// Admit puts the job on the processors where the least is bid.
func (p *bidShare) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	p.takers(v, j)
	if len(p.takes) < int(j.Width) {
		a.refuse(market.CannotMeetResources)
		return
	}
	price := p.tariff.offer(v, p.bid, j)
	if p.least.unmet(v, j, price) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	a.Procs = pick(p.takes, int(j.Width), a.Procs)
	a.run(book.Terms{Price: price, Finish: market.Never})
}

// takers lists the processors that can take a job, with those that go first among
// them: as many as it is wide, if there are so many.
func (p *bidShare) takers(v book.View, j *market.Job) {
	if v.Ratings() == nil && v.Alike(j) {
		p.takes = p.stake.least(v, p, int(j.Width), p.takes[:0])
		return
	}
	p.sum(v)
	p.takes = p.takes[:0]
	everywhere := v.AllRoom(j)
	for proc, bids := range p.bids {
		if everywhere || v.Room(proc, j) {
			p.takes = append(p.takes, candidate{rank: market.RoundSignificant(bids / v.Rating(proc)), proc: market.Int32(proc)})
		}
	}
	p.takes = together(v, j, p.takes)
}

// sum adds up the bids on every processor.
func (p *bidShare) sum(v book.View) {
	p.bids = zeroed(p.bids, v.Processors())
	for _, s := range v.Running() {
		e := v.Entry(s)
		bid := p.offer(&e.Job)
		for proc := range e.Procs.All() {
			p.bids[proc] += bid
		}
	}
}

// Plan shares every processor in proportion to the bids. A parallel job
// advances as one, at the pace of the processor where it gets least.
func (p *bidShare) Plan(v book.View, d *book.Draft) {
	const events = book.Placed | book.Departed | book.NodesChanged
	if v.Cause()&events == 0 {
		p.stake.put(v)
		return
	}
	for _, s := range p.stake.concerned(v, p) {
		e := v.Entry(s)
		bid, least := p.offer(&e.Job), math.Inf(1)
		for _, h := range e.Houses() {
			least = min(least, bid/p.stake.sums[h]*v.House(h).Rating)
		}
		d.Change(s, least)
	}
}

var _ Policy = (*bidShare)(nil)
