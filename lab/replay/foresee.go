package replay

import (
	"context"
	"maps"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/workload"
)

// Levers are a policy, its settings, and what a processor costs by the second.
type Levers struct {
	Policy string
	Set    map[string]string
	Rate   market.Price

	Partitions *trade.Rates // what partitions cost; nil: there are none
}

// Forecast is what other levers would have brought.
type Forecast struct {
	Revenue, RevenueBefore   market.Price
	Accepted, AcceptedBefore int // jobs that were taken and ran to their end
	Kept, KeptBefore         int // in time and within budget
	Better, Worse            int // users
	Unpaid, UnpaidBefore     int // jobs that nobody could have paid
}

// Foresee runs the jobs under other levers, and under those in force: the
// difference is what the levers do.
func (h *History) Foresee(ctx context.Context, inForce, other Levers) (*Forecast, error) {
	before, err := h.tryLevers(ctx, inForce)
	if err != nil {
		return nil, err
	}
	after, err := h.tryLevers(ctx, other)
	if err != nil {
		return nil, err
	}
	f := &Forecast{Unpaid: after.unpaid, UnpaidBefore: before.unpaid}
	f.Revenue, f.Accepted, f.Kept = after.sums()
	f.RevenueBefore, f.AcceptedBefore, f.KeptBefore = before.sums()
	f.Better, f.Worse = WhoGains(h.Arrivals, before.fates, after.fates)
	return f, nil
}

// sums adds up what all paid, those too who were served late.
func (e *effect) sums() (revenue market.Price, completed, satisfied int) {
	for i := range e.fates {
		revenue += market.Price(e.fates[i].Paid)
		if e.fates[i].Satisfied {
			satisfied++
		}
	}
	return revenue, e.completed, satisfied
}

func (h *History) tryLevers(ctx context.Context, l Levers) (*effect, error) {
	kind, err := policy.Find(l.Policy)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for _, s := range kind.Settings() {
		value, given := l.Set[s.Name]
		if !given {
			value = s.Value()
		}
		set[s.Name] = value
	}
	own, _ := rules.Split(l.Set)
	maps.Copy(set, own)
	cell := h.cell(l.Policy, set)
	cell.Rate, cell.Partitions = l.Rate, l.Partitions
	return h.run(ctx, &cell)
}

// WhoGains counts the users for whom more jobs are satisfied, or as many for
// less money, and those for whom it is the other way round.
func WhoGains(arrivals []workload.Arrival, before, after []Fate) (better, worse int) {
	type sum struct {
		jobs int
		paid float64
	}
	change := map[market.Account]*sum{}
	for i := range arrivals {
		s := change[arrivals[i].Job.Owner]
		if s == nil {
			s = &sum{}
			change[arrivals[i].Job.Owner] = s
		}
		if after[i].Satisfied {
			s.jobs++
		}
		if before[i].Satisfied {
			s.jobs--
		}
		s.paid += after[i].Paid - before[i].Paid
	}
	const noticeable = 1e-6
	for _, s := range change {
		switch {
		case s.jobs > 0 || s.jobs == 0 && s.paid < -noticeable:
			better++
		case s.jobs < 0 || s.paid > noticeable:
			worse++
		}
	}
	return better, worse
}
