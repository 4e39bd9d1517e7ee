package adversary

import (
	"math/rand/v2"

	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// greed is the penalty rate that is asked for where nothing bounds it.
const greed = int64(1e12)

// penalties are strategies that want to be late, and paid for it.
func penalties() []Strategy {
	late := func(r *rand.Rand) float64 { return 0.9 + 0.5*r.Float64() }
	return []Strategy{
		{Name: "sleep", Does: "sleeps past a firm deadline", Idle: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work * 1.2
			p.farm(i, &v, v.work, program{first: v.deadline * late(p.w.rng)})
		}},
		{Name: "doze", Does: "works for a while, then sleeps past the deadline", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work * 1.1
			p.farm(i, &v, v.work, program{work: 0.7 * v.work, last: v.deadline * late(p.w.rng)})
		}},
		{Name: "sleep-in", Does: "sleeps first, and works when it is too late", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work * 1.2
			p.farm(i, &v, v.work, program{first: v.work * 0.5, work: 0.9 * v.work})
		}},
		{Name: "tight", Does: "asks for impossible deadlines", cheat: func(p *player, i int) {
			v := p.wants[i]
			for _, d := range []float64{0.5, 0.9, 0.999, 1, 1.001} {
				v.deadline = v.work * d
				p.farm(i, &v, v.work, program{work: v.work})
			}
		}},
		{Name: "late-lie", Does: "needs a little more than it says, and names a firm deadline", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work
			p.farm(i, &v, 0.97*v.work, program{work: v.work})
		}},
		{Name: "straggler", Does: "is as wide as it can, and lets one rank be late", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.width, v.deadline = len(p.w.nodes)*2, v.work*1.1
			p.farm(i, &v, v.work, program{first: v.deadline * late(p.w.rng), lead: true})
		}, Idle: true},
		{Name: "soft", Does: "farms with a soft deadline", Idle: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = v.work * 1.3
			r := ask(&v, v.work)
			r.Soft = true
			p.farmWith(i, r, program{first: v.deadline * late(p.w.rng)})
		}},
	}
}

// farm submits with the highest penalty rate that the market allows.
func (p *player) farm(i int, v *wish, estimate float64, does program) {
	p.farmWith(i, ask(v, estimate), does)
}

func (p *player) farmWith(i int, r trade.Request, does program) {
	r.PenaltyMicros = p.allowed(r)
	p.submit(i, r, does)
}

// allowed is the highest penalty rate that a request may have; nothing bounds it
// where the market does not.
func (p *player) allowed(r trade.Request) int64 {
	price := p.priceOf(r)
	trade := &p.w.trade
	if trade.PenaltyLimit == rules.None || price == nil {
		return greed
	}
	second := float64(*price) / (float64(r.EstimateMS) / 1e3)
	most, _ := trade.PenaltyLimit.Of(second)
	return int64(most)
}
