package cluster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Cluster is one cluster under one policy.
type Cluster struct {
	// Punctual is for drivers of real nodes. It asks for a wake-up also when the
	// next waiting job will have waited in vain and when the next estimate will
	// be used up; and where tasks advance independently, a job without a deadline is as
	// one that was released: past its estimate too it takes nothing from those
	// to whom something is promised. In a simulated run who waits in vain is
	// dropped at the next pass, and this is left alone.
	Punctual bool

	book   *book.Book
	draft  *book.Draft
	policy policy.Policy
	answer policy.Answer
	nodes  int
	apart  bool // the policy plans for what departed before it hears who arrives
}

// New makes a cluster of empty nodes.
func New(nodes []market.Node, p policy.Policy) (*Cluster, error) {
	return Of(market.Each(nodes), p)
}

// Of is a cluster of nodes that may be alike.
func Of(nodes market.Nodes, p policy.Policy) (*Cluster, error) {
	if err := validate(nodes); err != nil {
		return nil, err
	}
	b := book.New(nodes)
	return &Cluster{book: b, draft: book.NewDraft(b), policy: p, nodes: nodes.Len(), apart: policy.EventByEvent(p)}, nil
}

// validate finds what is wrong with the nodes of a cluster.
func validate(nodes market.Nodes) error {
	if nodes.Len() == 0 {
		return errors.New("a cluster needs at least one node")
	}
	kinds := nodes.Kinds()
	for i := range kinds {
		if err := kinds[i].Validate(); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	if processors := nodes.Processors(); processors > market.MaxWidth {
		return fmt.Errorf("%d processors are more than a cluster can have (%d)", processors, market.MaxWidth)
	}
	return nil
}

// Quote says what a job would be told if it were submitted at the given time;
// an error that is a *market.Rejection is the answer no. Nothing changes.
func (c *Cluster) Quote(at market.Time, j market.Job) (market.Quote, error) {
	if err := j.Validate(); err != nil {
		return market.Quote{}, err
	}
	j.Submit = at
	c.book.ReadAt(at, func(v book.View) { c.policy.Admit(v, &j, &c.answer) })
	if c.answer.Verdict == policy.Refuse {
		return market.Quote{}, &market.Rejection{Reason: c.answer.Reason}
	}
	t := c.answer.Terms
	quote := market.Quote{Price: t.Price, Finish: t.Finish, Firm: t.Firm, Passing: c.answer.Verdict == policy.Run && c.answer.Passing, Gain: c.answer.Gain, Expected: c.answer.Expected}
	if c.answer.Verdict == policy.Run {
		quote.Procs = append(quote.Procs, c.answer.Procs...)
	}
	return quote, nil
}

// Step takes in all that happened at one instant and returns all that follows
// from it. Departures and changes of nodes come before arrivals. The events
// returned hold until the next call.
//
// What happened is applied first; arrivals are answered one by one; then the
// policy plans once for the instant (and once more for every job put on
// processors at the door, because that is an event of its own).
func (c *Cluster) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	if err := c.check(at, happened); err != nil {
		return nil, err
	}
	c.book.Tick(at)
	c.draft.Clear()
	for i := range happened {
		c.apply(&happened[i])
	}
	c.plan()
	if c.Punctual {
		woken := slices.ContainsFunc(happened, func(e market.Event) bool { return e.Kind == market.Woken })
		return c.draft.EventsOnTime(woken), nil
	}
	return c.draft.Events(), nil
}

func (c *Cluster) apply(e *market.Event) {
	switch e.Kind {
	case market.Submitted:
		c.before()
		c.submit(e.Spec)
	case market.Reserved:
		c.before()
		c.reserve(e.Spec)
	case market.Confirmed:
		c.confirm(e.Job)
	case market.Finished:
		c.finish(e)
	case market.Cancelled:
		if s, here := c.book.Find(e.Job); here {
			if !c.book.Entry(s).Reserved() { // else it was never there
				c.book.Note(book.Departed)
			}
			c.end(market.Stopped, s, market.ByUser)
		}
	case market.Used:
		if s, here := c.book.Find(e.Job); here {
			c.book.Measure(s, e.Proc, e.Work, e.Presumed)
			c.book.Note(book.Measured)
		}
	case market.Fulfilled:
		if s, here := c.book.Find(e.Job); here && c.book.Runs(s) { // else its node has just been lost
			c.book.Fulfil(s, e.Proc, e.Work)
			c.book.Note(book.Departed)
		}
	case market.Extended:
		c.extend(e)
	case market.Released:
		c.makeBestEffort(e.Job)
	case market.Dislodged:
		if s, here := c.book.Find(e.Job); here && c.book.Runs(s) { // else its node has just been lost
			c.dislodge(s, int(e.Node))
		}
	case market.NodeDown:
		c.loseNode(int(e.Node))
	case market.NodeUp:
		c.book.SetDown(int(e.Node), false)
		c.book.Note(book.NodesChanged)
	case market.NodeClosed:
		c.closeNode(int(e.Node))
	case market.NodeOpened:
		c.book.SetClosed(int(e.Node), false)
		c.book.Note(book.NodesChanged)
	case market.NodeWithheld:
		c.book.Withhold(int(e.Node), int64(e.Proc))
		c.book.Note(book.NodesChanged)
	case market.Woken:
		c.book.Note(book.Woke)
	default: // check has refused the others
	}
}

// before lets the policy plan for what has happened before somebody arrives, if
// it makes a difference to it whether that is one event or two.
func (c *Cluster) before() {
	if c.apart && c.book.View().Cause()&^book.Arrived != 0 {
		c.plan()
	}
}

// submit answers a job at the door.
func (c *Cluster) submit(j *market.Job) {
	c.policy.Admit(c.book.View(), j, &c.answer)
	c.book.Note(book.Arrived)
	if c.answer.Verdict == policy.Refuse {
		c.reject(j, c.answer.Reason)
		return
	}
	c.admit(c.book.Add(j))
}

// reject says no to a job at the door.
func (c *Cluster) reject(j *market.Job, why market.Reason) {
	c.draft.Emit(market.Event{
		Kind: market.Rejected, Reason: why, Job: j.ID, Slot: int32(book.NoSlot), Spec: j, Start: market.Never,
	})
}

// admit does what the last answer says with a job that has a slot.
func (c *Cluster) admit(s book.Slot) {
	e := c.book.Entry(s)
	if c.answer.Verdict == policy.Queue {
		c.book.Wait(s, c.answer.Terms)
		c.promise(market.Queued, s).Start = market.Never
		return
	}
	c.book.Place(s, c.answer.Terms, c.answer.Procs)
	if c.Punctual && e.Independent() && !e.Due().Finite() {
		c.book.MakeBestEffort(s)
	}
	c.promise(market.Accepted, s).Procs = e.Procs
	if !e.Reserved() {
		c.book.Note(book.Placed)
	}
	c.plan()
}

// promise tells what the last answer agreed with a job.
func (c *Cluster) promise(kind market.Kind, s book.Slot) *market.Event {
	said, t := c.draft.About(kind, s), &c.answer.Terms
	said.Price, said.Finish, said.Firm = t.Price, t.Finish, t.Firm
	return said
}

func (c *Cluster) finish(f *market.Event) {
	s, here := c.book.Find(f.Job)
	if !here {
		return // said twice in one instant
	}
	e := c.book.Entry(s)
	c.book.Note(book.Departed)
	work := f.Work
	switch {
	case e.Independent() && f.Proc != market.AllTasks:
		if !c.book.FinishTask(s, int(f.Proc), f.Work) {
			return
		}
		work = e.Worked()
	case e.Independent():
		c.book.FinishTasks(s, f.Work)
	}
	now := c.book.View().Now()
	said := c.draft.About(market.Completed, s)
	said.Finish, said.Work, said.Price, said.Procs = now, work, e.Cost(now), e.Procs
	c.book.Remove(s)
}

// end takes a job out of the book for a reason other than being done.
func (c *Cluster) end(kind market.Kind, s book.Slot, why market.Reason) {
	e := c.book.Entry(s)
	said := c.draft.About(kind, s)
	said.Reason, said.Price, said.Procs = why, e.Terms.Price, e.Procs
	c.book.Remove(s)
}

func (c *Cluster) plan() {
	c.policy.Plan(c.book.View(), c.draft)
	c.book.Planned()
}
