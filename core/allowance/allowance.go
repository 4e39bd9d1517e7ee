package allowance

import (
	"github.com/libra-market/libra/core/market"
)

// Allowance is what an account gets by itself.
type Allowance struct {
	Account string       `json:"account"`
	Amount  market.Money `json:"amount_micros"`     // 0: none any more
	EveryUS int64        `json:"every_us"`          // so often
	Most    market.Money `json:"most_micros"`       // it is filled up to this, and no further
	Each    bool         `json:"each,omitempty"`    // it is that of each account below that somebody is bound to
	Welcome bool         `json:"welcome,omitempty"` // who is bound to nothing gets an account below
	NextUS  int64        `json:"next_us"`           // when it is due
}

// Bounds of how often an allowance is paid. Each time is an entry of the log.
const (
	LeastEveryUS = 60 * 1_000_000
	MostEveryUS  = 366 * 24 * 60 * LeastEveryUS
)

// Check says what is wrong with an allowance.
func (a *Allowance) Check() error {
	switch {
	case a.Amount < 0:
		return market.Wrong("amount_micros", "0 or more")
	case a.Amount == 0:
		return nil
	case a.EveryUS < LeastEveryUS || a.EveryUS > MostEveryUS:
		return market.Wrong("every_ms", "a minute to 366 days")
	case a.Most < a.Amount:
		return market.Wrong("most_micros", "as much as the amount, or more")
	case a.Welcome && !a.Each:
		return market.Wrong("welcome", "it with each")
	}
	return nil
}

// due is for how many periods it has to be paid now.
func (a *Allowance) due(now int64) int64 {
	if now < a.NextUS {
		return 0
	}
	return 1 + (now-a.NextUS)/a.EveryUS
}

// fill is what an account gets that owns so much, for so many periods.
func (a *Allowance) fill(owns market.Money, periods int64) market.Money {
	room := a.Most - owns
	if owns < 0 && room < 0 { // more than money can be
		room = a.Most
	}
	if periods > int64(room)/int64(a.Amount) {
		return room
	}
	return a.Amount * market.Money(periods)
}
