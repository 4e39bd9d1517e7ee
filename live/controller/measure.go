package controller

import (
	"cmp"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// atOnce is of about how many tasks the loop takes in how far they are before it looks
// whether somebody waits: less than a millisecond, whatever runs in the market.
const atOnce = 64

// measure takes in what agents have said of running tasks, where it is news and
// they are theirs.
func (c *Controller) measure() {
	for claims := c.fleet.spokenOf(); len(claims) > 0 && c.gate.closed == nil; {
		n := pieceOf(claims)
		c.measureSome(claims[:n])
		if claims = claims[n:]; len(claims) > 0 {
			c.attend()
		}
	}
}

// spokenOf are the tasks of which something was said that is not taken in yet, in the
// order of jobs.
func (f *fleet) spokenOf() []claim {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Keys(f.said), func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.node, b.node))
	})
}

// spoken is what a node last said of a task.
type spoken struct {
	node string
	saying
}

// lastSaid takes what was last said of tasks. Of those whose end was heard meanwhile that
// is nothing: what was said before it would take it back.
func (f *fleet) lastSaid(claims []claim) []spoken {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := make([]spoken, 0, len(claims))
	for _, k := range claims {
		if s, any := f.said[k]; any {
			last = append(last, spoken{k.node, s})
			delete(f.said, k)
		}
	}
	return last
}

// pieceOf is how many of the claims are taken in together: those of a job are not
// parted, for it is as far as the least of its tasks.
func pieceOf(claims []claim) int {
	n := min(atOnce, len(claims))
	for n < len(claims) && claims[n].Job == claims[n-1].Job {
		n++
	}
	return n
}

func (c *Controller) measureSome(claims []claim) {
	c.x.At(c.now())
	var fresh []task.Status
	for _, s := range c.fleet.lastSaid(claims) {
		one := []task.Status{s.Status}
		fresh = append(fresh, c.x.News(s.node, one)...)
		c.x.Observe(s.node, s.at, one)
	}
	if len(fresh) > 0 {
		cmd := trade.Command{Report: &trade.Measured{Tasks: fresh}}
		_ = c.guard("report", func() error { return c.do(&call{cmd: &cmd}) })
	}
}

// attend does what waits for the loop, in the middle of something long.
func (c *Controller) attend() {
	c.flush()
	select {
	case <-c.ready():
		c.drainInbox()
	case w := <-c.written:
		c.wrote(w)
	default:
	}
}
