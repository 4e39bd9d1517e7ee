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
				o.set(s, e, at, at-slackOf(s))
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
				if x.at-slackOf(x.slot) <= 4 {
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

// slackOf is by how much sooner no more than rounding is left of a job: the slower, the sooner.
func slackOf(s Slot) float64 { return float64(s%3) / 2 }

// To look for the first takes a look at a group in which who was the first is not any more,
// and only when no other stands before it.
func TestSoonestLooksAtFew(t *testing.T) {
	o := &soonest{}
	for i := range 1000 {
		e := &Entry{Job: market.Job{ID: market.JobID(i)}, Procs: market.ProcsOf(i / 10)}
		o.set(Slot(i), e, float64(i), float64(i))
	}
	unsure := func() (n int) {
		for _, g := range o.groups {
			if !g.sure {
				n++
			}
		}
		return n
	}
	o.first()
	if n := unsure(); n != 99 {
		t.Errorf("%d groups have not been looked through, want 99", n)
	}
	o.set(17, &Entry{}, 3, 3)
	o.set(5, &Entry{}, 40, 40)
	o.first()
	if n := unsure(); n != 99 {
		t.Errorf("one comes to be earlier and one later, neither is the first: %d groups have not been looked through, want 99", n)
	}
	o.set(0, &Entry{}, 70, 70)
	if first, _ := o.first(); first.slot != 1 || unsure() != 99 {
		t.Errorf("%d is first, and %d groups have not been looked through, want 1 and 99", first.slot, unsure())
	}
	looked := 0
	o.upTo(func() float64 { return 5 }, func(Slot) { looked++ })
	if looked != 5 {
		t.Errorf("%d are visited, want 1 to 4 and 17", looked)
	}
}
