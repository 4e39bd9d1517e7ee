package policy_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Who ends first comes first, and of those who end together the lowest number.
func TestWhoEndsFirstComesFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOf(rapid.SampledFrom([]market.Time{0, 1, 2, 2.5, 3, market.Never})).Draw(t, "ends")
		want := make([]market.JobID, len(at))
		for i := range want {
			want[i] = market.JobID(i)
		}
		jobs := rapid.Permutation(want).Draw(t, "jobs")
		when := map[market.JobID]market.Time{}
		for i, id := range jobs {
			when[id] = at[i]
		}
		got := policy.FirstToEnd(at, jobs)
		slices.SortFunc(want, func(a, b market.JobID) int { return cmp.Or(cmp.Compare(when[a], when[b]), cmp.Compare(a, b)) })
		if !slices.Equal(got, want) {
			t.Fatalf("of %v they end as %v, not as %v", when, got, want)
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
