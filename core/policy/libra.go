package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/pricing"
)

// libra is the scheduler of 002: a static price that rewards patience, a share
// of a processor that the deadline needs, and no more jobs than can be done in
// time.
type libra struct {
	proportional
	tariff
	price pricing.Libra
	fit   string
}

// Which of the nodes that can take a job get it.
const (
	fitBest        = "best"
	fitLeastLoaded = "least-loaded"
)

func newLibra() *libra {
	return &libra{proportional: newProportional(), tariff: newTariff(), price: pricing.Libra{Gamma: 1, Delta: 1}, fit: fitBest}
}

func (p *libra) settings() []Setting {
	return append(p.proportional.settings(),
		number("gamma", &p.price.Gamma, "price of a second of estimated runtime"),
		number("delta", &p.price.Delta, "price of urgency, estimate over deadline"),
		choice("fit", &p.fit, "which of the nodes that can take a job: the fullest, or the emptiest as in the first Libra paper",
			fitBest, fitLeastLoaded),
		p.tariff.setting(),
		p.tariff.counted(),
	)
}

// Admit asks, in this order: could it ever run, is the money enough, can
// enough nodes do it in time.
func (p *libra) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	cost := p.tariff.of(v, p.price.Cost(j.Estimate, j.SLA.Deadline), j)
	if !cost.Within(j.SLA.Budget) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	rate := float64(j.Estimate) / float64(j.SLA.Deadline)
	p.emptiest = p.fit != fitBest
	if p.inOrder(v, j) && (p.emptiest || j.Objective != market.Fastest) {
		search := p.first
		if !v.Alike(j) {
			search = p.firstWithRoom
		}
		p.settleOn(search(v, j, rate, p.emptiest), j, cost, rate, a)
		return
	}
	p.askAll(v, j, cost, rate, a)
}

// askAll asks every processor for a place.
func (p *libra) askAll(v book.View, j *market.Job, cost market.Price, rate float64, a *Answer) {
	p.commitments(v, 0)
	takers := p.candidates(v, j, rate, v.Ratings() == nil && v.Alike(j))
	// A job without a deadline lives on what others leave: it goes where most
	// is left, whatever suits the cluster.
	if p.fit == fitBest && j.Objective != market.Fastest && j.SLA.Deadline.Finite() {
		for i := range takers {
			takers[i].rank = -takers[i].rank
		}
	}
	p.settleOn(together(v, j, takers), j, cost, rate, a)
}

// settleOn takes a job in on the first of those that can take it, if they are enough.
func (p *libra) settleOn(takers []candidate, j *market.Job, cost market.Price, rate float64, a *Answer) {
	if len(takers) < int(j.Width) {
		a.refuse(market.CannotMeetDeadline)
		return
	}
	a.Procs = pick(takers, int(j.Width), a.Procs)
	a.run(book.Terms{Price: cost, Claim: market.Share(rate), Finish: j.Due(), Firm: j.SLA.Deadline.Finite()})
}

var _ Policy = (*libra)(nil)
