package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Whoever is slowed down stays where it was on the agenda until it comes up: who is
// done first, and when, is what looking at everybody says.
func TestTheAgendaIsLazyAndRight(t *testing.T) {
	for seed := range uint64(200) {
		chance := rand.New(rand.NewPCG(seed, 14))
		var n virtualNodes
		now, running, later := market.Time(0), map[int32]bool{}, 0
		for range 200 {
			for range 1 + chance.IntN(5) {
				slot := chance.Int32N(20)
				if !running[slot] {
					n.enter(slot, market.JobID(slot), market.Work(1+chance.IntN(50)))
					running[slot] = true
				}
				n.grant(now, &market.Event{Slot: slot, Speed: float64(1+chance.IntN(8)) / 8})
				if n.jobs[slot].later {
					later++
				}
			}
			if chance.IntN(8) == 0 {
				slot := chance.Int32N(20)
				if running[slot] {
					n.stop(&market.Event{Slot: slot})
					delete(running, slot)
				}
			}
			first, at := int32(-1), market.Never
			for slot := range int32(len(n.jobs)) {
				if j := &n.jobs[slot]; running[slot] {
					if finish := finishOf(j.since, j.left, j.speed); finish < at {
						first, at = slot, finish
					}
				}
			}
			if got := n.nextFinish(); got != at {
				t.Fatalf("seed %d: at %v the next is done at %v, want %v", seed, now, got, at)
			}
			if first < 0 || chance.IntN(3) > 0 {
				now += min(at-now, market.Time(chance.Float64())) / 2
				continue
			}
			var said market.Event
			if n.finish(&said); said.Job != market.JobID(first) {
				t.Fatalf("seed %d: %d is done at %v, want %d", seed, said.Job, at, first)
			}
			now = at
			delete(running, first)
		}
		if later == 0 {
			t.Fatalf("seed %d: nobody was left where it was", seed)
		}
	}
}
