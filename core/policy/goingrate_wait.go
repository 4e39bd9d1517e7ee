package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// takeIn gives those who have waited long enough processors beside those who are at work there, the best
// offer first, wherever everybody will be in time; and says when the next will have waited so long.
//
// Processors that are never idle may have time to spare for days, and who waits for an idle one
// waits in vain. But whoever is taken in is in the way of better offers, those that wait and those to come, and
// who still has time to wait leaves them theirs: so it may be taken in late, and the later, the more
// those need who offer more. At a posted price all who pay it are equal, and nobody's offer says when.
func (p *goingRate) takeIn(v book.View, d *book.Draft, waiting []book.Slot) (wake market.Time) {
	wake = market.Never
	if p.room <= 0 || p.price == pricePosted || len(waiting) == 0 {
		return wake
	}
	p.survey(v)
	for _, s := range waiting {
		e := v.Entry(s)
		if !v.Waits(s) || !e.Terms.Latest.Finite() {
			continue
		}
		need := p.needAbove(p.offers(s, e))
		if need > p.room {
			break // and all who offer less
		}
		if from := p.patience(e, need); from > v.Now() {
			wake = min(wake, from+beyond) // a live market counts in microseconds, and would wake up before it
		} else if p.fits(v, &e.Job) {
			d.Join(s, p.procs)
		}
	}
	return wake
}

// patience is until when a job waits for an idle processor, if those who offer more need so much of the
// cluster: not at all if they need nothing, and until its latest start where they need room. The eighth root keeps most for the end, when the fewest can come
// that are better.
func (p *goingRate) patience(e *book.Entry, need float64) market.Time {
	part := math.Sqrt(math.Sqrt(math.Sqrt(need / p.room)))
	return e.Job.Submit + market.Time(part*float64(max(0, e.Terms.Latest-e.Job.Submit)))
}
