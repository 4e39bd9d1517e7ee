package policy

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/book"
)

// Bids that come, change and go add up as if they were put in order and added up from the first on each time.
func TestBidsAddUp(t *testing.T) {
	for seed := range uint64(30) {
		draw := rand.New(rand.NewPCG(seed, 23))
		var kept bids
		slots, rates := 1+draw.IntN(3000), 1+draw.IntN(1000)
		stands := map[book.Slot]bid{}
		for range 40 {
			for range draw.IntN(slots) {
				s := book.Slot(int32(draw.IntN(slots)))
				if draw.IntN(3) == 0 {
					delete(stands, s)
					kept.remove(s)
					continue
				}
				b := bid{rate: float64(draw.IntN(rates)), need: draw.Int64N(5), slot: s}
				stands[s] = b
				kept.put(b)
			}
			all := make([]bid, 0, len(stands))
			for _, b := range stands {
				all = append(all, b)
			}
			slices.SortFunc(all, func(a, b bid) int { return cmp.Compare(b.rate, a.rate) })
			rate, most := float64(draw.IntN(rates+1))-0.5*float64(draw.IntN(2)), float64(draw.Int64N(int64(2*slots+2)))
			above, marginal, sum := int64(0), 0.0, int64(0)
			for _, b := range all {
				if b.rate > rate {
					above += b.need
				}
				if was := sum; float64(was) <= most {
					if sum += b.need; float64(sum) > most {
						marginal = b.rate
					}
				}
			}
			if got := kept.needAbove(rate); got != above {
				t.Fatalf("seed %d: above %v they need %d of %d bids, want %d", seed, rate, got, len(all), above)
			}
			if got, _ := kept.marginal(most); got != marginal {
				t.Fatalf("seed %d: the marginal one of %v offers %v of %d bids, want %v", seed, most, got, len(all), marginal)
			}
			for i := range kept.rows {
				if n := len(kept.rows[i].bids); n == 0 || n >= mostBids {
					t.Fatalf("seed %d: a row of %d", seed, n)
				}
			}
		}
	}
}
