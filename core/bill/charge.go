package bill

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// charge is what a job owes, by how it ended.
func charge(r Rules, j *Job, e *Ending) Bill {
	b := Bill{Optional: e.optional(j)}
	switch {
	case e.Way == Ended || e.Way == Stopped || e.Way == Cancelled && e.Mandatory.Finite():
		b.price(r, j, e)
		b.extensions(j, e)
		b.executed(j, e)
	case e.Way == Cancelled && e.Begun && j.EstimateMS > 0:
		b.cancelled(r, j, e)
	default: // never ran, or was lost by no fault of its own
	}
	return b
}

// optional is what was executed of the optional part is worth: nothing of a job
// that was lost or never taken in.
func (e *Ending) optional(j *Job) market.Money {
	if j.Optional == nil || e.Way == Lost || e.Way == Refused || e.Way == Voided {
		return 0
	}
	amount, _ := Pay(j.Optional.Rate, e.OptionalMS, 1) // no more than was held
	return amount
}

// price is what a job owes for its estimate.
func (b *Bill) price(r Rules, j *Job, e *Ending) {
	what := "price as agreed"
	if j.Optional != nil {
		what = "mandatory part, as agreed"
	}
	b.add(what, j.Formula, used(j.Price, e.WorkMS, j.EstimateMS, r.Unused))
}

// cancelled is the price in proportion to the work that the job had.
func (b *Bill) cancelled(r Rules, j *Job, e *Ending) {
	had := min(e.WorkMS, j.EstimateMS)
	b.add(fmt.Sprintf("cancelled after %s of %s", market.Span(had), market.Span(j.EstimateMS)),
		fmt.Sprintf("%s * %d / %d", j.Price, had, j.EstimateMS), used(j.Price, had, j.EstimateMS, r.UnusedCancelled))
}

// extensions is what was used of the work sold beyond the estimate, the first of
// it first.
func (b *Bill) extensions(j *Job, e *Ending) {
	over := e.WorkMS - j.EstimateMS
	for _, x := range j.Extensions {
		had := min(max(0, over), x.WorkMS)
		over -= had
		b.UsedMS = append(b.UsedMS, had)
		b.add(fmt.Sprintf("over-run: %s of %s more", market.Span(had), market.Span(x.WorkMS)),
			fmt.Sprintf("%s * %d / %d", x.Price, had, x.WorkMS), Proportion(x.Price, had, x.WorkMS))
	}
}

// executed is what was executed of the optional part.
func (b *Bill) executed(j *Job, e *Ending) {
	o := j.Optional
	if o == nil {
		return
	}
	b.add(fmt.Sprintf("optional part: %s of %s executed", market.Span(e.OptionalMS), market.Span(o.WorkMS*int64(o.Processors))),
		fmt.Sprintf("%s a second * %.3f s", o.Rate, float64(e.OptionalMS)/1e3), b.Optional)
}

func (b *Bill) add(what, formula string, amount market.Money) {
	b.Charge += amount
	b.Lines = append(b.Lines, Line{What: what, Formula: formula, Amount: amount})
}

// used is the price of what was done of so much work, and a part of the price of
// the rest.
func used(price market.Money, doneMS, ofMS int64, unused Part) market.Money {
	if unused == Whole {
		return price
	}
	done := Proportion(price, min(max(0, doneMS), ofMS), ofMS)
	return done + Proportion(price-done, int64(unused), int64(Whole))
}
