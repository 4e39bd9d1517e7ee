package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/pricing"
)

// libraPlus is Libra+$ of 000: the admission and the shares of libra with a
// price that rises as the processor time in the job's window becomes scarce.
type libraPlus struct {
	proportional
	tariff
	price pricing.Dynamic
	base  float64
	stock string
	fit   string
	costs []market.Price // scratch: by processor
	offer []offer        // scratch
}

func newLibraPlus() *libraPlus {
	return &libraPlus{proportional: newProportional(), tariff: newTariff(), price: pricing.Dynamic{Alpha: 1, Beta: 0.1}, base: 1, stock: byAmount, fit: fitBest}
}

func (p *libraPlus) settings() []Setting {
	return append(p.proportional.settings(),
		number("alpha", &p.price.Alpha, "weight of the static part of the price"),
		number("beta", &p.price.Beta, "weight of the dynamic part of the price"),
		number("pbase", &p.base, "price of a second of processor time, times that of the node"),
		later(choice("fit", &p.fit, "which of the nodes that can take a job: the fullest, or the emptiest, which is the cheapest", fitBest, fitLeastLoaded)),
		p.tariff.setting(),
		later(choice("resources", &p.stock, "how memory and disk are sold: the amount, or the amount for each hour of the estimate", byAmount, byTime)),
	)
}

// Admit is Algorithm 1 of 000.
func (p *libraPlus) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	window := j.SLA.Deadline
	rate := float64(j.Estimate) / float64(window)
	if p.fit == fitBest && p.ordered(v, j) && v.OneRate() && v.Plainly() && j.Objective == market.NoObjective && p.admitInOrder(v, j, rate, a) {
		return
	}
	p.commitments(v, window)
	alike := v.Ratings() == nil && v.Alike(j) && v.OneRate()
	takers := p.candidates(v, j, rate, alike)
	if len(takers) < int(j.Width) || v.Choosy(j) && len(together(v, j, slices.Clone(takers))) < int(j.Width) {
		a.refuse(market.CannotMeetDeadline)
		return
	}
	affordable := together(v, j, p.affordable(v, j, takers, alike))
	if len(affordable) < int(j.Width) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	a.Procs = pick(affordable, int(j.Width), a.Procs)
	cost, dearest := p.sum(a.Procs)
	if p.tariff.each() && !cost.Within(j.SLA.Budget) {
		// One by one they are within the budget, together they are not: the cheapest
		// may be.
		for i := range affordable {
			affordable[i].rank = float64(p.costs[affordable[i].proc])
		}
		a.Procs = pick(affordable, int(j.Width), a.Procs)
		if cost, dearest = p.sum(a.Procs); !cost.Within(j.SLA.Budget) {
			a.refuse(market.CannotMeetBudget)
			return
		}
	}
	p.show(v, j, dearest, &a.Working)
	if p.each() && j.Width > 1 {
		p.showOthers(v, j, dearest, a)
	}
	a.run(book.Terms{Price: cost, Claim: market.Share(rate), Finish: j.Due(), Firm: window.Finite()})
}

// sum is the price of a job on some processors, and the dearest of them: which is
// the price of the job, or one of those that add up to it.
func (p *libraPlus) sum(procs market.Procs) (cost market.Price, dearest int) {
	all, most := market.Price(0), market.Price(0)
	for proc := range procs.All() {
		all += p.costs[proc]
		if p.costs[proc] > most {
			most, dearest = p.costs[proc], proc
		}
	}
	if p.tariff.each() {
		return all, dearest
	}
	return most, dearest
}

// affordable keeps the takers whose price the budget meets, ranked by the free
// processor time in the job's window: the fullest first, so that each node is
// used to its capacity (000, section VI.A). The most expensive are the fullest,
// so whoever wants it cheap goes to the emptiest, and so do all where the owner
// would rather not sell one node dear while others are idle.
func (p *libraPlus) affordable(v book.View, j *market.Job, takers []candidate, alike bool) []candidate {
	if len(p.costs) < v.Processors() {
		p.costs = make([]market.Price, v.Processors())
	}
	var cost market.Price
	var free market.Time
	kept, house, sold := takers[:0], int32(-1), false
	for _, c := range takers {
		if h := v.HouseOf(int(c.proc)); !alike || h != house { // else it is as on the last one
			house = h
			cost, free, sold = p.costOn(v, j, int(c.proc))
		}
		if !sold || !cost.Within(j.SLA.Budget) {
			continue
		}
		p.costs[c.proc] = cost
		switch {
		case j.Objective == market.Fastest:
			// Rank is the load, as takers left it: the emptiest is the fastest.
		case j.Objective == market.Cheapest || p.fit == fitLeastLoaded:
			c.rank = -free.Rank()
		default:
			c.rank = free.Rank()
		}
		kept = append(kept, c)
	}
	return kept
}

// costOn prices the job on one processor: equations (3) to (6) of 000, for
// processor time and, where the node sells them, for memory and disk. Nothing
// is sold that would leave nothing free.
func (p *libraPlus) costOn(v book.View, j *market.Job, proc int) (cost market.Price, free market.Time, sold bool) {
	node := v.Node(proc)
	time := pricing.Supply{Max: float64(j.SLA.Deadline), Committed: p.committed[v.HouseOf(proc)]}
	wanted := float64(j.Estimate) / v.Rating(proc)
	base := market.Price(p.base) * node.Base.Processor
	if !j.SLA.Deadline.Finite() {
		// All of an endless window is free, whatever is committed of it.
		cost = market.Price(wanted * float64(p.price.Alpha+p.price.Beta) * float64(base))
		if p.stock == byTime {
			stored := float64(node.Base.Memory)*float64(j.Memory) + float64(node.Base.Disk)*float64(j.Disk)
			cost += market.Price(float64(p.price.Alpha+p.price.Beta) * stored * wanted / hour)
		}
		return cost, market.Never, true
	}
	free = market.Time(time.Free(wanted))
	if free <= market.TimeSlack {
		return 0, 0, false
	}
	cost = p.price.Cost(pricing.Demand{Base: base, Supply: time, Wanted: wanted})
	memory, disk := v.FreeOn(proc)
	for _, m := range []pricing.Demand{
		stock(node.Base.Memory, node.Memory, memory, j.Memory), stock(node.Base.Disk, node.Disk, disk, j.Disk),
	} {
		if m.Base == 0 || m.Wanted == 0 {
			continue
		}
		if m.Supply.Free(m.Wanted) <= 0 {
			return 0, 0, false
		}
		if p.stock == byTime {
			cost += p.price.Cost(m) * market.Price(wanted/hour)
		} else {
			cost += p.price.Cost(m)
		}
	}
	return cost, free, true
}

// How memory and disk are sold: the papers' fine-grain pricing (000, section V.B)
// knows the amount alone; by time a rate is for a megabyte and an hour.
const (
	byAmount = "amount"
	byTime   = "time"
	hour     = 3600 // seconds
)

// stock is the demand for a resource that a node keeps a store of. What is not
// counted is not sold.
func stock(base market.Price, all, free, wanted int64) pricing.Demand {
	if all == market.NoLimit {
		return pricing.Demand{}
	}
	supply := pricing.Supply{Max: float64(all), Committed: float64(all - free)}
	return pricing.Demand{Base: base, Supply: supply, Wanted: float64(wanted)}
}

var _ Policy = (*libraPlus)(nil)
