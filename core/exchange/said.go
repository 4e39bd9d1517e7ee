package exchange

import (
	"strings"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
)

// What a node says of a task is believed within bounds: the numbers are such that
// every sum over them stays far from the edge of its type, and of words no more is
// kept than somebody would read.
const (
	mostUS    = 100 * 366 * 24 * 3600 * 1_000_000 // processor time of one task, and how long one is around
	mostWords = 256                               // bytes
	mostError = 1 << 10                           // bytes
)

// bounded is what a node said of a task of a job, cut to what can be.
func (j *activeJob) bounded(s *task.Status) task.Status {
	b := *s
	for _, us := range []*int64{&b.CPUUS, &b.DeclinedUS, &b.MandatoryCPUUS, &b.MandatoryDeclinedUS} {
		*us = min(max(0, *us), mostUS)
	}
	for _, at := range []*int64{&b.StartedUS, &b.EndedUS} {
		*at = min(max(0, *at), 1<<53) // the year 2255
	}
	b.PeakBytes = min(max(0, b.PeakBytes), 1<<53)
	b.Exit = min(max(-1, b.Exit), 255)
	b.Signal, b.Batch, b.Error = cut(b.Signal, mostWords), cut(b.Batch, mostWords), cut(b.Error, mostError)
	elements := 0
	if j.Request.Array != nil {
		elements = j.Request.Array.Len()
	}
	if len(b.Elements) > elements {
		b.Elements = b.Elements[:elements]
	}
	return b
}

// within cuts what a node said of a task to the time there was for it, where jobs
// pay by that: since it was placed, and an interval of reports for what took time
// to be heard, its processors cannot have done more than turn. No account pays for
// what cannot have been.
func (x *state) within(j *activeJob, s *task.Status) {
	r := x.rulesOf(j)
	if !r.Paid() {
		return
	}
	room := max(0, x.now-j.placedUS()) + beatUS(r)
	s.Cut(room, spread(room, j.threads()))
	s.EndedUS = min(s.EndedUS, x.now)
}

// since cuts it further to the time there was since the node was last heard, for
// those who hear all that it says: what a task has taken, as was said then, and
// what its processors can have done after that. It is some reports until the market
// has stopped what nobody paid for, and so much is held.
func (x *state) since(j *activeJob, r *rank, s *task.Status) {
	by := x.rulesOf(j)
	heard := r.heardUS
	if heard == 0 {
		heard = x.nodes[r.Node].heardUS
	}
	if heard == 0 || !by.Paid() {
		return
	}
	room := max(0, x.now-max(heard, j.placedUS())) + bill.Beats*beatUS(by)
	s.Cut(mostUS, min(mostUS, r.saidUS+spread(room, j.threads())))
}

// placedUS is when a job was last put on processors.
func (j *activeJob) placedUS() int64 { return max(j.StartedUS, j.PlacedUS) }

// beatUS is how often nodes report.
func beatUS(r *rules.Rules) int64 { return int64(r.Reporting) * 1_000_000 / int64(rules.Whole) }

// spread is the processor time of some processors in a time, as far as is counted.
func spread(us int64, processors int) int64 {
	if us > mostUS/int64(processors) {
		return mostUS
	}
	return us * int64(processors)
}

// cut is the beginning of a text, in whole characters.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}
