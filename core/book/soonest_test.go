package book

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// Who has used up his estimate first is who looking at everybody finds, whoever comes, goes
// and gets another speed, and of those of one time the lower number.
func TestSoonestIsWhoLookingAtAllFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o, there := &soonest{}, map[Slot]usedUp{}
		for range 60 {
			s := Slot(rapid.IntRange(0, 20).Draw(rt, "slot"))
			if rapid.IntRange(0, 3).Draw(rt, "what") == 0 {
				_, was := there[s]
				if o.remove(s) != was {
					rt.Fatalf("%d was there: %v", s, was)
				}
				delete(there, s)
			} else {
				at := float64(rapid.IntRange(0, 9).Draw(rt, "at"))
				e := &Entry{Job: market.Job{ID: market.JobID(100 - s)}, Procs: market.ProcsOf(int(s) % 4)}
				o.set(s, e, at, at-0.5)
				there[s] = usedUp{at: at, id: e.Job.ID, slot: s}
			}
			if rapid.Bool().Draw(rt, "nobody asks") {
				continue
			}
			want, any := usedUp{at: math.Inf(1)}, false
			var by []Slot
			for _, x := range there {
				if !any || x.before(&want) {
					want, any = x, true
				}
				if x.at-0.5 <= 4 {
					by = append(by, x.slot)
				}
			}
			if first, some := o.first(); some != any || some && first != want {
				rt.Fatalf("%v, %v is first, want %v, %v", first, some, want, any)
			}
			var visited []Slot
			o.upTo(func() float64 { return 4 }, func(s Slot) { visited = append(visited, s) })
			if slices.Sort(visited); !slices.Equal(visited, sorted(by)) {
				rt.Fatalf("%v are visited, want %v", visited, by)
			}
		}
	})
}

func sorted(s []Slot) []Slot {
	slices.Sort(s)
	return s
}

// To look for the first takes a look at those beside whom something has changed, not at all.
func TestSoonestLooksAtFew(t *testing.T) {
	o := &soonest{}
	for i := range 1000 {
		e := &Entry{Job: market.Job{ID: market.JobID(i)}, Procs: market.ProcsOf(i / 10)}
		o.set(Slot(i), e, float64(i), float64(i))
	}
	o.first()
	o.set(17, &Entry{}, 3, 3)
	o.set(18, &Entry{}, 4, 4)
	if n := len(o.stale); n != 1 {
		t.Errorf("%d groups are looked through, want 1", n)
	}
	looked := 0
	o.upTo(func() float64 { return 5 }, func(Slot) { looked++ })
	if looked != 8 {
		t.Errorf("%d are visited, want 8", looked)
	}
}
