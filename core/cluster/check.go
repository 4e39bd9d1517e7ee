package cluster

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// What a driver can get wrong.
var (
	ErrUnknownJob   = errors.New("no such job")
	ErrDuplicateJob = errors.New("a job of this number is already here")
	ErrReserved     = errors.New("the job is only reserved")
	ErrNotReserved  = errors.New("the job is not a reservation")
	ErrNotRunning   = errors.New("the job does not run")
	ErrNoParts      = errors.New("the job has no optional part")
	ErrUnknownNode  = errors.New("no such node")
	ErrTimeRunsBack = errors.New("time runs back")
)

// check finds what makes no sense before anything is changed.
func (c *Cluster) check(at market.Time, happened []market.Event) error {
	if !(at >= c.book.View().Now()) { // nor is NaN a time
		return fmt.Errorf("%w: from %v to %v", ErrTimeRunsBack, c.book.View().Now(), at)
	}
	newest := market.JobID(math.MinInt64) // of this step
	for i := range happened {
		e := &happened[i]
		switch e.Kind {
		case market.Submitted, market.Reserved:
			if err := e.Spec.Validate(); err != nil {
				return fmt.Errorf("job %d: %w", e.Spec.ID, err)
			}
			if _, here := c.book.Find(e.Spec.ID); here || e.Spec.ID <= newest && arrives(happened[:i], e.Spec.ID) {
				return fmt.Errorf("job %d: %w", e.Spec.ID, ErrDuplicateJob)
			}
			newest = max(newest, e.Spec.ID)
		case market.Finished, market.Cancelled, market.Used:
			slot, here := c.book.Find(e.Job)
			if !here {
				return fmt.Errorf("%s %d: %w", e.Kind, e.Job, ErrUnknownJob)
			}
			if c.book.Reservations() > 0 && e.Kind != market.Cancelled && c.book.Entry(slot).Reserved() {
				return fmt.Errorf("%s %d: %w", e.Kind, e.Job, ErrReserved)
			}
		case market.Confirmed, market.Extended, market.Released, market.Dislodged, market.Fulfilled:
			if err := c.checkChange(e); err != nil {
				return fmt.Errorf("%s %d: %w", e.Kind, e.Job, err)
			}
		case market.NodeDown, market.NodeUp, market.NodeClosed, market.NodeOpened, market.NodeWithheld:
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

// arrives reports whether a job of that number is among the arrivals.
func arrives(happened []market.Event, id market.JobID) bool {
	return slices.ContainsFunc(happened, func(e market.Event) bool {
		return (e.Kind == market.Submitted || e.Kind == market.Reserved) && e.Spec.ID == id
	})
}

// checkChange finds why what was agreed with a job cannot change so.
func (c *Cluster) checkChange(e *market.Event) error {
	slot, here := c.book.Find(e.Job)
	if !here {
		return ErrUnknownJob
	}
	reserved := c.book.Entry(slot).Reserved()
	switch {
	case e.Kind == market.Confirmed && !reserved:
		return ErrNotReserved
	case e.Kind == market.Confirmed:
		return nil
	case reserved:
		return ErrReserved
	case !c.book.Runs(slot):
		return ErrNotRunning
	case e.Kind == market.Dislodged && (e.Node < 0 || int(e.Node) > c.nodes):
		return ErrUnknownNode
	case e.Kind == market.Fulfilled && (c.book.Entry(slot).Job.Optional.Done() || !c.book.Entry(slot).Independent()):
		return ErrNoParts
	case e.Kind == market.Fulfilled && !(e.Work >= 0): // nor is NaN any work
		return &market.FieldError{Field: "work", Value: float64(e.Work), Want: "0 or more"}
	case e.Kind == market.Extended:
		return checkExtension(e, c.book.Entry(slot).Job)
	}
	return nil
}

func checkExtension(e *market.Event, j market.Job) error {
	if !(e.Work > 0) { // nor is NaN any work
		return &market.FieldError{Field: "work", Value: float64(e.Work), Want: "more than 0"}
	}
	if !(e.Price >= 0) {
		return &market.FieldError{Field: "price", Value: float64(e.Price), Want: "0 or more, or none"}
	}
	j.Estimate += e.Work
	return j.Validate()
}
