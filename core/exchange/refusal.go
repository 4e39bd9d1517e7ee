package exchange

import (
	"cmp"
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// refusal says why the cluster said no to a job, for programs and for people, with the
// constraint that binds and its number: what a job takes on the fastest processors there
// are, or would cost. A policy that looks at the budget first says that where no budget
// would help; then it is what stands in the way of any. Only where others are in its way
// are they named.
func (x *pricer) refusal(j *underway.Job, reason market.Reason) (code, text string) {
	r, general := j.Request, trade.RefusalText(reason)
	switch reason {
	case market.CannotMeetResources:
		return reason.String(), cmp.Or(r.Exceeds(x.nodes.All()), roster.Soon(x.nodes.Census(), "", r.Where(), x.now, underway.Until(j, x.now)), general)
	case market.CannotMeetDeadline, market.CannotMeetBudget:
	default:
		return reason.String(), general
	}
	if left := (j.DueUS - x.now) / 1000; j.DueUS > 0 && left <= 0 {
		return market.CannotMeetDeadline.String(), "its deadline has passed while it waited"
	} else if j.DueUS > 0 {
		r.DeadlineMS = min(r.DeadlineMS, left)
	}
	if alone := r.Alone(x.nodes); r.DeadlineMS > 0 && alone > r.DeadlineMS {
		takes, has := market.SpansApart(alone, r.DeadlineMS)
		return market.CannotMeetDeadline.String(), fmt.Sprintf("it takes %s even with processors to itself, and its deadline is in %s", takes, has)
	}
	if reason == market.CannotMeetDeadline {
		return reason.String(), x.tooLate(j, &r, general)
	}
	if text := x.belowReserve(&r, cmp.Or(j.Width, x.nodes.ProcessorsUp())); text != "" || r.Budget == nil {
		if text == "" && x.whyNot(j, r) == market.NoReason { // the core has no bound of money
			text = trade.TooDear
		}
		return reason.String(), cmp.Or(text, general)
	}
	budget := market.Money(*r.Budget)
	r.Budget = nil
	q, _, _, ok := x.terms(j, r)
	switch {
	case ok && market.Money(q.Price) > budget:
		costs, has := market.Apart(market.Money(q.Price), budget)
		return reason.String(), fmt.Sprintf("it costs %s %s, and its budget is %s %s", costs, market.Sign, has, market.Sign)
	case !ok && x.whyNot(j, r) == market.CannotMeetDeadline:
		return market.CannotMeetDeadline.String(), x.tooLate(j, &r, trade.RefusalText(market.CannotMeetDeadline))
	}
	return reason.String(), general
}

// tooLate says within what time a job cannot be done, whether others are in its way, and until when.
func (x *pricer) tooLate(j *underway.Job, r *trade.Request, general string) string {
	if none := x.noneFree(j, r); none != "" || r.DeadlineMS == 0 {
		return cmp.Or(none, roster.Barred(x.nodes.Census(), r.Where(), x.now, underway.Until(j, x.now)), general)
	}
	if r.Bound() && r.Lanes(x.nodes) == 0 {
		if r.Reservation != "" {
			return "no node that is up and that it may be on is set aside for reservation " + r.Reservation + " now (" + r.Places() + ")"
		}
		return "none of the nodes that it may be on is up (" + r.Places() + ")"
	}
	text := fmt.Sprintf("it cannot be done within %s, its deadline", market.Span(r.DeadlineMS))
	if x.elsewhere(j, r) {
		text += ", on the nodes that it may be on (" + r.Places() + ")"
	}
	shut, all := roster.Shut(x.nodes.Census(), "; ", r.Where())
	if quotes, _ := x.quotes.Kept(); !all && (x.jobs.Len() > 0 || quotes > 0) {
		text += ", beside what has been promised to others"
	}
	return text + shut + roster.Soon(x.nodes.Census(), "; ", r.Where(), x.now, underway.Until(j, x.now)) + trade.ClearWithin(r, x.nodes)
}

// elsewhere reports whether a job that says on which nodes it may be would be taken on others.
func (x *pricer) elsewhere(j *underway.Job, r *trade.Request) bool {
	return r.Chooses() && x.whyNot(j, r.Anywhere()) == market.NoReason
}

// noneFree says that others hold the GPUs a job asks for, if without them it would be taken.
func (x *pricer) noneFree(j *underway.Job, r *trade.Request) string {
	if r.GPUs > 0 && x.whyNot(j, r.WithoutGPUs()) == market.NoReason {
		return r.GPUsTaken(x.jobs.GPUsFree(x.nodes.All(), r) - x.now)
	}
	return ""
}
