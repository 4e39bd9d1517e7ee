package wish

import (
	"math"
	"testing"
)

// Each bid is the best by one thing alone.
func TestTheBestBid(t *testing.T) {
	cheap := Bid{Price: 1, Done: 9, Gain: 0, Turn: 3}
	soon := Bid{Price: 5, Done: 2, Gain: 0, Turn: 2}
	gains := Bid{Price: 5, Done: 9, Gain: 7, Turn: 1}
	first := Bid{Price: 5, Done: math.Inf(1), Gain: 0, Turn: 0}
	for w, best := range map[Wish]*Bid{Cheapest: &cheap, Fastest: &soon, Gain: &gains, First: &first} {
		for _, other := range []*Bid{&cheap, &soon, &gains, &first} {
			if other != best && (w.Compare(best, other) >= 0 || w.Compare(other, best) <= 0) {
				t.Errorf("%s: %+v is not before %+v", w, best, other)
			}
		}
	}
}

// What decides a tie, in order: the change that comes earlier weighs more.
func TestTies(t *testing.T) {
	base := Bid{Price: 5, Done: 5, Gain: 5, Turn: 5}
	price, firm, done, turn := base, base, base, base
	price.Price, firm.Firm, done.Done, turn.Turn = 4, true, 4, 4
	for w, order := range map[Wish][]*Bid{
		Cheapest: {&price, &firm, &done, &turn, &base},
		Fastest:  {&done, &firm, &price, &turn, &base},
		Gain:     {&price, &firm, &done, &turn, &base},
	} {
		for i := range order {
			for j := range order {
				if got := w.Compare(order[i], order[j]); got < 0 != (i < j) || got > 0 != (i > j) {
					t.Errorf("%s: %d against %d is %d", w, i, j, got)
				}
			}
		}
	}
	if !First.Known() || Wish("best").Known() {
		t.Error("known wishes")
	}
}
