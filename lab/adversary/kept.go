package adversary

import (
	"maps"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// noteQuotes follows the quotes that bind, until they are taken or are no more;
// what kept room for nothing owes rent by then.
func (w *world) noteQuotes(c *trade.Command, o *trade.Outcome) {
	if c.Quote != nil && o.Quote != nil && o.Quote.Held > 0 {
		w.quotes[o.Quote.ID] = *o.Quote
	}
	if c.Submit != nil && o.Job != nil && o.Refusal == nil {
		delete(w.quotes, c.Submit.Quote)
	}
	for _, id := range slices.Sorted(maps.Keys(w.quotes)) {
		now, open := w.x.Quote(id)
		if open && now.Binding {
			continue
		}
		q := w.quotes[id]
		delete(w.quotes, id)
		if open { // it went with the node that it kept room on, and owes nothing
			continue
		}
		minutes := float64(min(w.now, q.ExpiresUS)-q.MadeUS) / 60e6
		w.rents[q.Owner] += min(float64(q.Held), float64(q.Price)*minutes*float64(w.trade.QuoteRent)/float64(rules.Whole))
		w.ended[q.Owner]++
	}
}

// checkQuotes: (f) what quotes keep is held, and bounded: a part of the cluster for
// each user, or one processor.
func (w *world) checkQuotes() {
	if len(w.quotes) == 0 {
		return
	}
	held, keeps := map[string]int64{}, map[string]float64{}
	for _, q := range w.quotes { // sums, whatever the order
		held[q.Owner] += q.Held
		keeps[q.Owner] += q.Keeps
	}
	most, _ := w.trade.QuoteShare.Of(float64(w.processors))
	for _, user := range slices.Sorted(maps.Keys(held)) {
		if a, _ := w.x.Account(user); a.Held < held[user] {
			w.fail("f", "quotes of %s are backed by %s, and hold %s", user, market.Money(held[user]), market.Money(a.Held))
		}
		if keeps[user] > max(1, most)+1e-6 {
			w.fail("f", "quotes of %s keep %.3f of %d processors", user, keeps[user], w.processors)
		}
	}
}

// checkSpent: whoever has spent money has spent it on jobs and on rent, and on
// nothing else, to the last unit; rent is for all the time that room was kept.
func (w *world) checkSpent(p *player) {
	if len(w.broken) > 0 || w.crashed {
		return // with a node go the quotes on it, and they owe nothing
	}
	jobs, rent, ended := int64(0), 0.0, 0
	for id := range p.of {
		j := w.jobs[id]
		jobs += j.Charged - j.Penalty
	}
	for _, id := range p.ids {
		rent += w.rents[id.User]
		ended += w.ended[id.User]
	}
	if off := float64(p.net()-jobs) - rent; math.Abs(off) > float64(ended)+1 {
		w.fail("f", "%s was spent, %s of it on jobs, and rent is %.6f", market.Money(p.net()), market.Money(jobs), rent/1e6)
	}
}
