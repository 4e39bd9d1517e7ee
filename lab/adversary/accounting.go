package adversary

import "github.com/libra-market/libra/core/exchange"

// accounts are strategies that move money about.
func accounts() []Strategy {
	return []Strategy{
		{Name: "empty", Does: "moves its money away while a job over-runs", Accounts: 1, Patient: true, cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work/10)
			r.Overrun = exchange.OverrunLate
			if _, ok := p.submit(i, r, program{work: v.work}); ok {
				p.w.in(v.work/20, func() { p.move(0, 1) })
				p.w.in(300, func() { p.move(1, 0) })
			}
		}},
		{Name: "crowd", Does: "spreads its work over several accounts", Accounts: 2, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.width = 1
			for n := range p.wants[i].width {
				r := ask(&v, v.work)
				r.PenaltyMicros = greed
				p.submitAs(p.ids[n%len(p.ids)], i, exchange.Submit{Request: r}, program{work: v.work})
			}
		}},
		{Name: "circle", Does: "moves money in a circle past a monthly limit", Accounts: 1, prepare: func(p *player) {
			must(p.w.do(exchange.Command{By: owner, Money: &exchange.MoneyCommand{Op: "limit", To: p.ids[0].User, Amount: 20e6}}))
			for range 3 {
				p.move(0, 1)
				p.move(1, 1)
			}
		}, cheat: func(p *player, i int) {
			v := &p.wants[i]
			p.submitAs(p.ids[1], i, exchange.Submit{Request: ask(v, v.work)}, program{work: v.work})
		}},
	}
}

// move transfers all that is free from one account to another.
func (p *player) move(from, to int) {
	a, _ := p.w.x.Account(p.ids[from].User)
	_, _ = p.w.do(exchange.Command{By: p.ids[from], Money: &exchange.MoneyCommand{
		Op: "transfer", From: p.ids[from].User, To: p.ids[to].User, Amount: a.Free,
	}})
}
