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
				if n.modes[slot].later {
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
				if w := &n.ways[slot]; running[slot] {
					if finish := finishOf(w.since, w.left, w.speed); finish < at {
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

// Who hardly moves is looked after apart, and ends when looking at everybody would end it: as soon as
// nothing is left but rounding, if it would be done before long.
func TestTheLastBitOfWorkIsNotWaitedFor(t *testing.T) {
	slowly, ended := 0, 0
	for seed := range uint64(300) {
		chance := rand.New(rand.NewPCG(seed, 15))
		var n virtualNodes
		now := market.Time(chance.IntN(2)) * 1e9
		n.enter(0, 0, 1)
		for range 100 {
			proc, slices := chance.Int32N(10), []market.Slice{}
			for slot := range int32(1 + chance.IntN(3)) {
				n.enter(slot, market.JobID(slot), market.Work(chance.IntN(3))*1e-6)
				slices = append(slices, market.Slice{Slot: slot, Speed: []float64{1, 0.3, 2e-3, 5e-4, 1e-6, 1e-8, 0}[chance.IntN(7)]})
			}
			n.share(now, &market.Event{Proc: proc, Slices: slices})
			now += market.Time([]float64{0, 1e-4, 1e-2, 1, 20}[chance.IntN(5)])
			horizon := now + earliest(market.Time(float64(market.WorkSlack)/n.slow), farOff)
			want := map[int32]bool{}
			for proc := range int32(len(n.procs)) {
				at, on := n.split.at(proc)
				want[proc] = on && at <= now
				for _, task := range n.procs[proc].tasks {
					if on && at <= horizon && n.slow < 1 && n.slow > 0 && leftAt(now, task.left, task.since, task.speed).Done() {
						want[proc] = true
						if at > now+soon {
							slowly++
						}
					}
				}
			}
			n.round(now)
			for proc := range int32(len(n.procs)) {
				at, on := n.split.at(proc)
				if over := on && at <= now; over != want[proc] {
					t.Fatalf("world %d, at %v: processor %d ends at %v, and should end now: %v", seed, now, proc, at, want[proc])
				}
			}
			for n.nextFinish() <= now {
				n.finish(&market.Event{})
				ended++
			}
		}
	}
	if slowly < 100 || ended < 1000 {
		t.Errorf("%d ended, %d of them who hardly moved", ended, slowly)
	}
}
