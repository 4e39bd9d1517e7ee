package roster_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
)

// What is remembered of the nodes that a job may be on is what asking every node says, whatever
// has happened to them since it was last asked.
func TestPlacesAreAsEveryNodeSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := roster.New()
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			happen(t, r)
			one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
			where := &market.Where{
				Nodes: one("on", "", "", "n1", "n2,n3,n3", "n1,nowhere"), Exclude: one("not on", "", "", "n3"),
				Constraint: one("constraint", "", "", "fast", "fast&ib"), Partition: one("in", "", "", "p1"), Reservation: one("aside", "", "", "course"),
			}
			if rapid.Bool().Draw(t, "anywhere") {
				where = nil
			}
			each := rapid.IntRange(1, 3).Draw(t, "each")
			up, lanes, fastest := 0, 0, 0.0
			j := &market.Job{Where: where, Memory: int64(rapid.IntRange(0, 3).Draw(t, "memory"))}
			could := 0.0
			for _, n := range r.All() {
				shape := n.Core(market.Rates{})
				if !where.Takes(&shape) {
					continue
				}
				if n.Up && where.Admits(&shape) {
					up, lanes, fastest = up+1, lanes+n.Processors-n.Processors%each, max(fastest, n.Rating)
				}
				if n.Could(j) {
					could = max(could, n.Rating)
				}
			}
			p := r.Places(where)
			if p.Up != up || p.Lanes(each) != lanes || p.Fastest != fastest {
				t.Fatalf("%+v: %d nodes up, %d processors, rating %v, want %d, %d, %v", where, p.Up, p.Lanes(each), p.Fastest, up, lanes, fastest)
			}
			if got := r.Fastest(j); got != could {
				t.Fatalf("%+v: the fastest that could take it has %v, want %v", j, got, could)
			}
		}
	})
}

// happen lets a node join, or something happen to one.
func happen(t *rapid.T, r *roster.Roster) {
	h := task.Hello{
		Node: fmt.Sprintf("n%d", rapid.IntRange(1, 4).Draw(t, "name")), Processors: rapid.IntRange(1, 4).Draw(t, "processors"),
		Rating: float64(rapid.IntRange(1, 3).Draw(t, "rating")), Speed: 3, MemoryMB: int64(rapid.IntRange(0, 3).Draw(t, "MB")),
		Features: rapid.SampledFrom([]string{"", "fast", "fast,ib"}).Draw(t, "features"), Partition: rapid.SampledFrom([]string{"", "p1"}).Draw(t, "partition"),
		Reserved: rapid.SampledFrom([]string{"", "", "course"}).Draw(t, "reserved"),
	}
	what := rapid.IntRange(0, 7).Draw(t, "what")
	if r.Len() == 0 || what == 0 {
		r.Add(&h)
		r.Raise(r.Name())
		return
	}
	index := rapid.IntRange(0, r.Len()-1).Draw(t, "index")
	switch what {
	case 1:
		r.Lower(index, "gone")
	case 2:
		r.Raise(index)
	case 3:
		r.Close(index, "full")
	case 4:
		r.Open(index)
	case 5:
		r.Lower(index, "gone")
		r.Retire(index)
	case 6:
		other := r.At(index).Hello
		other.Features, other.Partition, other.Reserved = h.Features, h.Partition, h.Reserved
		r.Label(&other)
	}
}
