package adversary

import "github.com/libra-market/libra/core/trade"

// ways are strategies for a market in which jobs make way for others that pay more for the time.
func ways() []Strategy {
	const policy = "make-way"
	return []Strategy{
		{Name: "way-lowball", Does: "where jobs make way: offers a part of the rate, and more until it is taken", policy: policy, cheat: func(p *player, i int) {
			v := &p.wants[i]
			for _, part := range []float64{0, 0.5, 0.999} {
				if _, ok := p.submit(i, p.bid(v, part), program{work: v.work}); ok {
					return
				}
			}
			p.honestly(i)
		}},
		{Name: "way-split", Does: "where jobs make way: cuts a job into short ones, which go first", policy: policy, cheat: func(p *player, i int) {
			const pieces = 8
			piece := p.wants[i]
			piece.work /= pieces
			for range pieces {
				p.submit(i, ask(&piece, piece.work), program{work: piece.work})
			}
		}},
		{Name: "way-pad", Does: "where jobs make way: says four times what it needs", policy: policy, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline *= 4
			p.submit(i, ask(&v, 4*v.work), program{work: v.work})
		}},
		{Name: "way-short", Does: "where jobs make way: says a tenth of what it needs, to go first, and over-runs", policy: policy, cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work/10)
			r.Overrun = trade.OverrunLate
			p.submit(i, r, program{work: v.work})
		}},
	}
}
