package market_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// A set of processors is its members in ascending order, block by block.
func TestProcsAreASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.SliceOfDistinct(rapid.IntRange(0, 300), rapid.ID[int]).Draw(t, "members")
		slices.Sort(members)
		set := market.ProcsOf(members...)
		if got := slices.Collect(set.All()); !slices.Equal(got, members) {
			t.Fatalf("holds %v, want %v", got, members)
		}
		if set.Len() != len(members) {
			t.Fatalf("%d members, want %d", set.Len(), len(members))
		}
		for proc := range 310 {
			if set.Has(proc) != slices.Contains(members, proc) {
				t.Fatalf("has %d: %v", proc, set.Has(proc))
			}
		}
		for i := 1; i < len(set); i++ {
			if set[i].Index <= set[i-1].Index {
				t.Fatalf("blocks out of order: %v", set)
			}
		}
	})
}

func TestProcsCanBeLeftEarly(t *testing.T) {
	for proc := range market.ProcsOf(3, 64, 200).All() {
		if proc != 3 {
			t.Fatalf("went on to %d", proc)
		}
		break
	}
}
