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
//
// The book has the ends of those who run in order: they are looked at only as far as
// the forecast goes, and not at all by somebody for whom there is room.
type forecast struct {
	of       book.View
	openings []opening // by time, from gone on
	gone     int       // how many have been taken
	ends     book.Ends // of others, which come later
	next     opening   // the first of them; none if n is 0
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
	*f = forecast{of: v, openings: append(f.openings[:0], opening{at: now, n: v.Idle()}), last: now}
	if ends, all := v.Ends(); all {
		f.ends = ends
		f.advance()
		return
	}
	f.list(v)
}

// list looks at everybody who runs.
func (f *forecast) list(v book.View) {
	now := v.Now()
	for _, s := range v.Running() {
		e := v.Entry(s)
		end := e.Since + market.Time(float64(e.Left)/e.Speed)
		f.openings = append(f.openings, opening{at: max(now, end), n: int(e.Job.Width)})
	}
	slices.SortFunc(f.openings, func(a, b opening) int { return cmp.Compare(a.at, b.at) })
}

// advance looks at the next of those who run.
func (f *forecast) advance() {
	at, n, _ := f.ends.Next()
	f.next = opening{at: max(f.of.Now(), at), n: n}
}

// copyOf makes it the same as another.
func (f *forecast) copyOf(g *forecast) {
	mine := f.openings
	*f = *g
	f.openings, f.gone = append(mine[:0], g.openings[g.gone:]...), 0
}

// processors counts those that are up: idle, or somebody's.
func (f *forecast) processors() int {
	n := f.of.Idle()
	for _, s := range f.of.Running() {
		n += int(f.of.Entry(s).Job.Width)
	}
	return n
}

// start lets the next in order run for a time on so many processors and says
// when it begins: never, and nobody after it either, if there are not as many.
func (f *forecast) start(width int, length market.Time) market.Time {
	n, last := 0, opening{}
	for n < width {
		if f.gone < len(f.openings) && (f.next.n == 0 || f.openings[f.gone].at <= f.next.at) {
			last = f.openings[f.gone]
			f.gone++
		} else if f.next.n > 0 {
			last = f.next
			f.advance()
		} else {
			f.last = market.Never
			return market.Never
		}
		n += last.n
	}
	f.last = max(f.last, last.at)
	if n > width { // it comes before all the others
		f.putFirst(opening{at: last.at, n: n - width})
	}
	f.put(opening{at: f.last + length, n: width})
	return f.last
}

// putFirst adds an opening that is not later than any.
func (f *forecast) putFirst(o opening) {
	if f.gone == 0 {
		f.openings = slices.Insert(f.openings, 0, o)
		return
	}
	f.gone--
	f.openings[f.gone] = o
}

// put adds an opening in its place.
func (f *forecast) put(o opening) {
	low, high := f.gone, len(f.openings)
	for low < high {
		if mid := (low + high) / 2; f.openings[mid].at < o.at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if f.gone > 0 && low-f.gone < len(f.openings)-low { // fewer are before it than behind it
		copy(f.openings[f.gone-1:], f.openings[f.gone:low])
		f.gone--
		f.openings[low-1] = o
		return
	}
	f.openings = append(f.openings, opening{})
	copy(f.openings[low+1:], f.openings[low:])
	f.openings[low] = o
}
