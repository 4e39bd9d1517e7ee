package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// shadow is when so many processors will be idle if nobody else comes, and how many more
// will be.
func (p *makeWay) shadow(v book.View, width int) (at market.Time, extra int) {
	p.line.survey(v, p.everybody)
	p.ending = p.ending[:0]
	for i := range p.line.up {
		l := &p.line.up[i]
		p.ending = append(p.ending, ending{at: l.ends, job: l.job, procs: l.alone})
	}
	p.ending.arrange()
	for idle := v.Idle(); len(p.ending) > 0; p.ending.pop() {
		if idle += p.ending[0].procs; idle >= width {
			return p.ending[0].at, idle - width
		}
	}
	return market.Never, 0
}

// ending is when a job ends, and how many processors that leaves idle.
type ending struct {
	at    market.Time
	job   market.JobID
	procs int
}

// endings have the first at the top (a heap): hardly ever is the order of all asked for.
type endings []ending

func (e endings) arrange() {
	for i := len(e)/2 - 1; i >= 0; i-- {
		e.sink(i)
	}
}

// pop takes the first out.
func (e *endings) pop() {
	last := len(*e) - 1
	(*e)[0] = (*e)[last]
	*e = (*e)[:last]
	e.sink(0)
}

// sink brings one to its place below those that are before it.
func (e endings) sink(i int) {
	for below := 2*i + 1; below < len(e); below = 2*i + 1 {
		if below+1 < len(e) && e[below+1].before(&e[below]) {
			below++
		}
		if !e[below].before(&e[i]) {
			return
		}
		e[i], e[below] = e[below], e[i]
		i = below
	}
}

func (a *ending) before(b *ending) bool { return a.at < b.at || a.at == b.at && a.job < b.job }
