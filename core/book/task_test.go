package book

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// What the tasks of a processor amount to follows those that come and go, to the last bit of what counting them anew
// says, also where some of them cannot be compared.
func TestAPileFollowsItsTasks(t *testing.T) {
	kept := 0
	for seed := range uint64(60) {
		chance := rand.New(rand.NewPCG(seed, 43))
		b := New(market.Each([]market.Node{market.Plain(), market.Plain()}))
		d := NewDraft(b)
		var on []Slot
		for step := range 120 {
			b.Tick(market.Time(step))
			if len(on) > 0 && chance.IntN(2) == 0 {
				i := chance.IntN(len(on))
				b.FinishTask(on[i], 0, 1)
				b.Remove(on[i])
				on = append(on[:i], on[i+1:]...)
			} else {
				j := market.Job{ID: market.JobID(step), Submit: b.now, Estimate: 10, Width: 1}
				j.SLA.Deadline, j.SLA.Soft = 20, chance.IntN(3) > 0
				terms := Terms{Independent: true, Worth: market.Number(chance.IntN(4)) / 3}
				switch chance.IntN(20) {
				case 0:
					j.SLA.Deadline = market.Never
				case 1:
					if seed%3 == 0 {
						terms.Worth = market.Number(math.NaN())
					}
				}
				s := b.Add(&j)
				b.Place(s, terms, market.Procs{}.Add(0))
				on = append(on, s)
			}
			if p := &b.piles[0]; p.counted {
				kept++
			}
			got, want := *b.View().Pile(0), pileOf(b.tasks[0])
			if !alike(got.Worth, want.Worth) || !alike(got.Return, want.Return) || got.Top != want.Top || got.Endless != want.Endless {
				t.Fatalf("seed %d, step %d: %+v, want %+v", seed, step, got, want)
			}
			if chance.IntN(3) == 0 {
				d.AppraiseInTime(0)
				if !alike(b.piles[0].Return, b.piles[0].Worth) {
					t.Fatalf("seed %d, step %d: in time they bring %v, want %v", seed, step, b.piles[0].Return, b.piles[0].Worth)
				}
			}
		}
	}
	if kept < 1000 {
		t.Errorf("only %d times nobody had to be counted anew", kept)
	}
}

// alike reports whether two numbers are the same to the last bit, or none.
func alike(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}
