package controller

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// atOnce is of about how many tasks the loop takes in how far they are before it looks
// whether somebody waits: less than a millisecond, whatever runs in the market.
const atOnce = 64

// What was said within a second is taken in piece by piece over most of the next, so that
// whoever asks for something meanwhile waits for one piece at most, in the loop and on the
// way to disk. Where there are few pieces they follow each other soon.
const (
	intakeWithin = 750 * time.Millisecond
	intakeEvery  = 10 * time.Millisecond // at the latest
)

// intake is what was said of tasks and is being taken in. It is the loop's.
type intake struct {
	left  []claim
	every time.Duration
	next  *time.Timer // when the next piece is taken
}

// measure begins to take in what agents have said of running tasks, where it is news and
// they are theirs.
func (c *Controller) measure() {
	if len(c.intake.left) > 0 { // of the second before
		return
	}
	c.intake.left = c.fleet.spokenOf()
	c.intake.every = min(intakeEvery, intakeWithin/time.Duration(1+len(c.intake.left)/atOnce))
	c.measureNext()
}

// measureNext takes in the next piece.
func (c *Controller) measureNext() {
	if c.gate.closed != nil {
		c.intake.left = nil // who speaks for tasks says it again
		return
	}
	if len(c.intake.left) == 0 {
		return
	}
	if !c.pending.full() {
		n := pieceOf(c.intake.left)
		c.measureSome(c.intake.left[:n])
		c.intake.left = c.intake.left[n:]
	}
	if len(c.intake.left) > 0 {
		c.intake.next.Reset(c.intake.every)
	}
}

// spokenOf are the tasks of which something was said that is not taken in yet, in the
// order of jobs.
func (f *fleet) spokenOf() []claim {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Keys(f.said), func(a, b claim) int {
		if a.Job != b.Job { // mostly
			return cmp.Compare(a.Job, b.Job)
		}
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.node, b.node))
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
