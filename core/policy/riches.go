package policy

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// riches keeps processors in the order of what their tasks bring if they are in
// time, the most first, so that admission need not ask everybody: with a further
// task a processor brings no more than that and what the task brings. Processors
// that nobody is on are alike, and the book has them in order.
//
// It is a cache: made anew from the book it is the same.
type riches struct {
	of    book.View
	made  bool
	order tree    // of processors and 1
	fresh []int32 // processors with other tasks, or speeds, than when somebody last came
	noted []bool  // by processor: whether it is among those
	odd   []bool  // by processor: whether a job without a deadline is on it, of which no sum says what it brings
	odds  int     // how many are
}

// sync makes it the riches of a book, or brings it up to date with what was touched
// since the last plan.
func (r *riches) sync(v book.View) {
	if r.of == v {
		for _, proc := range v.Touched() {
			r.place(v, int(proc))
		}
		return
	}
	*r = riches{of: v, made: true, noted: make([]bool, v.Processors()), odd: make([]bool, v.Processors())}
	r.order.grow(v.Processors() + 1)
	for proc := range v.Processors() {
		r.place(v, proc)
	}
}

// place puts a processor where it belongs.
func (r *riches) place(v book.View, proc int) {
	h, key, some := market.Int32(proc)+1, -v.Pile(proc).Worth, len(v.Tasks(proc)) > 0
	if some && !r.noted[proc] {
		r.noted[proc] = true
		r.fresh = append(r.fresh, market.Int32(proc))
	}
	odd := slices.ContainsFunc(v.Tasks(proc), func(t book.Task) bool { return !t.Due.Finite() }) || math.IsNaN(key) || math.IsInf(key, 0)
	if odd != r.odd[proc] {
		r.odd[proc] = odd
		if odd {
			r.odds++
		} else {
			r.odds--
		}
	}
	some = some && !odd
	if r.order.has(h) && (!some || !r.order.at(h, key, h)) {
		r.order.remove(h)
	}
	if some && !r.order.has(h) {
		r.order.insert(h, key, h)
	}
}

// inOrder reports whether admission may go by the order of processors: where one is
// like another, and it is known what everybody brings.
func (p *libraSLA) inOrder(v book.View, j *market.Job, added *book.Task) bool {
	if v.Ratings() != nil || !v.Alike(j) || !v.Plainly() || !j.SLA.Deadline.Finite() || !j.SLA.Budget.Limited() ||
		float64(added.Left) >= float64(added.Due-v.Now()) {
		return false
	}
	p.rich.sync(v)
	return p.rich.odds == 0
}

// askTheRichest lists processors that are worthwhile, with the n of the highest
// return among them, if there are so many: all that could be, and those that are
// equal to the last of them but for rounding.
func (p *libraSLA) askTheRichest(v book.View, added *book.Task, n int) {
	// The outlook of a processor is drawn up when somebody first comes, whether it is
	// asked or not.
	for _, proc := range p.rich.fresh {
		p.rich.noted[proc] = false
		p.outlookOn(v, int(proc))
	}
	p.rich.fresh = p.rich.fresh[:0]
	p.choices, p.best = p.choices[:0], p.best[:0]
	p.rich.order.from(math.Inf(-1), func(h int32, key float64, _ int32) bool {
		most := added.Worth - key
		if len(p.best) == n && most < p.best[0]-2e-8*math.Abs(p.best[0]) {
			return false // and those after it bring less
		}
		if worth, ok := p.worthwhile(v, int(h)-1, added); ok {
			p.choices = append(p.choices, candidate{rank: -worth, proc: h - 1})
			p.keepBest(worth, n)
		}
		return true
	})
	begin := len(p.choices)
	p.choices = idleOnes(v, n, p.choices)
	for i := begin; i < len(p.choices); i++ {
		p.choices[i].rank = -added.Worth
	}
}

// keepBest keeps the n highest returns.
func (p *libraSLA) keepBest(worth float64, n int) {
	b := p.best
	if len(b) < n {
		i := len(b)
		b = append(b, worth)
		for i > 0 && b[(i-1)/2] > worth {
			b[i] = b[(i-1)/2]
			i = (i - 1) / 2
		}
		b[i] = worth
		p.best = b
		return
	}
	if worth <= b[0] {
		return
	}
	i := 0
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && b[child+1] < b[child] {
			child++
		}
		if b[child] >= worth {
			break
		}
		b[i] = b[child]
		i = child
	}
	b[i] = worth
}
