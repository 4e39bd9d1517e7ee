package book

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Whoever waits is listed in the order of ranks, as if all were sorted each time, however seldom or often somebody asks.
func TestWhoWaitsIsListedInOrder(t *testing.T) {
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 29))
		b := New(market.Alike(market.Plain(), 2))
		b.Tick(0)
		var waiting []Slot
		next, often := market.JobID(0), 1+draw.IntN(200)
		for range 1500 {
			switch draw.IntN(5) {
			case 0:
				if len(waiting) > 0 {
					i := draw.IntN(len(waiting))
					s := waiting[i]
					waiting = slices.Delete(waiting, i, i+1)
					if b.Detach(s); draw.IntN(2) == 0 { // and waits again, in another place or the same
						e := b.slots.at(s)
						again := e.Terms
						again.Rank += market.Number(draw.IntN(3))
						b.Wait(s, again)
						waiting = append(waiting, s)
					} else {
						b.Remove(s)
					}
				}
			case 1:
				b.Planned()
				b.Tick(b.now + 1)
			default:
				next++
				s := b.Add(&market.Job{ID: next, Estimate: 1, Width: 1, SLA: market.SLA{Deadline: 5}})
				b.Wait(s, Terms{Rank: market.Number(draw.IntN(20)), Latest: market.Never})
				waiting = append(waiting, s)
			}
			if draw.IntN(often) > 0 {
				continue
			}
			slices.SortFunc(waiting, func(x, y Slot) int {
				if b.slots.at(x).before(b.slots.at(y)) {
					return -1
				}
				return 1
			})
			if got := b.inOrder(); !slices.Equal(got, waiting) {
				t.Fatalf("seed %d: %v are listed, want %v", seed, got, waiting)
			}
		}
	}
}
