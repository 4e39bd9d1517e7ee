package underway

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/trade"
)

// SetSpeed sets the one speed of a job that advances as one.
func (j *Job) SetSpeed(speed float64) {
	for i := range j.Ranks {
		j.Ranks[i].Speed = speed
	}
}

// SetSpeedOn sets the speed of a job's task on one processor.
func (j *Job) SetSpeedOn(proc int32, speed float64) {
	for i := range j.Ranks {
		if r := &j.Ranks[i]; r.Proc == proc {
			r.Speed = speed
		}
	}
}

// ReckonShare works out the share of a job, the least that it has of a
// processor; false: it is as it was.
func (j *Job) ReckonShare(rating func(node int) float64) bool {
	if len(j.Ranks) == 0 {
		return false
	}
	least := 0.0
	for i := range j.Ranks {
		r := &j.Ranks[i]
		share := r.Speed / rating(r.Node)
		if i == 0 || share < least {
			least = share
		}
	}
	changed := least != j.Share
	j.Share = least
	return changed
}

// NotePoints adds the shares that jobs have after a command to their timelines, of those
// who have another one. First it looks at them all: see Meet.
func NotePoints(of []*Job, now int64) {
	others := 0
	for _, j := range of {
		if n := len(j.Timeline); n > 0 && j.Timeline[n-1].Share != j.Share {
			others++
		}
	}
	if others == 0 && !slices.ContainsFunc(of, func(j *Job) bool { return len(j.Timeline) == 0 }) {
		return
	}
	for _, j := range of {
		j.NotePoint(now)
	}
}

// NotePoint is NotePoints of one.
func (j *Job) NotePoint(now int64) {
	n := len(j.Timeline)
	if n == 0 && j.Share == 0 || n > 0 && j.Timeline[n-1].Share == j.Share {
		return
	}
	j.Timeline = thin(append(j.Timeline, trade.Point{AtUS: now, Share: j.Share}))
}

// mostPoints bounds what is kept of a job's shares over time.
const mostPoints = 256

// blink is the time within which of several shares only the last is kept, but
// for the first of all.
const blink = 250_000 // microseconds

// thin keeps a timeline short: of its older half every other point goes, so
// that what is recent is exact.
func thin(points []trade.Point) []trade.Point {
	if n := len(points); n > 2 && points[n-1].AtUS-points[n-2].AtUS < blink {
		points[n-2] = points[n-1]
		points = points[:n-1]
	}
	if len(points) <= mostPoints {
		return points
	}
	kept := points[:0]
	for i, p := range points {
		if i%2 == 0 || i >= mostPoints/2 {
			kept = append(kept, p)
		}
	}
	return kept
}

// driftAllowed is by how much the speed of a job that advances as one may differ
// from what the log has. Under proportional share every event changes the speeds
// of all, most of them by next to nothing: written down each time, the log would
// grow with the square of the jobs. A market that is read back takes a job to be
// as far as this allows, until its agent has measured it.
const driftAllowed = 0.01

// WroteSpeed reports whether the log has the speed of a job, near enough.
func (j *Job) WroteSpeed(speed float64) bool {
	return math.Abs(speed-j.speed) <= driftAllowed*j.speed
}

// NotedSpeed reports whether the log has the speed of a job, to the last bit.
func (j *Job) NotedSpeed() bool {
	return len(j.Ranks) == 0 || j.speed == j.Ranks[0].Speed
}

// NoteSpeed notes that the log has the speed of a job.
func (j *Job) NoteSpeed() {
	if len(j.Ranks) > 0 {
		j.speed = j.Ranks[0].Speed
	}
}
