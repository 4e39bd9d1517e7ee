package cluster

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// JobStatus is what the book says of one live job at a time.
type JobStatus = book.JobStatus

// TaskStatus is how one task stands of a job whose tasks advance independently.
type TaskStatus = book.TaskStatus

// Status says how a live job stands at a time.
func (c *Cluster) Status(id market.JobID, at market.Time) (JobStatus, bool) {
	s, here := c.book.Find(id)
	if !here {
		return JobStatus{}, false
	}
	return c.book.Status(s, at), true
}

// Working is what the price of the last answer was worked out from.
func (c *Cluster) Working() policy.Working { return c.answer.Working }

// Reserve is the least that a second of a processor is sold for, where a job costs
// what it bids; 0: there is none.
func (c *Cluster) Reserve() market.Price { return policy.Reserve(c.policy, c.book.View()) }

// Live counts the jobs in the book: those that wait, run, or are reserved.
func (c *Cluster) Live() int { return c.book.Live() }

// UsedUp lists, by number, the running jobs whose estimate is used up at the
// given time, but for rounding, and to whom a deadline is still worth
// something: whoever has none, is only reserved, or was released needs no more
// than he is left. Where the tasks of a job advance independently, one is enough.
func (c *Cluster) UsedUp(at market.Time) []market.JobID { return c.book.UsedUp(at) }

// Refined lists, by number, the running jobs of which an optional part, on some
// processor at least, has had all it was to have at the given time.
func (c *Cluster) Refined(at market.Time) []market.JobID { return c.book.Refined(at) }

// Independent reports whether there are, or have been, jobs whose tasks advance each
// on its own.
func (c *Cluster) Independent() bool { return c.book.Independent() }
