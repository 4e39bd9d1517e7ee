package cluster

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// loseNode takes a node away. Whoever ran on it has lost his progress and asks
// to be taken in again, with what is left of his deadline and at the price he
// was promised: the loss is the cluster's, not his.
func (c *Cluster) loseNode(node int) {
	held := c.book.HeldOn(node)
	for _, s := range held {
		e := c.book.Entry(s)
		c.draft.Emit(market.Event{
			Kind: market.Evicted, Reason: market.NodeLost, Job: e.Job.ID, Slot: int32(s), Spec: &e.Job, Start: e.Start,
		})
		c.book.Detach(s)
	}
	c.book.SetDown(node, true)
	c.book.Note(book.NodesChanged | book.Departed)
	for _, s := range held {
		c.readmit(s)
	}
}

// closeNode lets a node take no new jobs. Who runs on it goes on; who only keeps a place
// there has not begun, and asks for another.
func (c *Cluster) closeNode(node int) {
	var kept []book.Slot
	for _, s := range c.book.HeldOn(node) {
		if !c.book.Entry(s).Reserved() {
			continue
		}
		e := c.book.Entry(s)
		c.draft.Emit(market.Event{
			Kind: market.Evicted, Reason: market.NodeLost, Job: e.Job.ID, Slot: int32(s), Spec: &e.Job, Start: e.Start,
		})
		c.book.Detach(s)
		kept = append(kept, s)
	}
	c.book.SetClosed(node, true)
	c.book.Note(book.NodesChanged)
	if len(kept) > 0 {
		c.book.Note(book.Departed)
	}
	for _, s := range kept {
		c.readmit(s)
	}
}

// dislodge takes a job off its processors, without its progress, and asks for
// it to be taken in again: on another node than the one that lost it, if one is named and
// that can be, for that one may lose it as often as it is asked to.
func (c *Cluster) dislodge(s book.Slot, lost int) {
	e := c.book.Entry(s)
	c.draft.Emit(market.Event{
		Kind: market.Evicted, Reason: market.NodeLost, Job: e.Job.ID, Slot: int32(s), Spec: &e.Job, Start: e.Start,
	})
	c.book.Detach(s)
	c.book.Note(book.Departed)
	if lost == 0 || !c.elsewhere(s, lost-1) {
		c.readmit(s)
	}
}

// elsewhere takes a job in again as if a node were closed to it, if that can be. Where
// it has to wait, it may get that node after all.
func (c *Cluster) elsewhere(s book.Slot, node int) bool {
	if c.book.Closed(node) {
		return false
	}
	c.book.SetClosed(node, true)
	c.book.Note(book.NodesChanged)
	taken := c.takes(s)
	if taken {
		c.admit(s)
		c.plan()
	}
	c.book.SetClosed(node, false)
	c.book.Note(book.NodesChanged)
	return taken
}

// readmit takes a job in again, or ends it.
func (c *Cluster) readmit(s book.Slot) {
	if !c.takes(s) {
		c.end(market.Stopped, s, market.NodeLost)
		return
	}
	c.admit(s)
}

// takes asks whether a job that was here is taken in again: the answer has what was
// promised to it.
func (c *Cluster) takes(s book.Slot) bool {
	e := c.book.Entry(s)
	again, promised, now := e.Job, e.Terms, c.book.View().Now()
	again.Submit, again.SLA.Budget = now, market.Unlimited
	if !e.Reserved() { // else it has not begun
		again.SLA.Deadline = max(0, e.Due()-now)
	}
	c.policy.Admit(c.book.View(), &again, &c.answer)
	if c.answer.Verdict == policy.Refuse || e.Reserved() && !c.keeps() {
		return false
	}
	c.answer.Terms.Price, c.answer.Terms.Worth = promised.Price, promised.Worth
	if !c.answer.Terms.Firm { // else it is promised a time in the place it was given just now
		c.answer.Terms.Rank = promised.Rank
	}
	if e.BestEffort() {
		c.answer.Terms.Firm = false
	}
	return true
}
