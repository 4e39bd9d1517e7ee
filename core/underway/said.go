package underway

import (
	"strings"

	"github.com/libra-market/libra/core/task"
)

// What a node says of a task is believed within bounds: the numbers are such that
// every sum over them stays far from the edge of its type, and of words no more is
// kept than somebody would read.
const (
	MostUS    = 100 * 366 * 24 * 3600 * 1_000_000 // processor time of one task, and how long one is around
	mostWords = 256                               // bytes
	mostError = 1 << 10                           // bytes
)

// Bounded is what a node said of a task of a job, cut to what can be.
func (j *Job) Bounded(s *task.Status) task.Status {
	b := *s
	for _, us := range []*int64{&b.CPUUS, &b.DeclinedUS, &b.MandatoryCPUUS, &b.MandatoryDeclinedUS} {
		*us = min(max(0, *us), MostUS)
	}
	for _, at := range []*int64{&b.StartedUS, &b.EndedUS, &b.MandatoryUS} {
		*at = min(max(0, *at), 1<<53) // the year 2255
	}
	b.BornUS = 0 // it is of this job
	b.PeakBytes = min(max(0, b.PeakBytes), 1<<53)
	b.Exit = min(max(-1, b.Exit), 255)
	b.Signal, b.Batch, b.Error = cut(b.Signal, mostWords), cut(b.Batch, mostWords), cut(b.Error, mostError)
	b.Elements = j.own(b.Rank, b.Elements)
	return b
}

// own are the elements of an array, of those that a node speaks of, which the task runs:
// each once, with no more words than somebody would read.
func (j *Job) own(rank int, said []task.Element) []task.Element {
	all := j.Request.Array
	if len(said) == 0 || all == nil {
		return nil
	}
	lane, lanes := 0, 1
	if rank < j.Placed() {
		lane, lanes = rank, j.Placed()
	}
	most := min(len(said), (all.Len()+lanes-1)/lanes)
	own, seen := make([]task.Element, 0, most), make(map[int]bool, most)
	for _, e := range said {
		if place, there := all.Place(e.Index); !there || place%lanes != lane || seen[e.Index] {
			continue
		}
		seen[e.Index] = true
		e.Exit = min(max(-1, e.Exit), 255)
		e.Signal, e.Error = cut(e.Signal, mostWords), cut(e.Error, mostWords)
		e.StartedUS, e.EndedUS = min(max(0, e.StartedUS), 1<<53), min(max(0, e.EndedUS), 1<<53)
		own = append(own, e)
	}
	return own
}

// SinceUS is when the job was last put on processors.
func (j *Job) SinceUS() int64 { return max(j.StartedUS, j.PlacedUS) }

// cut is the beginning of a text, in whole characters.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}
