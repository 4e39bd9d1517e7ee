package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Whoever is first on the agenda is the earliest, and of equals the one of the lowest number; times before zero
// are times too.
func TestTheFirstOnTheAgendaIsTheEarliest(t *testing.T) {
	for seed := range uint64(100) {
		chance := rand.New(rand.NewPCG(seed, 41))
		var a agenda
		times := map[int32]market.Time{}
		for range 500 {
			unit := chance.Int32N(60)
			if chance.IntN(4) == 0 {
				a.set(unit, market.Never)
				delete(times, unit)
			} else {
				times[unit] = market.Time(chance.IntN(9)-4) / 2
				a.set(unit, times[unit])
			}
			first, at := int32(-1), market.Never
			for u := range int32(60) {
				if x, on := times[u]; on && x < at {
					first, at = u, x
				}
			}
			if a.first() != at || first >= 0 && a.unit() != first {
				t.Fatalf("seed %d: the first is at %v, want %d at %v", seed, a.first(), first, at)
			}
		}
	}
}
