package adversary

import "github.com/libra-market/libra/core/trade"

// ways are strategies for markets in which jobs stand still for others: where they make way for those that
// pay more for the time, and where the earliest deadline goes first among those who offered the going rate.
func ways() []Strategy {
	return append(standing("way", "make-way", "where jobs make way: "), standing("rate", "going-rate", "at the going rate: ")...)
}

func standing(name, policy, where string) []Strategy {
	return []Strategy{
		{Name: name + "-lowball", Does: where + "offers a part of the rate, and more until it is taken", policy: policy, cheat: func(p *player, i int) {
			v := &p.wants[i]
			for _, part := range []float64{0, 0.5, 0.999} {
				if _, ok := p.submit(i, p.bid(v, part), program{work: v.work}); ok {
					return
				}
			}
			p.honestly(i)
		}},
		{Name: name + "-split", Does: where + "cuts a job into short ones, which go first", policy: policy, cheat: func(p *player, i int) {
			const pieces = 8
			piece := p.wants[i]
			piece.work /= pieces
			for range pieces {
				p.submit(i, ask(&piece, piece.work), program{work: piece.work})
			}
		}},
		{Name: name + "-pad", Does: where + "says four times what it needs", policy: policy, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline *= 4
			p.submit(i, ask(&v, 4*v.work), program{work: v.work})
		}},
		{Name: name + "-short", Does: where + "says a tenth of what it needs, to go first, and over-runs", policy: policy, cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work/10)
			r.Overrun = trade.OverrunLate
			p.submit(i, r, program{work: v.work})
		}},
	}
}
