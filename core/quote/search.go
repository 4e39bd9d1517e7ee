package quote

import (
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Search looks for requests a little different from one that was refused, and
// that would be taken. It only asks.
type Search struct {
	Request    trade.Request              // that was refused
	Imprecise  bool                       // the policy knows optional parts: the budget is what a job is worth
	Processors int                        // that are up
	Ahead      bool                       // some nodes are somebody else's from some time on
	Least      func(*trade.Request) int64 // that a request must bid where the price is what is bid; 0: anything
	Ask        func(trade.Request) (trade.Quote, bool)
	Pays       func(*trade.Request, *trade.Quote) bool // whether the account can keep what that costs
}

// Offers are those that were found, each by another change.
func (s *Search) Offers() []trade.Offer {
	found := []trade.Offer{}
	for _, vary := range []func() (trade.Offer, bool){s.laterDeadline, s.soonerDeadline, s.largerBudget, s.smallerBudget, s.fewerProcessors, s.fewerGPUs, s.otherNodes} {
		if o, ok := vary(); ok {
			found = append(found, o)
		}
	}
	if r := &s.Request; r.Budget != nil && s.Least(r) > *r.Budget { // the bid is what is wrong: nobody is to wait as well
		slices.SortStableFunc(found, func(a, b trade.Offer) int { return rank(&a) - rank(&b) })
	}
	return s.worthwhile(found)
}

// worthwhile leaves out what changes something beside the budget, and needs no smaller one
// than an offer that changes the budget alone.
func (s *Search) worthwhile(found []trade.Offer) []trade.Offer {
	i := slices.IndexFunc(found, func(o trade.Offer) bool { return o.Change == "budget" })
	if i < 0 {
		return found
	}
	alone, asked := *found[i].Quote.Request.Budget, *s.Request.Budget
	return slices.DeleteFunc(found, func(o trade.Offer) bool {
		with := o.Quote.Request.Budget
		return o.Change != "budget" && with != nil && *with > asked && *with >= alone
	})
}

// rank puts the offer first that changes nothing but the bid.
func rank(o *trade.Offer) int {
	if o.Change == "budget" {
		return 0
	}
	return 1
}

// affordable tries a request with no limit to its budget; the budget of what
// comes back is raised to the price where it was below.
func (s *Search) affordable(r trade.Request) (trade.Request, trade.Quote, bool) {
	if least := s.Least(&r); r.Budget != nil && least > *r.Budget {
		raised := roundUp(least)
		r.Budget = &raised
	}
	open := r
	open.Budget = nil
	// Where the budget is the price there is no price without one.
	if price, ok := s.Ask(open); ok && r.Budget != nil && price.Price > *r.Budget {
		raised := roundUp(price.Price)
		r.Budget = &raised
	}
	q, ok := s.Ask(r)
	if !ok {
		return r, trade.Quote{}, false
	}
	return r, q, s.Pays(&r, &q)
}

// soonerDeadline looks for the latest deadline before the one that was asked for that can be met, where a
// job may not be under way until then because nodes are somebody else's before; also as late as the offer
// may be taken.
func (s *Search) soonerDeadline() (trade.Offer, bool) {
	r, none := s.Request, trade.Offer{}
	if !s.Ahead {
		return none, false
	}
	before := r.DeadlineMS
	if before == 0 {
		before = min(trade.MaxMS, 4*r.EstimateMS) // for so long it may be under way
	}
	meets := func(ms int64) bool {
		r.DeadlineMS = ms + trade.DefaultTTL
		if _, _, late := s.affordable(r); !late {
			return false
		}
		r.DeadlineMS = ms
		_, _, ok := s.affordable(r)
		return ok
	}
	least, most := int64(0), before
	for least == 0 {
		less := most * 3 / 4 / 1000 * 1000
		if less < max(1000, r.EstimateMS/4) { // on the fastest processors
			return none, false
		}
		if meets(less) {
			least = less
		} else {
			most = less
		}
	}
	for most-least > 1000+least/16 {
		if half := roundSeconds(float64(least+most) / 2); half < most && meets(half) {
			least = half
		} else {
			most = half
		}
	}
	r.DeadlineMS = least
	r, q, ok := s.affordable(r)
	asked := "none"
	if s.Request.DeadlineMS > 0 {
		asked = market.Span(s.Request.DeadlineMS)
	}
	return trade.Offer{Change: "deadline", Detail: fmt.Sprintf("deadline %s instead of %s", market.Span(least), asked) + s.forPrice(&r, &q), Quote: q}, ok
}

// laterDeadline looks for the nearest deadline that can be met: outwards in
// growing steps, then back in between.
func (s *Search) laterDeadline() (trade.Offer, bool) {
	r := s.Request
	if r.DeadlineMS == 0 {
		return trade.Offer{}, false
	}
	least, most := r.DeadlineMS, int64(0)
	floor := max(r.DeadlineMS, r.EstimateMS)
	for _, factor := range []float64{1, 1.25, 1.5, 2, 3, 5, 8, 13, 21, 50, 200} {
		r.DeadlineMS = roundSeconds(float64(floor) * factor)
		if r.DeadlineMS <= s.Request.DeadlineMS || r.DeadlineMS > trade.MaxMS {
			continue
		}
		if _, _, ok := s.affordable(r); ok {
			most = r.DeadlineMS
			break
		}
		least = r.DeadlineMS
	}
	if most == 0 {
		return trade.Offer{}, false
	}
	for range 5 {
		r.DeadlineMS = roundSeconds(float64(least+most) / 2)
		if r.DeadlineMS <= least || r.DeadlineMS >= most {
			break
		}
		if _, _, ok := s.affordable(r); ok {
			most = r.DeadlineMS
		} else {
			least = r.DeadlineMS
		}
	}
	r.DeadlineMS = most
	r, q, ok := s.affordable(r)
	offered, asked := market.SpansApart(r.DeadlineMS, s.Request.DeadlineMS)
	detail := fmt.Sprintf("deadline %s instead of %s", offered, asked)
	return trade.Offer{Change: "deadline", Detail: detail + s.forPrice(&r, &q), Quote: q}, ok
}

// largerBudget offers the same at its price.
func (s *Search) largerBudget() (trade.Offer, bool) {
	if s.Request.Budget == nil {
		return trade.Offer{}, false
	}
	if s.Imprecise && s.Least(&s.Request) <= *s.Request.Budget {
		return s.worthwhileBudget()
	}
	r, q, ok := s.affordable(s.Request)
	if !ok || *r.Budget == *s.Request.Budget {
		return trade.Offer{}, false
	}
	return trade.Offer{
		Change: "budget", Quote: q,
		Detail: instead(*r.Budget, *s.Request.Budget),
	}, true
}

// smallerBudget offers as large a budget as its account can keep, where a budget that was
// meant as no limit is more than that.
func (s *Search) smallerBudget() (trade.Offer, bool) {
	r := s.Request
	if r.Budget == nil {
		return trade.Offer{}, false
	}
	q, ok := s.Ask(r)
	pays := func(budget int64) bool {
		r.Budget = &budget
		return s.Pays(&r, &q)
	}
	least, most := roundUp(q.Price), *s.Request.Budget
	if !ok || pays(most) || !pays(least) {
		return trade.Offer{}, false
	}
	for most-least > cent {
		if middle := roundUp(least + (most-least)/2); middle < most && pays(middle) {
			least = middle
		} else {
			most = min(middle, most-cent)
		}
	}
	r.Budget = &least
	r, q, ok = s.affordable(r)
	return trade.Offer{Change: "budget", Quote: q, Detail: instead(*r.Budget, *s.Request.Budget)}, ok
}

// fewerProcessors offers the same work on fewer processors, for longer.
func (s *Search) fewerProcessors() (trade.Offer, bool) {
	width := s.Request.Procs()
	if s.Request.Optional != nil {
		return trade.Offer{}, false // so many independent tasks: fewer of them are another job
	}
	threads := s.Request.PerProgram()
	for n := min(width-1, s.Processors); n >= threads; n = n * 3 / 4 {
		n -= n % threads
		r := s.Request
		r.Processors = n
		r.EstimateMS = int64(math.Ceil(float64(s.Request.EstimateMS) * float64(width) / float64(n)))
		if fits, q, ok := s.affordable(r); ok {
			detail := fmt.Sprintf("%d processors instead of %d, %s on each", n, width, market.Span(r.EstimateMS))
			return trade.Offer{Change: "processors", Detail: detail + s.forPrice(&fits, &q), Quote: q}, true
		}
	}
	return trade.Offer{}, false
}

// fewerGPUs offers the same with as many GPUs as there are, or without any.
func (s *Search) fewerGPUs() (trade.Offer, bool) {
	for n := s.Request.GPUs - 1; n >= 0; n = min(n-1, n*3/4) {
		r := s.Request.WithoutGPUs()
		if n > 0 {
			r.GPUs, r.GPUKind = n, s.Request.GPUKind
		}
		if fits, q, ok := s.affordable(r); ok {
			detail := fmt.Sprintf("%s instead of %d for each program", market.CountGPUs("", n), s.Request.GPUs)
			return trade.Offer{Change: "gpus", Detail: detail + s.forPrice(&fits, &q), Quote: q}, true
		}
	}
	return trade.Offer{}, false
}

// otherNodes offers the same on any node.
func (s *Search) otherNodes() (trade.Offer, bool) {
	if !s.Request.Chooses() {
		return trade.Offer{}, false
	}
	fits, q, ok := s.affordable(s.Request.Anywhere())
	return trade.Offer{Change: "nodes", Detail: "on any node" + s.Request.OfPartition() + s.forPrice(&fits, &q), Quote: q}, ok
}

// instead says which budget is offered.
func instead(offered, asked int64) string {
	now, before := market.Apart(market.Money(offered), market.Money(asked))
	return fmt.Sprintf("budget %s %s instead of %s %s", now, market.Sign, before, market.Sign)
}

func (s *Search) forPrice(r *trade.Request, q *trade.Quote) string {
	text := ", for " + market.Money(q.Price).Said()
	if r.Budget != nil && s.Request.Budget != nil && *r.Budget != *s.Request.Budget {
		text += " (" + instead(*r.Budget, *s.Request.Budget) + ")"
	}
	return text
}

// worthwhileBudget looks for the smallest budget with which a job brings more
// than it displaces: upwards in growing steps, then back in between.
func (s *Search) worthwhileBudget() (trade.Offer, bool) {
	r := s.Request
	if _, _, ok := s.affordable(r); ok {
		return trade.Offer{}, false // the budget is not what is wrong
	}
	try := func(amount int64) bool {
		r.Budget = &amount
		_, _, ok := s.affordable(r)
		return ok
	}
	least, most := *s.Request.Budget, int64(0)
	for _, factor := range []int64{125, 150, 200, 300, 500, 800, 1300, 2100, 5000, 20_000, 100_000} {
		amount, fits := bill.Pay(market.Money(max(cent, least)), factor*10, 1)
		if !fits {
			break
		}
		if amount := roundUp(int64(amount)); try(amount) {
			most = amount
			break
		}
		least = max(least, roundUp(int64(amount)))
	}
	if most == 0 {
		return trade.Offer{}, false
	}
	for range 8 {
		amount := roundUp(least + (most-least)/2)
		if amount <= least || amount >= most {
			break
		}
		if try(amount) {
			most = amount
		} else {
			least = amount
		}
	}
	r.Budget = &most
	r, q, ok := s.affordable(r)
	return trade.Offer{
		Change: "budget", Quote: q,
		Detail: instead(most, *s.Request.Budget),
	}, ok
}

// cent is the least that people write.
const cent = int64(market.Unit) / 100

// roundUp is an amount to the next hundredth: what people write.
func roundUp(micros int64) int64 {
	return (micros + cent - 1) / cent * cent
}

// roundSeconds is a period to the next whole second.
func roundSeconds(ms float64) int64 { return int64(math.Ceil(ms/1000)) * 1000 }
