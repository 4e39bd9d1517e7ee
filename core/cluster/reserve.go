package cluster

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// reserve answers a quote that asks to be kept. Only what is promised can be:
// a place on processors, at a firm time. Nor can a job without work: that is
// one whose estimate is used up, and needs all there is.
func (c *Cluster) reserve(asked *market.Job) {
	j := *asked
	j.Submit = c.book.View().Now()
	c.policy.Admit(c.book.View(), &j, &c.answer)
	c.book.Note(book.Arrived)
	why := c.answer.Reason
	if c.answer.Verdict != policy.Refuse && (!c.keeps() || j.Estimate.Done()) {
		c.answer.Verdict, why = policy.Refuse, market.NotFirm
	}
	if c.answer.Verdict == policy.Refuse {
		c.reject(asked, why)
		return
	}
	s := c.book.Add(&j)
	c.book.Reserve(s)
	c.admit(s)
}

// keeps reports whether the last answer is one that can be kept.
func (c *Cluster) keeps() bool {
	return c.answer.Verdict == policy.Run && !c.answer.Passing && c.answer.Terms.Firm && c.answer.Terms.Finish.Finite()
}

// confirm lets a reserved job begin.
func (c *Cluster) confirm(id market.JobID) {
	s, here := c.book.Find(id)
	if !here || !c.book.Entry(s).Reserved() {
		return // lost with its node, or said twice in one instant
	}
	c.book.Confirm(s)
	e := c.book.Entry(s)
	c.draft.Emit(market.Event{
		Kind: market.Accepted, Job: id, Slot: int32(s), Spec: &e.Job, Start: e.Start, Procs: e.Procs,
		Price: e.Terms.Price, Finish: e.Terms.Finish, Firm: e.Terms.Firm,
	})
	c.book.Note(book.Placed)
}
