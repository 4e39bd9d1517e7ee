package wire

import (
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// InUnit is a sentence of the core with the unit behind its amounts. Without one they
// stand alone.
func InUnit(text, unit string) string {
	if unit == "" {
		return strings.ReplaceAll(text, " "+market.Sign, "")
	}
	return strings.ReplaceAll(text, market.Sign, unit)
}

// JobIn puts the unit into what is said of a job.
func JobIn(j *v1.Job, unit string) {
	j.Detail = InUnit(j.Detail, unit)
	if j.Receipt == nil {
		return
	}
	for i := range j.Receipt.Lines {
		l := &j.Receipt.Lines[i]
		l.What = InUnit(l.What, unit)
	}
}

// QuoteIn puts the unit into what is said of a quote.
func QuoteIn(q *v1.Quote, unit string) { q.Worked = InUnit(q.Worked, unit) }

// RefusalIn puts the unit into a refusal and its offers.
func RefusalIn(r *v1.Refusal, unit string) {
	r.Detail = InUnit(r.Detail, unit)
	for i := range r.Offers {
		r.Offers[i].Detail = InUnit(r.Offers[i].Detail, unit)
		QuoteIn(&r.Offers[i].Quote, unit)
	}
}

// ExplanationIn puts the unit into an explanation.
func ExplanationIn(e *v1.Explanation, unit string) {
	e.Summary = InUnit(e.Summary, unit)
	for i, why := range e.Because {
		e.Because[i] = InUnit(why, unit)
	}
}
