package adversary

import "github.com/libra-market/libra/core/trade"

// quotes are strategies that keep room they do not take.
func quotes() []Strategy {
	return []Strategy{
		{Name: "squat", Does: "keeps as much as it can by quotes, for as long as it can", prepare: func(p *player) {
			p.squat(600_000, 0)
		}, cheat: (*player).honestly},
		{Name: "renew", Does: "renews quotes for ever, just before they expire", prepare: func(p *player) {
			p.squat(60_000, 59)
		}, cheat: (*player).honestly},
		{Name: "wait", Does: "takes a quote at the last moment", cheat: func(p *player, i int) {
			v := &p.wants[i]
			o, err := p.w.do(trade.Command{By: p.ids[0], Quote: &trade.AskQuote{TTLMS: 120_000, Request: ask(v, v.work)}})
			if err != nil || o.Quote == nil {
				p.honestly(i)
				return
			}
			id := o.Quote.ID
			p.w.in(119, func() {
				p.submitAs(p.ids[0], i, trade.Submit{Quote: id, Request: trade.Request{Argv: []string{"work"}}}, program{work: v.work})
			})
		}},
		{Name: "double", Does: "backs many quotes with one balance, and takes them all", prepare: func(p *player) {
			_, _ = p.w.do(trade.Command{By: p.ids[0], Money: &trade.MoneyCommand{Op: "transfer", From: p.ids[0].User, To: p.ids[1].User, Amount: grant - p.seconds(60)}})
		}, Accounts: 1, cheat: func(p *player, i int) {
			v := &p.wants[i]
			var taken []string
			for range 4 {
				if o, err := p.w.do(trade.Command{By: p.ids[0], Quote: &trade.AskQuote{TTLMS: 30_000, Request: ask(v, v.work)}}); err == nil && o.Quote != nil {
					taken = append(taken, o.Quote.ID)
				}
			}
			for _, id := range taken {
				p.submitAs(p.ids[0], i, trade.Submit{Quote: id, Request: trade.Request{Argv: []string{"work"}}}, program{work: v.work})
			}
		}},
	}
}

// squat asks for quotes until no more are given, and again every so many seconds.
func (p *player) squat(ttl int64, again float64) {
	var round func()
	round = func() {
		if p.w.now > start+300*second {
			return
		}
		var mine []string
		for range 20 {
			o, err := p.w.do(trade.Command{By: p.ids[0], Quote: &trade.AskQuote{TTLMS: ttl, Request: trade.Request{
				EstimateMS: 300_000, DeadlineMS: 310_000, Processors: 1,
			}}})
			if err != nil || o.Quote == nil {
				break
			}
			mine = append(mine, o.Quote.ID)
		}
		if again > 0 {
			p.w.in(again, func() {
				for _, id := range mine {
					_, _ = p.w.do(trade.Command{By: p.ids[0], Cancel: &trade.Cancel{Quote: id}})
				}
				round()
			})
		}
	}
	p.w.at(start, round)
}
