package policy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// However many there are, and however far apart their numbers, they come in the order of them.
func TestTurnsAreByNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "base")
		far := rapid.SampledFrom([]int64{30, dealt - 1, dealt, dealt + 1, dealt*dealt - 1, dealt * dealt, 1 << 40}).Draw(t, "far")
		ids := rapid.SliceOfNDistinct(rapid.Int64Range(base, base+far), 0, min(200, int(far)), rapid.ID).Draw(t, "ids")
		if len(ids) > 1 { // as far apart as that
			ids[0], ids[1] = base, base+far
			slices.Sort(ids)
			ids = rapid.Permutation(slices.Compact(ids)).Draw(t, "order")
		}
		var all turns
		for i, id := range ids {
			all.list = append(all.list, turn{id: market.JobID(id), slot: book.Slot(i)})
		}
		all.byNumber()
		jobs := all.list
		if len(jobs) != len(ids) {
			t.Fatalf("%d of %d are left", len(jobs), len(ids))
		}
		for i, j := range jobs {
			if int64(j.id) != ids[j.slot] || i > 0 && jobs[i-1].id >= j.id {
				t.Fatalf("%+v of %v is in place %d of %+v", j, ids, i, jobs)
			}
		}
	})
}

// The same of numbers that are as far apart as where they are sorted another way, and below zero,
// always the same ones.
func TestTurnsAtTheEdges(t *testing.T) {
	for _, count := range []int64{fewTurns, fewTurns + 1, 3 * fewTurns} {
		for _, far := range []int64{count - 1, dealt - 1, dealt, dealt*dealt - 1, dealt * dealt, 1 << 40} {
			for _, least := range []int64{-far / 2, 5, dealt + 77, 1 << 33} {
				var all turns
				for i := range count { // the last of them first, and the others one from each end
					at := i / 2
					if i%2 == 0 {
						at = count - 1 - i/2
					}
					all.list = append(all.list, turn{id: market.JobID(least + far*at/(count-1)), slot: book.Slot(at)})
				}
				for range 2 { // once more: what was left over does not matter
					all.byNumber()
					for i, j := range all.list {
						if j.slot != book.Slot(i) || int64(j.id) != least+far*int64(i)/(count-1) {
							t.Fatalf("%d of them, from %d, %d apart: in place %d is %+v", count, least, far, i, j)
						}
					}
					slices.Reverse(all.list)
				}
			}
		}
	}
}
