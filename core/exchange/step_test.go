package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
)

// The number of a step is over all that was said: whatever is said otherwise, by
// however little, gives another one. Kills the mutant that leaves out the price,
// and those that leave out anything else.
func TestTheSumIsOverEverything(t *testing.T) {
	said := func() []market.Event {
		return []market.Event{
			{Kind: market.Accepted, Job: 3, Firm: true, Start: 1, Finish: 2, Speed: 0.5, Work: 4, Price: 10.5, Proc: 1, Node: 2, Procs: market.ProcsOf(1, 70)},
			{Kind: market.Shared, Proc: 1, Slices: []market.Slice{{Job: 3, Speed: 0.25}, {Job: 4, Speed: 0.5}}},
		}
	}
	sum := exchange.Sum(said())
	if again := exchange.Sum(said()); again != sum {
		t.Fatalf("the same, said twice, is %x and %x", sum, again)
	}
	for what, change := range map[string]func([]market.Event) []market.Event{
		"kind":         func(e []market.Event) []market.Event { e[0].Kind = market.Queued; return e },
		"reason":       func(e []market.Event) []market.Event { e[0].Reason = market.NodeLost; return e },
		"firm":         func(e []market.Event) []market.Event { e[0].Firm = false; return e },
		"job":          func(e []market.Event) []market.Event { e[0].Job = 4; return e },
		"processor":    func(e []market.Event) []market.Event { e[0].Proc = 2; return e },
		"node":         func(e []market.Event) []market.Event { e[0].Node = 1; return e },
		"both":         func(e []market.Event) []market.Event { e[0].Proc, e[0].Node = 2, 1; return e },
		"start":        func(e []market.Event) []market.Event { e[0].Start = 1.5; return e },
		"finish":       func(e []market.Event) []market.Event { e[0].Finish = market.Never; return e },
		"speed":        func(e []market.Event) []market.Event { e[0].Speed += 1e-16; return e },
		"work":         func(e []market.Event) []market.Event { e[0].Work = 4.000001; return e },
		"price":        func(e []market.Event) []market.Event { e[0].Price += 1e-9; return e },
		"processors":   func(e []market.Event) []market.Event { e[0].Procs = market.ProcsOf(1, 6); return e },
		"fewer":        func(e []market.Event) []market.Event { e[0].Procs = market.ProcsOf(1); return e },
		"whose share":  func(e []market.Event) []market.Event { e[1].Slices[1].Job = 5; return e },
		"what share":   func(e []market.Event) []market.Event { e[1].Slices[0].Speed = 0.3; return e },
		"order":        func(e []market.Event) []market.Event { e[0], e[1] = e[1], e[0]; return e },
		"nothing more": func(e []market.Event) []market.Event { return e[:1] },
	} {
		if got := exchange.Sum(change(said())); got == sum {
			t.Errorf("another %s gives the same number", what)
		}
	}
}
