package book

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// Whoever comes and goes, a processor is in the house of those who reside on it, and
// no two houses are alike.
func TestHousesFollowFromWhoResidesWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := market.PlainNodes(rapid.IntRange(1, 150).Draw(t, "nodes"))
		if rapid.Bool().Draw(t, "unequal") {
			for i := range nodes {
				nodes[i].Rating = float64(1 + i%3)
			}
		}
		b := New(market.Each(nodes))
		var there []Slot
		for id := range market.JobID(rapid.IntRange(1, 60).Draw(t, "jobs")) {
			if len(there) > 0 && rapid.IntRange(0, 2).Draw(t, "leaves") == 0 {
				i := rapid.IntRange(0, len(there)-1).Draw(t, "who")
				b.Remove(there[i])
				there = slices.Delete(there, i, i+1)
				b.Tick(market.Time(id))
				checkHouses(t, b)
			}
			var procs market.Procs
			low := rapid.IntRange(0, len(nodes)-1).Draw(t, "low")
			step := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "step")
			for proc := low; proc < len(nodes) && proc < low+40; proc += step {
				procs = procs.Add(proc)
			}
			j := market.Job{ID: 100 - id, Width: market.Int32(procs.Len()), Estimate: 10, SLA: market.SLA{Deadline: 20}}
			s := b.Add(&j)
			b.Place(s, Terms{}, procs)
			there = append(there, s)
			checkHouses(t, b)
		}
	})
}

func checkHouses(t *rapid.T, b *Book) {
	v := b.View()
	for proc := range v.Processors() {
		var here []Slot
		for _, s := range b.running {
			if b.slots.at(s).Procs.Has(proc) {
				here = append(here, s)
			}
		}
		b.sortByID(here)
		if !slices.Equal(here, v.Residents(proc)) {
			t.Fatalf("on processor %d reside %v, want %v", proc, v.Residents(proc), here)
		}
		if h := v.HouseOf(proc); h != 0 && (!v.House(h).Procs.Has(proc) || v.House(h).Rating != v.Rating(proc)) {
			t.Fatalf("processor %d is in house %d, which does not have it: %+v", proc, h, v.House(h))
		}
	}
	of := make([][]int32, b.slots.n)
	for h := 1; h < v.Houses(); h++ {
		house := v.House(int32(h))
		if house.N != house.Procs.Len() {
			t.Fatalf("house %d has %d processors and says %d", h, house.Procs.Len(), house.N)
		}
		for _, s := range house.Residents {
			of[s] = append(of[s], int32(h))
		}
		for g := 1; g < h && house.N > 0; g++ {
			if o := v.House(int32(g)); o.N > 0 && o.Rating == house.Rating && slices.Equal(o.Residents, house.Residents) {
				t.Fatalf("houses %d and %d have the same residents", g, h)
			}
		}
	}
	for _, s := range b.running {
		if got := slices.Sorted(slices.Values(b.slots.at(s).Houses())); !slices.Equal(got, of[s]) {
			t.Fatalf("job on slot %d says it resides in %v, want %v", s, got, of[s])
		}
	}
}
