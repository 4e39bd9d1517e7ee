package adversary

import (
	"math"

	"github.com/libra-market/libra/core/trade"
)

// gigabytes is the memory that who plays for it wants on each processor.
const gigabytes = 64

// memories are strategies for markets in which memory has a price: they want to hold
// it, and to pay for less.
func memories() []Strategy {
	sleeps := func(p *player, i int, r trade.Request, does program) {
		v := &p.wants[i]
		does.first, does.work = 3*v.work, v.work/50
		p.submit(i, r, does)
	}
	return []Strategy{
		{Name: "hoard", Does: "asks for much memory, a fiftieth of the work and a far deadline, and sleeps", memory: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = 20 * v.work
			sleeps(p, i, ask(&v, v.work/50), program{last: 10 * v.work})
		}},
		{Name: "hoard-poor", Does: "the same, with a budget that pays for no more", memory: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = 4 * v.work
			r := ask(&v, v.work/50)
			r.Budget = p.priceOf(r)
			sleeps(p, i, r, program{last: 10 * v.work, stubborn: true})
		}},
		{Name: "hoard-open", Does: "holds memory while it sleeps, without a deadline", memory: true, Patient: true, cheat: func(p *player, i int) {
			v := &p.wants[i]
			sleeps(p, i, ask(v, v.work/20), program{last: 5 * v.work})
		}},
		{Name: "hoard-squeezed", Does: "holds memory without a deadline, with a budget that pays for no more", memory: true, Patient: true, cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work)
			r.Budget = p.priceOf(r)
			p.submit(i, r, program{work: math.Inf(1), stubborn: true})
		}},
		{Name: "hoard-linger", Does: "is cancelled, and holds its memory for a grace of ten minutes", memory: true, cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work)
			r.GraceMS = 600_000
			if id, ok := p.submit(i, r, program{first: 700, work: 1, stubborn: true}); ok {
				p.w.in(v.work/2, func() { p.cancel(id) })
			}
		}},
		{Name: "hoard-unasked", Does: "asks for no memory where that has a price, and sleeps on what it has", memory: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline, v.memory = 20*v.work, 0
			sleeps(p, i, ask(&v, v.work/50), program{last: 10 * v.work})
		}},
		{Name: "hoard-late", Does: "holds memory past a deadline that it goes on after", memory: true, Patient: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work / 4
			r := ask(&v, v.work/20)
			r.Overrun = trade.OverrunLate
			p.submit(i, r, program{work: v.work, last: v.work})
		}},
	}
}

// stored is what it costs to hold so many megabytes for a second each.
func (w *world) stored(megabyteSeconds float64) float64 {
	return megabyteSeconds / 1024 * w.memory / 3600
}
