package cluster

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"libra/book"
	"libra/market"
	"libra/policy"
)

// Cluster is one cluster under one policy.
type Cluster struct {
	book   *book.Book
	draft  *book.Draft
	policy policy.Policy
	answer policy.Answer
	nodes  int
}

// New makes a cluster of empty nodes.
func New(nodes []market.Node, p policy.Policy) (*Cluster, error) {
	if len(nodes) == 0 {
		return nil, errors.New("a cluster needs at least one node")
	}
	processors := 0
	for i := range nodes {
		if err := nodes[i].Validate(); err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
		processors += nodes[i].Processors
	}
	if processors > market.MaxWidth {
		return nil, fmt.Errorf("%d processors are more than a cluster can have (%d)", processors, market.MaxWidth)
	}
	b := book.New(nodes)
	return &Cluster{book: b, draft: book.NewDraft(b), policy: p, nodes: len(nodes)}, nil
}

// What a driver can get wrong.
var (
	ErrUnknownJob   = errors.New("no such job")
	ErrDuplicateJob = errors.New("a job of this number is already here")
	ErrUnknownNode  = errors.New("no such node")
	ErrTimeRunsBack = errors.New("time runs back")
)

// Quote says what a job would be told if it were submitted at the given time;
// an error that is a *market.Rejection is the answer no. Nothing changes.
func (c *Cluster) Quote(at market.Time, j market.Job) (market.Quote, error) {
	if err := j.Validate(); err != nil {
		return market.Quote{}, err
	}
	j.Submit = at
	c.book.Ask(at, func(v book.View) { c.policy.Admit(v, &j, &c.answer) })
	if c.answer.Verdict == policy.Refuse {
		return market.Quote{}, &market.Rejection{Reason: c.answer.Reason}
	}
	t := c.answer.Terms
	quote := market.Quote{Price: t.Price, Finish: t.Finish, Firm: t.Firm}
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
	return c.draft.Events(), nil
}

// check finds what makes no sense before anything is changed.
func (c *Cluster) check(at market.Time, happened []market.Event) error {
	if !(at >= c.book.View().Now()) { // nor is NaN a time
		return fmt.Errorf("%w: from %v to %v", ErrTimeRunsBack, c.book.View().Now(), at)
	}
	newest := market.JobID(math.MinInt64) // of this step
	for i := range happened {
		e := &happened[i]
		switch e.Kind {
		case market.Submitted:
			if err := e.Spec.Validate(); err != nil {
				return fmt.Errorf("job %d: %w", e.Spec.ID, err)
			}
			if _, here := c.book.Find(e.Spec.ID); here || e.Spec.ID <= newest && submits(happened[:i], e.Spec.ID) {
				return fmt.Errorf("job %d: %w", e.Spec.ID, ErrDuplicateJob)
			}
			newest = max(newest, e.Spec.ID)
		case market.Finished, market.Cancelled, market.Used:
			if _, here := c.book.Find(e.Job); !here {
				return fmt.Errorf("%s %d: %w", e.Kind, e.Job, ErrUnknownJob)
			}
		case market.NodeDown, market.NodeUp:
			if e.Node < 0 || int(e.Node) >= c.nodes {
				return fmt.Errorf("%s %d: %w", e.Kind, e.Node, ErrUnknownNode)
			}
		case market.Woken:
		default:
			return fmt.Errorf("%s is for the cluster to say", e.Kind)
		}
	}
	return nil
}

// submits reports whether a job of that number is among the arrivals.
func submits(happened []market.Event, id market.JobID) bool {
	return slices.ContainsFunc(happened, func(e market.Event) bool { return e.Kind == market.Submitted && e.Spec.ID == id })
}

func (c *Cluster) apply(e *market.Event) {
	switch e.Kind {
	case market.Submitted:
		c.arrive(e.Spec)
	case market.Finished:
		c.finish(e)
	case market.Cancelled:
		if s, here := c.book.Find(e.Job); here {
			c.end(market.Stopped, s, market.ByUser)
			c.book.Note(book.Departed)
		}
	case market.Used:
		if s, here := c.book.Find(e.Job); here {
			c.book.Measure(s, e.Proc, e.Work)
			c.book.Note(book.Measured)
		}
	case market.NodeDown:
		c.loseNode(int(e.Node))
	case market.NodeUp:
		c.book.SetDown(int(e.Node), false)
		c.book.Note(book.NodesChanged)
	case market.Woken:
		c.book.Note(book.Woke)
	default: // check has refused the others
	}
}

// arrive answers a job at the door.
func (c *Cluster) arrive(j *market.Job) {
	c.policy.Admit(c.book.View(), j, &c.answer)
	c.book.Note(book.Arrived)
	if c.answer.Verdict == policy.Refuse {
		c.draft.Say(market.Event{
			Kind: market.Rejected, Reason: c.answer.Reason, Job: j.ID, Seat: int32(book.NoSeat), Spec: j, Start: market.Never,
		})
		return
	}
	c.takeIn(c.book.Enter(j))
}

// takeIn does what the last answer says with a job that has a seat.
func (c *Cluster) takeIn(s book.Seat) {
	e := c.book.Entry(s)
	said := market.Event{
		Kind: market.Queued, Job: e.Job.ID, Seat: int32(s), Spec: &e.Job, Start: market.Never,
		Price: c.answer.Terms.Price, Finish: c.answer.Terms.Finish, Firm: c.answer.Terms.Firm,
	}
	if c.answer.Verdict == policy.Queue {
		c.book.Wait(s, c.answer.Terms)
		c.draft.Say(said)
		return
	}
	c.book.Place(s, c.answer.Terms, c.answer.Procs)
	said.Kind, said.Start, said.Procs = market.Accepted, e.Start, e.Procs
	c.draft.Say(said)
	c.book.Note(book.Placed)
	c.plan()
}

func (c *Cluster) finish(f *market.Event) {
	s, here := c.book.Find(f.Job)
	if !here {
		return // said twice in one instant
	}
	e := c.book.Entry(s)
	c.book.Note(book.Departed)
	work := f.Work
	if e.Apart() && f.Proc != market.AllTasks {
		if !c.book.FinishTask(s, int(f.Proc), f.Work) {
			return
		}
		work = e.Worked()
	}
	now := c.book.View().Now()
	c.draft.Say(market.Event{
		Kind: market.Completed, Job: e.Job.ID, Seat: int32(s), Spec: &e.Job, Start: e.Start, Finish: now,
		Work: work, Price: e.Cost(now), Procs: e.Procs,
	})
	c.book.Leave(s)
}

// end takes a job out of the book for a reason other than being done.
func (c *Cluster) end(kind market.Kind, s book.Seat, why market.Reason) {
	e := c.book.Entry(s)
	c.draft.Say(market.Event{
		Kind: kind, Reason: why, Job: e.Job.ID, Seat: int32(s), Spec: &e.Job, Start: e.Start, Price: e.Terms.Price, Procs: e.Procs,
	})
	c.book.Leave(s)
}

func (c *Cluster) plan() {
	c.policy.Plan(c.book.View(), c.draft)
	c.book.Planned()
}
