package exchange

import (
	"cmp"
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// refusalText says why the cluster said no to a job.
func (x *pricer) refusalText(j *underway.Job, reason market.Reason) string {
	return x.inNumbers(j, reason.String(), trade.RefusalText(reason))
}

// inNumbers puts the number that binds into what is said of a refusal: what a job takes on the
// fastest processors there are, or would cost. Only where others are in its way are they named.
func (x *pricer) inNumbers(j *underway.Job, reason, general string) string {
	if reason == market.CannotMeetResources.String() {
		return cmp.Or(j.Request.Exceeds(x.nodes.All()), general)
	}
	late := reason == market.CannotMeetDeadline.String()
	if !late && reason != market.CannotMeetBudget.String() {
		return general
	}
	r := j.Request
	if alone := x.alone(&r); r.DeadlineMS > 0 && alone > r.DeadlineMS {
		return fmt.Sprintf("it takes %s even with processors to itself, and its deadline is in %s", market.Span(alone), market.Span(r.DeadlineMS))
	}
	if late {
		return x.tooLate(j, &r, general)
	}
	width := j.Width
	if width == 0 {
		width = x.nodes.ProcessorsUp()
	}
	if text := x.belowReserve(&r, width); text != "" {
		return text
	}
	if r.Budget == nil {
		return general
	}
	budget := market.Money(*r.Budget)
	r.Budget = nil
	if q, _, _, ok := x.terms(j, r); ok && market.Money(q.Price) > budget {
		costs, has := market.Apart(market.Money(q.Price), budget)
		return fmt.Sprintf("it costs %s, and its budget is %s", costs, has)
	}
	return general
}

// tooLate says within what time a job cannot be done, and whether others are in its way.
func (x *pricer) tooLate(j *underway.Job, r *trade.Request, general string) string {
	if r.DeadlineMS == 0 {
		return cmp.Or(x.noneFree(j, r), general)
	}
	if text := x.noneFree(j, r); text != "" {
		return text
	}
	text := fmt.Sprintf("it cannot be done within %s, its deadline", market.Span(r.DeadlineMS))
	if quotes, _ := x.quotes.Kept(); x.jobs.Len() > 0 || quotes > 0 {
		text += ", beside what has been promised to others"
	}
	return text
}

// noneFree says that others hold the GPUs a job asks for, if without them it would be taken.
func (x *pricer) noneFree(j *underway.Job, r *trade.Request) string {
	if r.GPUs > 0 && x.whyNot(j, r.WithoutGPUs()) == market.NoReason {
		return r.GPUsTaken()
	}
	return ""
}

// alone is how long a job takes, in milliseconds, on the fastest processors that are up,
// all of them if it is an array that may have them.
func (x *pricer) alone(r *trade.Request) int64 {
	fastest := 0.0
	for _, n := range x.nodes.All() {
		if n.Up && !n.Retired {
			fastest = max(fastest, n.Rating)
		}
	}
	if fastest <= 0 {
		return 0
	}
	_, each := r.Width(x.nodes.ProcessorsUp())
	return int64(math.Ceil(math.Round(float64(each)*1e3) / fastest))
}
