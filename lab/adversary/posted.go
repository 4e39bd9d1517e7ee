package adversary

import "github.com/libra-market/libra/core/trade"

// posted are strategies for a market that asks the same of everybody: a part of what is offered
// for as much, and no less than its rate. Honest users offer there what a job is worth to them.
func posted() []Strategy {
	const policy = "make-way"
	set := map[string]string{"price": "posted", "follow": "0.5"}
	return []Strategy{
		{Name: "posted-shade", Does: "at a posted price: offers the rate and not what a job is worth, and more until it is taken", policy: policy, set: set, cheat: func(p *player, i int) {
			v := &p.wants[i]
			for _, part := range []float64{0.5, 1, 1.25, 1.5, 2} {
				if _, ok := p.submit(i, p.bid(v, part), program{work: v.work}); ok {
					return
				}
			}
			p.honestly(i)
		}},
		{Name: "posted-crowd", Does: "at a posted price: comes with many who offer the least, so that less is asked, and cancels them", policy: policy, set: set, cheat: func(p *player, i int) {
			var crowd []int64
			for range 12 {
				small := wish{work: 1, width: 1, deadline: 600}
				if id, ok := p.submit(i, p.bid(&small, 1), program{work: small.work}); ok {
					crowd = append(crowd, id)
				}
			}
			p.honestly(i)
			for _, id := range crowd {
				p.cancel(id)
			}
		}},
		{Name: "posted-decoy", Does: "at a posted price: offers a fortune for jobs that it cancels, so that more is asked of others", policy: policy, set: set, cheat: func(p *player, i int) {
			v := &p.wants[i]
			if id, ok := p.submit(i, p.bid(v, 100), program{work: v.work}); ok {
				p.w.in(1, func() { p.cancel(id) })
			}
			p.w.in(2, func() { p.honestly(i) })
		}},
		{Name: "posted-short", Does: "at a posted price: says a tenth of what it needs, and over-runs", policy: policy, set: set, cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work/10)
			r.Overrun = trade.OverrunLate
			p.submit(i, r, program{work: v.work})
		}},
	}
}

// worth is what a job is worth to an honest user: the rate to three times the rate, by how long it
// takes, so that no lots have to be drawn for it.
func worth(r *trade.Request, rate int64) int64 {
	return rate + int64(float64(rate)*float64(r.EstimateMS%201)/100)
}
