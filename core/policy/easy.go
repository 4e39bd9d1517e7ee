package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/pricing"
)

// easy is EASY backfilling: the first job in order that does not fit gets a
// reservation, and others may go ahead of it only where they do not delay it.
// Three orders make the three policies that 000 compares itself with.
type easy struct {
	tariff
	order string // what rank is called
	rank  func(*market.Job) float64
	base  float64
	late  string
	drop  []book.Slot
}

func newEASY(order string, rank func(*market.Job) float64) *easy {
	return &easy{tariff: newTariff(), order: order, rank: rank, base: 1, late: "hopeless"}
}

func (p *easy) settings() []Setting {
	return []Setting{
		number("pbase", &p.base, "price of a second of estimated runtime"),
		choice("late", &p.late, "drop a waiting job when it can no longer make its deadline, or only when that has passed",
			"hopeless", "lapsed"),
		p.tariff.setting(),
		p.tariff.counted(),
	}
}

// The three orders. Equal ranks go by the order of submission, so arrival needs
// no rank, and ranks are rounded, so that equal means equal.
func byArrival(*market.Job) float64 { return 0 }

func byEstimate(j *market.Job) float64 { return market.Time(j.Estimate).Rank() }

func byDue(j *market.Job) float64 { return j.Due().Rank() }

// Admit queues whatever the cluster could ever hold. Nothing is promised: the
// generous admission of 000, section VII.B, which decides at the latest time.
func (p *easy) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	latest := j.Due()
	if p.late == "hopeless" {
		latest -= market.Time(float64(j.Estimate) / fastest(v))
	}
	a.queue(book.Terms{
		Price: p.tariff.of(v, pricing.Static(market.Price(p.base), j.Estimate), j), Finish: market.Never,
		Rank: market.Number(p.rank(j)), Latest: latest,
	})
}

// Plan is one scheduling pass.
func (p *easy) Plan(v book.View, d *book.Draft) {
	// 1. Who can no longer make it is dropped.
	p.drop = v.Late(p.drop[:0])
	for _, s := range p.drop {
		d.Refuse(s, market.CannotMeetDeadline)
	}
	// 2. From the head, start while they fit.
	head, blocked := startHeads(v, d)
	if !blocked || v.Idle() == 0 {
		return
	}
	// 3. The head that does not fit gets a reservation.
	j := &v.Entry(head).Job
	shadow, idleThen := v.Shadow(j)
	extra := idleThen - int(j.Width)
	// 4. The others start if they are done by then, or fit beside it.
	window := (shadow - v.Now()) * market.Time(slowestIdle(v))
	if v.Uneven() {
		fillUneven(v, d, head, window)
		return
	}
	// Who was passed over stays so while the others only wait: the shadow stands,
	// the window shrinks. But where it is now because somebody runs past his
	// estimate, time alone lets more of them end by then.
	onlyNew := v.OnlyNew() && !v.IsNew(head) && shadow > v.Now()
	for {
		s := v.FirstFit(v.Idle(), window, extra, onlyNew)
		if s == book.NoSlot {
			return
		}
		if j := &v.Entry(s).Job; market.Time(j.Estimate).After(window) {
			extra -= int(j.Width)
		}
		d.Start(s)
	}
}

// fillUneven backfills where not every processor will do for some waiting job: then
// processors are not interchangeable, being few enough does not mean not being
// in the way, and only jobs that are done by the shadow go ahead.
func fillUneven(v book.View, d *book.Draft, head book.Slot, window market.Time) {
	for _, s := range v.InOrder() {
		j := &v.Entry(s).Job
		if s != head && !market.Time(j.Estimate).After(window) && v.HasIdle(j, int(j.Width)) {
			d.Start(s)
		}
	}
}

// fastest is the rating of the fastest processor.
func fastest(v book.View) float64 {
	most := 1.0
	for i, r := range v.Ratings() {
		if i == 0 || r > most {
			most = r
		}
	}
	return most
}

// slowestIdle is the rating of the slowest idle processor. Which processors a
// job gets is known only when it starts; whoever fits at this speed fits.
func slowestIdle(v book.View) float64 {
	if v.Ratings() == nil {
		return 1
	}
	least := fastest(v)
	for proc, r := range v.Ratings() {
		if v.IsIdle(proc) {
			least = min(least, r)
		}
	}
	return least
}

var _ Policy = (*easy)(nil)
