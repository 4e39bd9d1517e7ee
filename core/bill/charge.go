package bill

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// charge is what a job owes in the papers: the price whatever was used of it, and
// of one that was cancelled what it had.
func charge(r *rules.Rules, j *Job, e *Ending) Bill {
	b := Bill{Optional: e.optional(r, j)}
	switch {
	case e.Way == Ended || e.Way == Stopped || e.Way == Cancelled && e.Mandatory.Finite():
		if r.Unused == rules.Whole {
			b.add(priceName(j), j.Formula, j.Price)
		} else {
			b.used(r, j, e)
		}
		b.extensions(r, j, e, false)
		b.stored(r, j, e)
		b.executed(j, e)
	case e.Way == Cancelled && e.Begun && j.EstimateMS > 0:
		b.cancelled(r, j, e)
		b.stored(r, j, e)
	default: // never ran, or was lost by no fault of its own
	}
	return b
}

// optional is what was executed of the optional part is worth: nothing of a job
// that was lost or never taken in.
func (e *Ending) optional(r *rules.Rules, j *Job) market.Money {
	if j.Optional == nil || e.Way == Lost || e.Way == Refused || e.Way == Voided {
		return 0
	}
	return payFor(r, j.Optional.Rate, e.OptionalMS, 1) // no more than was held
}

func priceName(j *Job) string {
	if j.Optional != nil {
		return "mandatory part, as agreed"
	}
	return "price as agreed"
}

// cancelled is the price in proportion to the work that the job had.
func (b *Bill) cancelled(r *rules.Rules, j *Job, e *Ending) {
	had := min(e.WorkMS, j.EstimateMS)
	b.add(fmt.Sprintf("cancelled after %s of %s", market.Span(had), market.Span(j.EstimateMS)),
		fmt.Sprintf("%s * %d / %d", j.Price, had, j.EstimateMS), PartOf(r, j.Price, had, j.EstimateMS))
}

// extensions is what was used of the work sold beyond the estimate, the first of
// it first. What was sold ahead of time and not needed is no line of a bill.
func (b *Bill) extensions(r *rules.Rules, j *Job, e *Ending, ahead bool) {
	over := e.WorkMS - j.EstimateMS
	for _, x := range j.Extensions {
		had := min(max(0, over), x.WorkMS)
		over -= had
		b.UsedMS = append(b.UsedMS, had)
		if ahead && had == 0 {
			continue
		}
		b.add(fmt.Sprintf("over-run: %s of %s more", market.Span(had), market.Span(x.WorkMS)),
			fmt.Sprintf("%s * %d / %d", x.Price, had, x.WorkMS), PartOf(r, x.Price, had, x.WorkMS))
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
