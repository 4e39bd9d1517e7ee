package bill

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// chargeUsed is what a job owes by the one table of endings: one that began owes
// what it used of its price, a part of what it reserved and did not use, and all
// that it took beyond its estimate, however it ended; one that never began, or
// was lost by no fault of its own, owes nothing.
func chargeUsed(r *rules.Rules, j *Job, e *Ending) Bill {
	b := Bill{}
	switch e.Way {
	case Ended, Stopped, Cancelled:
		if e.Begun {
			b.Optional = e.optional(r, j)
			b.used(r, j, e)
			b.extensions(r, j, e, r.Held())
			b.stored(r, j, e)
			b.executed(j, e)
		}
	case Refused, Expired, Lost, Voided:
	}
	return b
}

// used is the price of what was done of the estimate, and a part of the price of
// the rest, for that of it which began.
func (b *Bill) used(r *rules.Rules, j *Job, e *Ending) {
	had := min(max(0, e.WorkMS), j.EstimateMS)
	if had == j.EstimateMS {
		b.add(priceName(j), j.Formula, j.Price)
		return
	}
	done := PartOf(r, j.Price, had, j.EstimateMS)
	b.add(fmt.Sprintf("used %s of %s, agreed for %s", market.Span(had), market.Span(j.EstimateMS), j.Price.Said()),
		fmt.Sprintf("%s * %d / %d", j.Price, had, j.EstimateMS), done)
	rest, of := j.Price-done, ""
	if e.Never > 0 {
		rest = max(0, PartOf(r, j.Price, int64(e.Of-e.Never), int64(e.Of))-done)
		of = fmt.Sprintf("; %d of %d never began", e.Never, e.Of)
	}
	b.add(fmt.Sprintf("reserved and not used: %s%s", market.Span(j.EstimateMS-had), of),
		fmt.Sprintf("%s * %s", rest, market.Money(r.Unused)), PartOf(r, rest, int64(r.Unused), int64(rules.Whole)))
}
