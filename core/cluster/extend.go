package cluster

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// extend answers a running job that asks for more than its estimate: it may
// have it by its own deadline, on the processors it holds, at the price of
// today, if that hurts nobody to whom something is promised.
//
// Jobs that hold their processors alone are always given more: they cannot be
// moved aside, and those who wait for them were promised nothing firm. Under
// qops they were, and under hol they lose value by waiting: there too an
// over-run is made good by none but those who wait, as it would be if nobody
// had asked.
func (c *Cluster) extend(x *market.Event) {
	s, here := c.book.Find(x.Job)
	if !here {
		return // gone in this very instant
	}
	if !c.book.Runs(s) {
		c.overran(s, market.NodeLost, 0)
		return
	}
	if c.book.Refining(s) { // what is optional was limited when it was agreed
		c.overran(s, market.NotFirm, 0)
		return
	}
	price, claim, why := c.further(s, x.Work)
	if why != market.NoReason {
		c.overran(s, why, 0)
		return
	}
	if !price.Within(x.Price) {
		c.overran(s, market.CannotMeetBudget, price)
		return
	}
	c.book.Prolong(s, x.Work, claim)
	e := c.book.Entry(s)
	c.draft.Emit(market.Event{
		Kind: market.Prolonged, Job: e.Job.ID, Slot: int32(s), Spec: &e.Job, Start: e.Start, Procs: e.Procs,
		Work: e.Job.Estimate, Price: price, Finish: e.Terms.Finish, Firm: e.Terms.Firm,
	})
	c.book.Note(book.Measured | book.Placed)
}

func (c *Cluster) overran(s book.Slot, why market.Reason, price market.Price) {
	e := c.book.Entry(s)
	c.draft.Emit(market.Event{
		Kind: market.Overran, Reason: why, Job: e.Job.ID, Slot: int32(s), Spec: &e.Job, Start: e.Start, Price: price,
	})
}

// further asks the policy for the rest of a job and further work on the
// processors it holds, as if it were not there yet, and then for the price of
// the further work alone. It says why that cannot be.
func (c *Cluster) further(s book.Slot, work market.Work) (price market.Price, claim market.Share, why market.Reason) {
	e, now := c.book.Entry(s), c.book.View().Now()
	rest := max(0, c.book.LeftOf(s, now))
	asked := e.Job
	asked.Submit, asked.SLA.Deadline = now, max(0, e.Due()-now)
	asked.Width, asked.Threads, asked.Spread = market.Int32(c.book.Tasks(s)), 0, false // where it is, it stays
	asked.Where = nil
	admit := func(v book.View, work market.Work) {
		asked.Estimate, asked.SLA.Budget = work, market.Unlimited
		if e.Terms.Liable || policy.ChargesOffer(c.policy) { // its price is what it offers: as much for a second as before
			asked.SLA.Budget = policy.Bidding(c.policy, rate(e, work))
		}
		c.policy.Admit(v, &asked, &c.answer)
	}
	if c.book.IsAlone(s) {
		admit(c.book.View(), work)
		return c.priceOf(e, work), 0, market.NoReason
	}
	c.book.Without(s, func(v book.View) {
		if e.Due().Finite() {
			admit(v, rest+work)
			if why, claim = c.refusal(), c.answer.Terms.Claim; why != market.NoReason {
				return
			}
		}
		admit(v, work)
		price = c.priceOf(e, work)
	})
	return price, claim, why
}

// refusal is why the last answer lets nobody run.
func (c *Cluster) refusal() market.Reason {
	switch c.answer.Verdict {
	case policy.Refuse:
		return c.answer.Reason
	case policy.Queue:
		return market.NotFirm
	case policy.Run:
	}
	return market.NoReason
}

// priceOf is the price of further work in the last answer. Where there is none
// it costs as much for a second as the job does, and nothing where the job has
// no price, or one for the whole.
func (c *Cluster) priceOf(e *book.Entry, work market.Work) market.Price {
	if e.Terms.Flat {
		return 0
	}
	price := c.answer.Terms.Price
	if c.answer.Verdict == policy.Refuse || !price.Limited() {
		price = rate(e, work)
	}
	if !price.Limited() {
		return 0
	}
	return price
}

// rate is what so much work costs at the price promised to a job. That may
// have been for next to no work: then it is the same again.
func rate(e *book.Entry, work market.Work) market.Price {
	if e.Priced().Done() {
		return e.Terms.Price
	}
	return e.Terms.Price * market.Price(work/e.Priced())
}

// makeBestEffort makes void what was promised to a running job.
func (c *Cluster) makeBestEffort(id market.JobID) {
	if s, here := c.book.Find(id); here && c.book.Runs(s) {
		c.book.MakeBestEffort(s)
		c.book.Note(book.Measured)
	}
}
