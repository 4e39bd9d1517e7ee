package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Who wins the knockout is the earliest, and of equals the one of the lowest number, however many come and go; and
// those who are due are found, whoever won.
func TestTheEarliestWinsTheKnockout(t *testing.T) {
	for seed := range uint64(60) {
		chance := rand.New(rand.NewPCG(seed, 42))
		units := 1 + chance.Int32N(300)
		var k knockout
		times := map[int32]market.Time{}
		for step := range 300 {
			unit := chance.Int32N(units)
			if chance.IntN(4) == 0 {
				k.set(unit, noKey)
				delete(times, unit)
			} else {
				times[unit] = market.Time(chance.IntN(9)-4) / 2
				k.set(unit, keyOf(times[unit]))
			}
			first, won, due, horizon := int32(-1), market.Never, []int32{}, market.Time(chance.IntN(9)-4)/2
			for u := range units {
				x, on := times[u]
				if on && x < won {
					first, won = u, x
				}
				if on && x <= horizon {
					due = append(due, u)
				}
				if at, is := k.at(u); is != on || on && at != x {
					t.Fatalf("seed %d, step %d: %d is at %v (%v), want %v (%v)", seed, step, u, at, is, x, on)
				}
			}
			if k.first() != won {
				t.Fatalf("seed %d, step %d: the first is at %v, want %v", seed, step, k.first(), won)
			}
			if winner, key := k.unit(); first >= 0 && (winner != first || timeOf(key) != won) {
				t.Fatalf("seed %d, step %d: %d wins at %v, want %d at %v", seed, step, winner, timeOf(key), first, won)
			}
			if got := k.by(horizon); !slices.Equal(got, due) {
				t.Fatalf("seed %d, step %d: by %v %v are due, want %v", seed, step, horizon, got, due)
			}
		}
	}
}
