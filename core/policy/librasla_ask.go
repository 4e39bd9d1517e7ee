package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// inOrder reports whether admission may go by the prospects of processors: where one
// is like another, and it is known what everybody brings.
func (p *libraSLA) inOrder(v book.View, j *market.Job, added *book.Task) bool {
	if v.Ratings() != nil || !v.Alike(j) || !v.Plainly() || !j.SLA.Deadline.Finite() || !j.SLA.Budget.Limited() ||
		float64(added.Left) >= float64(added.Due-v.Now()) {
		return false
	}
	p.ahead.sync(v)
	return p.ahead.odds == 0
}

// askTheBest lists processors that are worthwhile, with the n of the highest return
// among them, if there are so many: all that could be, and those that are equal to the
// last of them but for rounding. Idle ones bring what the task brings.
func (p *libraSLA) askTheBest(v book.View, added *book.Task, n int) {
	p.renew(v)
	a := newAsking(added, v.Now())
	p.choices = idleOnes(v, n, p.choices[:0])
	p.best = p.best[:0]
	for i := range p.choices {
		p.choices[i].rank = -added.Worth
		p.best = append(p.best, added.Worth)
	}
	if p.ahead.at != nil {
		p.askEach(v, added, &a, n)
	} else if all := &p.ahead.grove.boughs[0]; all.n > 0 {
		p.askOn(v, added, &a, 0, all.bound(&a), n)
	}
	p.drop(p.enough(n))
}

// drop leaves out those of the choices that do not bring enough any more, without a branch.
func (p *libraSLA) drop(least float64) {
	kept := 0
	for _, c := range p.choices {
		p.choices[kept] = c
		kept += one(-c.rank >= least)
	}
	p.choices = p.choices[:kept]
}

// askOn asks the processors on the branches of which one could bring enough, where the bound
// is highest first: with what those bring, most of the others need not be asked. It goes along the better
// side, and turns back to another branch where that has become the better one.
func (p *libraSLA) askOn(v book.View, added *book.Task, a *asking, at int32, bound float64, n int) {
	g, least := &p.ahead.grove, p.enough(n)
	p.turns.list = p.turns.list[:0]
	for bound >= least {
		b := &g.boughs[at]
		if first, last := b.kids[0], b.kids[1]; first != 0 {
			better, worse := g.boughs[first].bound(a), g.boughs[last].bound(a)
			if better < worse {
				first, last, better, worse = last, first, worse, better
			}
			if worse >= least {
				p.turns.push(branch{worse, last})
			}
			at, bound = first, better
			if len(p.turns.list) > 0 && p.turns.list[0].bound > better {
				at, bound = p.turns.swap(branch{better, first})
			}
			continue
		}
		if b.loose {
			g.tighten(at)
			bound = b.bound(a)
		}
		if bound >= least {
			for i := range b.fruits {
				if q := &b.fruits[i]; q.reaches(a, least) {
					p.askAny(v, added, q.proc, n)
					least = p.enough(n)
				}
			}
		}
		if len(p.turns.list) == 0 {
			return
		}
		at, bound = p.turns.pop()
	}
}

// askEach asks the processors of a cluster that is not large, those whose tasks bring most first, until
// no other can be chosen.
func (p *libraSLA) askEach(v book.View, added *book.Task, a *asking, n int) {
	r, least := &p.ahead, p.enough(n)
	r.came++
	for i := range r.order.list {
		x := &r.order.list[i]
		if a.most(x.worth) < least {
			r.far += i
			return
		}
		q := &r.at[x.proc]
		switch {
		case q.until == notAsked: // for once it is sooner asked than bounded
			q.until = askedOnce
		case q.until <= a.now:
			*q = p.prospectOf(v, x.proc)
			fallthrough
		default:
			if !q.reaches(a, least) {
				continue
			}
		}
		p.ask(v, added, int(x.proc), n, least)
		least = p.enough(n)
	}
	r.far += len(r.order.list)
}

// enough is what it takes to be among the best so far, or equal to the last of them but for rounding;
// where they are not so many, anything but nothing at all.
func (p *libraSLA) enough(n int) float64 {
	if len(p.best) < n {
		return -math.MaxFloat64
	}
	return p.best[0] - 2e-8*math.Abs(p.best[0])
}

// ask asks one processor, which counts if it brings enough.
func (p *libraSLA) ask(v book.View, added *book.Task, proc, n int, least float64) {
	if worth, ok := p.worthwhile(v, proc, added); ok && worth >= least {
		p.choices = append(p.choices, candidate{rank: -worth, proc: market.Int32(proc)})
		p.keepBest(worth, n)
	}
}

// renew brings bounds up to date: where something happened, and where they are no
// longer true. In a small cluster that waits until they are asked for.
func (p *libraSLA) renew(v book.View) {
	r, now := &p.ahead, v.Now()
	if now < r.last { // a quote was asked for later than now
		*r = prospects{}
		r.sync(v)
	}
	r.last = now
	r.choose(v)
	if r.at == nil {
		p.regroup(v)
		late := r.next.over(now)
		for _, family := range late {
			q := p.prospectOfAll(v, family)
			r.grove.renew(&q)
			r.next.set(family, q.expires())
		}
		r.adapt(len(late))
		return
	}
	if len(r.fresh) == 0 {
		return
	}
	for _, proc := range r.fresh {
		r.at[proc].until = notAsked
		if len(v.Tasks(int(proc))) > 0 {
			r.order.come = append(r.order.come, wealth{v.Pile(int(proc)).Worth, proc})
		}
	}
	r.order.renew(r.fresh, r.noted)
	for _, proc := range r.fresh {
		r.noted[proc] = false
	}
	r.moved += len(r.fresh)
	r.fresh = r.fresh[:0]
}

// prospectOf is what bounds a processor from now on.
func (p *libraSLA) prospectOf(v book.View, proc int32) prospect {
	q := prospect{proc: proc}
	if tasks := v.Tasks(int(proc)); len(tasks) > 0 {
		q.reckon(p.outlookOn(v, int(proc)), tasks, v.Pile(int(proc)), v.Now(), p.ahead.part)
	}
	return q
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
		if child+1 < n {
			child += one(b[child+1] < b[child]) // without a branch
		}
		if b[child] >= worth {
			break
		}
		b[i] = b[child]
		i = child
	}
	b[i] = worth
}

// branch is one of a grove, and what nobody on it could exceed.
type branch struct {
	bound float64
	at    int32
}

// branches are those that are left for later, the most promising first: a heap.
type branches struct{ list []branch }

func (h *branches) push(x branch) {
	h.list = append(h.list, x)
	i := len(h.list) - 1
	for i > 0 {
		above := (i - 1) / 2
		if h.list[above].bound >= x.bound {
			break
		}
		h.list[i] = h.list[above]
		i = above
	}
	h.list[i] = x
}

func (h *branches) pop() (at int32, bound float64) {
	last := len(h.list) - 1
	x := h.list[last]
	top := h.list[0]
	h.list = h.list[:last]
	if last > 0 {
		h.sink(x)
	}
	return top.at, top.bound
}

// swap takes the first, and leaves another.
func (h *branches) swap(x branch) (at int32, bound float64) {
	top := h.list[0]
	h.sink(x)
	return top.at, top.bound
}

// sink puts one in the place of the first.
func (h *branches) sink(x branch) {
	i, l := 0, h.list
	for below := 1; below < len(l); below = 2*i + 1 {
		if below+1 < len(l) {
			below += one(l[below+1].bound > l[below].bound) // without a branch
		}
		if l[below].bound <= x.bound {
			break
		}
		l[i] = l[below]
		i = below
	}
	l[i] = x
}
