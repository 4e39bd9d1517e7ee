package policy_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// So many processors are idle when those have ended who end first, and of those who end together the lowest number.
func TestWhoEndsFirstLeavesFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOf(rapid.SampledFrom([]market.Time{0, 1, 2, 2.5, 3, market.Never})).Draw(t, "ends")
		numbers, leaves := make([]market.JobID, len(at)), make([]int, len(at))
		for i := range at {
			numbers[i], leaves[i] = market.JobID(i), rapid.IntRange(0, 3).Draw(t, "leaves")
		}
		jobs := rapid.Permutation(numbers).Draw(t, "jobs")
		idle, width := rapid.IntRange(0, 4).Draw(t, "idle"), rapid.IntRange(1, 12).Draw(t, "width")
		order := make([]int, len(at))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(jobs[a], jobs[b])) })
		when, extra, sum := market.Never, 0, idle
		for _, i := range order {
			if sum += leaves[i]; sum >= width {
				when, extra = at[i], sum-width
				break
			}
		}
		if got, more := policy.Reach(at, jobs, leaves, idle, width); got != when || more != extra {
			t.Fatalf("of %v, leaving %v, %d are idle at %v, with %d more, want %v and %d", at, leaves, width, got, more, when, extra)
		}
	})
}

// Who is asked to make way is who would be if all were put in order first: the cheapest processors one after
// the other, until one that has all that is missing costs no more, or the next would be the last.
func TestTheCheapestMakeWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "hosts")
		procs, cost, enough := make([]int, n), make([]float64, n), 0
		for i := range n {
			procs[i], cost[i] = rapid.IntRange(1, 4).Draw(t, "procs"), float64(rapid.IntRange(0, 6).Draw(t, "cost"))
			enough += procs[i]
		}
		missing := rapid.IntRange(0, 12).Draw(t, "missing")
		sum, turns, _ := policy.Cheapest(procs, cost, missing, market.Unlimited)

		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(cost[a]*float64(procs[b]), cost[b]*float64(procs[a])), cmp.Compare(a, b))
		})
		want, left := make([]int32, n), missing
		for turn := int32(1); left > 0; turn++ {
			next, whole := -1, -1
			for _, i := range order {
				if want[i] > 0 {
					continue
				}
				if next < 0 {
					next = i
				}
				if procs[i] >= left && (whole < 0 || cost[i] < cost[whole]) {
					whole = i
				}
			}
			if next < 0 {
				break
			}
			if whole >= 0 && (cost[whole] <= cost[next] || procs[next] >= left) {
				next = whole
			}
			want[next] = turn
			left -= procs[next]
		}
		all := 0.0
		for i := range want {
			if want[i] > 0 {
				all += cost[i]
			}
		}
		if !slices.Equal(turns, want) || sum != all {
			t.Fatalf("%v processors for %v: asked %v for %v, want %v for %v", procs, cost, turns, sum, want, all)
		}
		most := market.Price(rapid.IntRange(0, 30).Draw(t, "pays"))
		if _, _, ok := policy.Cheapest(procs, cost, missing, most); !ok && enough >= missing && market.Price(sum).Within(most) {
			t.Fatalf("%v processors for %v: %d cost %v, and who pays %v was refused", procs, cost, missing, sum, most)
		}
	})
}
