package adversary

import "github.com/libra-market/libra/core/trade"

// accounts are strategies that move money about.
func accounts() []Strategy {
	return []Strategy{
		{Name: "empty", Does: "moves its money away while a job over-runs", Accounts: 1, Patient: true, cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work/10)
			r.Overrun = trade.OverrunLate
			if _, ok := p.submit(i, r, program{work: v.work}); ok {
				p.w.in(v.work/20, func() { p.move(0, 1, grant) })
				p.w.in(300, func() { p.move(1, 0, grant) })
			}
		}},
		{Name: "crowd", Does: "spreads its work over several accounts", Accounts: 2, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.width = 1
			for n := range p.wants[i].width {
				r := ask(&v, v.work)
				r.PenaltyMicros = p.allowed(r)
				p.submitAs(p.ids[n%len(p.ids)], i, trade.Submit{Request: r}, program{work: v.work})
			}
		}},
		{Name: "circle", Does: "moves money in a circle past a monthly limit", Accounts: 1, prepare: func(p *player) {
			limit := p.seconds(20)
			must(p.w.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "limit", To: p.ids[0].User, Amount: limit}}))
			for range 3 {
				p.move(0, 1, grant)
				p.move(0, 1, limit/2)
				p.move(1, 1, limit)
			}
			if a, _ := p.w.x.Account(p.ids[0].User); grant-a.Free > limit {
				p.w.fail("limit", "a limit of %d let %d through", limit, grant-a.Free)
			}
		}, cheat: func(p *player, i int) {
			v := &p.wants[i]
			p.submitAs(p.ids[1], i, trade.Submit{Request: ask(v, v.work)}, program{work: v.work})
		}},
	}
}

// move transfers an amount, or what is free of it, from one account to another.
func (p *player) move(from, to int, amount int64) {
	a, _ := p.w.x.Account(p.ids[from].User)
	_, _ = p.w.do(trade.Command{By: p.ids[from], Money: &trade.MoneyCommand{ // refused, it stays where it is
		Op: "transfer", From: p.ids[from].User, To: p.ids[to].User, Amount: min(amount, a.Free),
	}})
}

// seconds is about what so many processor seconds cost.
func (p *player) seconds(n float64) int64 { return max(1, int64(n*p.w.floor())) }
