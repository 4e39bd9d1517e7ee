package bound_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
)

// brute is the best choice of jobs of one processor each on so many processors: by
// trying all. Whether a choice can be done is asked of a flow from jobs to the stretches of time
// between what happens, which on processors that may be shared and changed is the
// same (McNaughton 1959).
func brute(offers []bound.Offer, processors int) float64 {
	best := 0.0
	for set := range uint(1) << len(offers) {
		worth := 0.0
		for s := set; s != 0; s &= s - 1 {
			worth += offers[bits.TrailingZeros(s)].Worth
		}
		if worth > best && feasible(offers, set, processors) {
			best = worth
		}
	}
	return best
}

func feasible(offers []bound.Offer, set uint, processors int) bool {
	var cuts []float64
	var jobs []bound.Offer
	work := 0.0
	for s := set; s != 0; s &= s - 1 {
		o := offers[bits.TrailingZeros(s)]
		jobs = append(jobs, o)
		cuts = append(cuts, float64(o.From), float64(o.Until))
		work += float64(o.Work)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	n, m := len(jobs), max(0, len(cuts)-1)
	// Nodes: 0 source, then jobs, then stretches, then sink.
	sink := n + m + 1
	room := make([][]float64, sink+1)
	for i := range room {
		room[i] = make([]float64, sink+1)
	}
	for i, o := range jobs {
		room[0][1+i] = float64(o.Work)
		for b := range m {
			if float64(o.From) <= cuts[b] && cuts[b+1] <= float64(o.Until) {
				room[1+i][1+n+b] = cuts[b+1] - cuts[b]
			}
		}
	}
	for b := range m {
		room[1+n+b][sink] = float64(processors) * (cuts[b+1] - cuts[b])
	}
	return flow(room, 0, sink) >= work-1e-9
}

// flow is the most that goes from one node to another, by shortest paths.
func flow(room [][]float64, from, to int) float64 {
	total := 0.0
	for {
		before := make([]int, len(room))
		for i := range before {
			before[i] = -1
		}
		before[from] = from
		for queue := []int{from}; len(queue) > 0 && before[to] < 0; queue = queue[1:] {
			for next, r := range room[queue[0]] {
				if r > 1e-12 && before[next] < 0 {
					before[next] = queue[0]
					queue = append(queue, next)
				}
			}
		}
		if before[to] < 0 {
			return total
		}
		most := math.Inf(1)
		for at := to; at != from; at = before[at] {
			most = min(most, room[before[at]][at])
		}
		for at := to; at != from; at = before[at] {
			room[before[at]][at] -= most
			room[at][before[at]] += most
		}
		total += most
	}
}

// On jobs of one second between whole seconds nothing is gained by cutting: the bound
// is the best that can be done.
func TestTheBoundIsTheBestWhereNothingIsGainedByCutting(t *testing.T) {
	for seed := range uint64(150) {
		draw := rand.New(rand.NewPCG(seed, 1))
		processors := 1 + draw.IntN(2)
		var offers []bound.Offer
		for range 1 + draw.IntN(9) {
			from := draw.IntN(4)
			offers = append(offers, bound.Offer{
				From: market.Time(from), Until: market.Time(from + 1 + draw.IntN(3)), Width: 1, Work: 1, Worth: float64(1 + draw.IntN(20)), Fade: bound.Lapses,
			})
		}
		want := brute(offers, processors)
		got := bound.Most(offers, bound.NewCluster(market.Alike(market.Plain(), processors)), bound.Thorough)
		if got < want || got > want*1.001 {
			t.Errorf("seed %d: bound %v, best %v", seed, got, want)
		}
	}
}

// On any jobs it is never below the best, and seldom far above it.
func TestTheBoundIsNeverBelowTheBest(t *testing.T) {
	sum, all := 0.0, 0.0
	for seed := range uint64(150) {
		draw := rand.New(rand.NewPCG(seed, 2))
		processors := 1 + draw.IntN(3)
		var offers []bound.Offer
		for range 1 + draw.IntN(9) {
			from, work := 10*draw.Float64(), 0.1+5*draw.Float64()
			offers = append(offers, bound.Offer{
				From: market.Time(from), Until: market.Time(from + work*(0.9+2*draw.Float64())), Width: 1, Work: market.Work(work),
				Worth: work * (1 + 9*draw.Float64()), Fade: bound.Lapses,
			})
		}
		want := brute(offers, processors)
		for _, effort := range []bound.Effort{bound.Thorough, bound.Quick, {Buckets: 2, Looks: 50}} {
			got := bound.Most(offers, bound.NewCluster(market.Alike(market.Plain(), processors)), effort)
			if got < want {
				t.Errorf("seed %d, %+v: bound %v, best %v", seed, effort, got, want)
			}
			if effort == bound.Thorough {
				sum, all = sum+want, all+got
			}
		}
	}
	t.Logf("the best is %.1f %% of the bound", 100*sum/all)
	if sum < 0.9*all {
		t.Errorf("the best is %.1f %% of the bound", 100*sum/all)
	}
}

// What fades is worth what is left of it when it is done at the earliest.
func TestABoundOnWhatFades(t *testing.T) {
	one := bound.NewCluster(market.Alike(market.Plain(), 1))
	offer := bound.Offer{From: 0, Until: 10, Width: 1, Work: 10, Worth: 100, Fade: 5}
	for _, c := range []struct {
		jobs        int
		least, most float64
	}{
		{1, 100, 100.001},
		{2, 150, 151}, // the second is done at 20
		{3, 150, 151}, // the third would be done at 30, worth nothing
	} {
		offers := slices.Repeat([]bound.Offer{offer}, c.jobs)
		// Something worthless cuts time into small pieces: the bound on what fades is
		// as fine as these.
		for at := range 1000 {
			offers = append(offers, bound.Offer{From: market.Time(at) / 25, Until: market.Time(at+1) / 25, Width: 1, Work: 0.001, Worth: 1e-9, Fade: bound.Lapses})
		}
		if got := bound.Most(offers, one, bound.Effort{Buckets: 4000, Looks: 50_000_000}); got < c.least || got > c.most {
			t.Errorf("%d jobs: bound %v, want %v to %v", c.jobs, got, c.least, c.most)
		}
	}
}

func TestWhatCannotBeDoneIsWorthNothing(t *testing.T) {
	two := bound.NewCluster(market.Each([]market.Node{{Processors: 2, Rating: 3}}))
	for name, c := range map[string]struct {
		offer bound.Offer
		want  float64
	}{
		"too wide":     {bound.Offer{Until: 10, Width: 3, Work: 1, Worth: 7, Fade: bound.Lapses}, 0},
		"too long":     {bound.Offer{Until: 10, Width: 1, Work: 31, Worth: 7, Fade: bound.Lapses}, 0},
		"just so":      {bound.Offer{Until: 10, Width: 2, Work: 30, Worth: 7, Fade: bound.Lapses}, 7},
		"no deadline":  {bound.Offer{Until: market.Never, Width: 1, Work: 1e9, Worth: 7, Fade: bound.Lapses}, 7},
		"no work":      {bound.Offer{Until: 0, Width: 1, Worth: 7, Fade: bound.Lapses}, 7},
		"no penalty":   {bound.Offer{Until: 1, Width: 1, Work: 1e9, Worth: 7}, 7},
		"endless sums": {bound.Offer{Until: 10, Width: 1, Work: 1, Worth: math.Inf(1), Fade: bound.Lapses}, math.Inf(1)},
	} {
		if got := bound.Most([]bound.Offer{c.offer}, two, bound.Thorough); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
