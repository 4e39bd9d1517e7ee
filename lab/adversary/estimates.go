package adversary

import "github.com/libra-market/libra/core/trade"

// estimates are strategies that say another amount of work than they need.
func estimates() []Strategy {
	return []Strategy{
		{Name: "pad", Does: "says four times what it needs", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline *= 4
			p.submit(i, ask(&v, 4*v.work), program{work: v.work})
		}},
		{Name: "understate", Does: "says a tenth of what it needs, and over-runs", cheat: func(p *player, i int) {
			v := &p.wants[i]
			p.submit(i, ask(v, v.work/10), program{work: v.work})
		}},
		{Name: "open-end", Does: "names no deadline and a twentieth of what it needs", Patient: true, cheat: func(p *player, i int) {
			v := &p.wants[i]
			p.submit(i, ask(v, v.work/20), program{work: v.work})
		}},
		{Name: "late", Does: "names a twentieth, and goes on late", Patient: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work / 4
			r := ask(&v, v.work/20)
			r.Overrun = trade.OverrunLate
			p.submit(i, r, program{work: v.work})
		}},
		{Name: "late-poor", Does: "goes on late with a budget that pays for no more", Patient: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			r := ask(&v, v.work/20)
			r.Overrun, r.Budget = trade.OverrunLate, p.priceOf(r)
			p.submit(i, r, program{work: v.work})
		}},
		{Name: "brink", Does: "a short estimate whose end meets the deadline", Patient: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work / 5
			p.submit(i, ask(&v, v.work/5), program{work: v.work})
		}},
		{Name: "poor", Does: "under-states, with a budget that pays for no more", cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work/10)
			r.Budget = p.priceOf(r)
			p.submit(i, r, program{work: v.work})
		}},
		{Name: "tiny", Does: "a thousand tiny jobs, each of which over-runs and has no money for that", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.width = 1
			tiny := 0.1 // a margin of no price is none, where nodes do not stop it by themselves
			if p.w.holds {
				tiny = 0.02
			}
			for n := range 40 { // of each wish
				p.w.in(float64(n)*0.1, func() {
					r := ask(&v, tiny)
					r.Budget = p.priceOf(r)
					p.submit(i, r, program{work: 3, stubborn: true})
				})
			}
		}},
	}
}

// priceOf is what a request costs now; nothing where it is refused.
func (p *player) priceOf(r trade.Request) *int64 {
	o, err := p.w.x.Preview(p.ids[0], r)
	if err != nil || o.Quote == nil {
		return nil
	}
	price := o.Quote.Price
	return &price
}
