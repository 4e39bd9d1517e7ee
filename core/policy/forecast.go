package policy

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// forecast plays a queue forward: who waits starts in a given order, as soon as
// enough processors are free, and never before the one in front. Whoever runs
// ends as estimated, and one who is past his estimate ends now.
//
// Good news spoils no forecast: every start is a maximum over times at which
// processors become free, so that a job which ends early, or goes away, makes
// nobody later. A schedule in which jobs slip into the gaps before others has
// no such property (Graham, Bounds on Multiprocessing Timing Anomalies, 1969):
// made anew after an early end it can break what the old one promised.
type forecast struct {
	openings []opening // by time
	last     market.Time
}

// opening is a number of processors that become free at a time.
type opening struct {
	at market.Time
	n  int
}

// reset begins with the cluster as it is.
func (f *forecast) reset(v book.View) {
	now := v.Now()
	f.openings, f.last = append(f.openings[:0], opening{at: now, n: v.Idle()}), now
	for _, s := range v.Running() {
		e := v.Entry(s)
		end := e.Since + market.Time(float64(e.Left)/e.Speed)
		f.openings = append(f.openings, opening{at: max(now, end), n: int(e.Job.Width)})
	}
	slices.SortFunc(f.openings, func(a, b opening) int { return cmp.Compare(a.at, b.at) })
}

// copyOf makes it the same as another.
func (f *forecast) copyOf(g *forecast) {
	f.openings, f.last = append(f.openings[:0], g.openings...), g.last
}

// processors counts those that are up.
func (f *forecast) processors() int {
	n := 0
	for _, o := range f.openings {
		n += o.n
	}
	return n
}

// start lets the next in order run for a time on so many processors and says
// when it begins: never, and nobody after it either, if there are not as many.
func (f *forecast) start(width int, length market.Time) market.Time {
	n, used := 0, 0
	for ; used < len(f.openings) && n < width; used++ {
		n += f.openings[used].n
	}
	if n < width {
		f.last = market.Never
		return market.Never
	}
	f.last = max(f.last, f.openings[used-1].at)
	if n > width {
		used--
		f.openings[used].n = n - width
	}
	f.openings = slices.Delete(f.openings, 0, used)
	end := opening{at: f.last + length, n: width}
	at, _ := slices.BinarySearchFunc(f.openings, end, func(a, b opening) int { return cmp.Compare(a.at, b.at) })
	f.openings = slices.Insert(f.openings, at, end)
	return f.last
}
