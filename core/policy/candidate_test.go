package policy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pick takes whom a sort would put first, with few distinct ranks, so that the
// lowest number decides, and with processors near each other and far apart.
func TestPickTakesTheFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var from []candidate
		apart := rapid.SampledFrom([]int{1, 7, 70}).Draw(t, "apart")
		for proc := range rapid.IntRange(1, 200).Draw(t, "candidates") {
			from = append(from, candidate{rank: float64(rapid.IntRange(0, 3).Draw(t, "rank")), proc: int32(proc * apart)})
		}
		n := rapid.IntRange(1, len(from)).Draw(t, "n")
		sorted := slices.Clone(from)
		slices.SortStableFunc(sorted, func(a, b candidate) int { return int(a.rank - b.rank) })
		var want []int
		for _, c := range sorted[:n] {
			want = append(want, int(c.proc))
		}
		slices.Sort(want)
		if got := slices.Collect(pick(from, n, nil).All()); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
