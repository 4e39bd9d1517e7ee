package allowance

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// asked is the allowance that a command asks for.
func asked(m *trade.MoneyCommand) Allowance {
	return Allowance{
		Account: m.To, Amount: market.Money(m.Amount), EveryUS: m.EveryUS, Most: market.Money(m.Most),
		Each: m.Each, Welcome: m.Welcome,
	}
}

// Show says of an account what it gets by itself, or what each below it does.
func (b *Book) Show(v *trade.Account) {
	a, has := b.Of(v.Path)
	if !has || v.Closed || a.Account != v.Path && len(v.Users) == 0 {
		return
	}
	v.Allowance, v.AllowanceMS, v.AllowanceMost, v.AllowanceUS = int64(a.Amount), a.EveryUS/1000, int64(a.Most), a.NextUS
	v.AllowanceEach = a.Each && a.Account == v.Path
}
