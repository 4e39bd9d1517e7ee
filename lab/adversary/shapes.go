package adversary

import "github.com/libra-market/libra/core/trade"

// shapes are strategies that cut the same work otherwise.
func shapes() []Strategy {
	return []Strategy{
		{Name: "split", Does: "cuts a job into many small ones", cheat: func(p *player, i int) {
			const pieces = 8
			v := p.wants[i]
			piece := v
			piece.width, piece.work = 1, v.work/pieces
			for range pieces * v.width {
				p.submit(i, ask(&piece, piece.work), program{work: piece.work})
			}
		}},
		{Name: "crumbs", Does: "cuts work into pieces too small to be charged", cheat: func(p *player, i int) {
			crumb := p.wants[i]
			crumb.width, crumb.work = 1, 0.001
			for n := range 40 {
				p.w.in(float64(n)*0.05, func() { p.submit(i, ask(&crumb, crumb.work), program{work: crumb.work}) })
			}
		}},
		{Name: "crumbs-over", Does: "cuts work into pieces of a millisecond, and over-runs each", Patient: true, cheat: func(p *player, i int) {
			crumb := p.wants[i]
			crumb.width, crumb.deadline = 1, 0
			for n := range 10 {
				p.w.in(float64(n)*0.5, func() { p.submit(i, ask(&crumb, 0.001), program{work: crumb.work}) })
			}
		}},
		{Name: "array", Does: "makes one array of it", cheat: func(p *player, i int) {
			v := p.wants[i]
			r := ask(&v, v.work)
			r.Processors, r.Array = 0, &trade.Array{First: 1, Last: v.width}
			p.submit(i, r, program{work: v.work})
		}},
		{Name: "array-one", Does: "makes one array of it, one element at a time", Patient: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			r := ask(&v, v.work)
			r.Processors, r.Array = 0, &trade.Array{First: 1, Last: v.width, Limit: 1}
			p.submit(i, r, program{work: v.work})
		}},
		{Name: "threads", Does: "asks for threads of one program", cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work)
			r.Threads = v.width
			p.submit(i, r, program{work: v.work})
		}},
		{Name: "narrow", Does: "says one processor, and needs several", Patient: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			width := v.width
			v.width, v.deadline = 1, 2*v.work
			p.submit(i, ask(&v, v.work), program{work: v.work * float64(width+1)})
		}},
		{Name: "wide", Does: "says several processors, and uses one", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.width = 2
			p.submit(i, ask(&v, v.work), program{work: v.work, lead: true})
		}},
		{Name: "flood", Does: "submits and cancels by the hundred", cheat: func(p *player, i int) {
			p.honestly(i)
			v := p.wants[i]
			for range 30 {
				if id, ok := p.submit(i, ask(&v, v.work), program{work: v.work}); ok {
					p.cancel(id)
				}
			}
		}},
	}
}
