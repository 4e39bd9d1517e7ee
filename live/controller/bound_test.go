package controller

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/trade"
)

const boundSecond = int64(1_000_000)

// Revenue never exceeds its bound, whatever the jobs did: ended early and paid in
// full, were submitted a moment ago, ran on nodes that are gone.
func TestRevenueIsWithinItsBound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tally := trade.Tally{Reasons: map[string]int64{}}
		b := bound{now: 10_000 * boundSecond}
		at := int64(1)
		for range rapid.IntRange(1, 30).Draw(r, "jobs") {
			at += rapid.Int64Range(0, 100*boundSecond).Draw(r, "gap")
			j := trade.Job{
				State: rapid.SampledFrom(trade.States()).Draw(r, "state"), SubmittedUS: at, Width: rapid.IntRange(1, 8).Draw(r, "width"),
				Request: trade.Request{EstimateMS: rapid.Int64Range(1, 1e6).Draw(r, "estimate")},
				Price:   rapid.Int64Range(0, 1e9).Draw(r, "price"), Work: rapid.Int64Range(0, 1e6).Draw(r, "work"),
			}
			if j.State.Final() {
				j.EndedUS = at + rapid.Int64Range(0, 100*boundSecond).Draw(r, "took")
			}
			if j.State.Final() && j.State != trade.Rejected && j.State != trade.Lost {
				j.Charged = rapid.Int64Range(0, 2*j.Price).Draw(r, "charged")
			}
			if rapid.Bool().Draw(r, "budget") {
				budget := rapid.Int64Range(0, 1e9).Draw(r, "amount")
				j.Request.Budget = &budget
			}
			tally.Count(&j)
			b.add(&j)
		}
		speed := rapid.Float64Range(0, 4).Draw(r, "speed")
		capacity := b.capacity(speed)
		if most := b.most(speed); tally.Revenue > most {
			r.Errorf("revenue %d, bound %d", tally.Revenue, most)
		}
		if tally.Used > capacity*(1+1e-9) {
			r.Errorf("%v s of work on a capacity of %v", tally.Used, capacity)
		}
	})
}

// A job that was paid for in full and ended at once, a second ago, is all there
// was to earn: not nine times that.
func TestTheBoundIsOfTheSameJobs(t *testing.T) {
	b := bound{now: 101 * boundSecond}
	b.add(&trade.Job{
		State: trade.Completed, SubmittedUS: 100 * boundSecond, EndedUS: 100*boundSecond + 1, Width: 1, Work: 1,
		Price: 9e6, Charged: 9e6, Request: trade.Request{EstimateMS: 9_000},
	})
	if got := b.most(1); got != 9e6 {
		t.Errorf("revenue 9000000, bound %d", got)
	}
	budget := int64(5e6)
	poor := trade.Job{
		State: trade.Rejected, Reason: trade.ReasonFunds, SubmittedUS: 100 * boundSecond, EndedUS: 100 * boundSecond,
		Request: trade.Request{EstimateMS: 1, Budget: &budget},
	}
	b.add(&poor)
	if got := b.most(1); got != 9e6 || b.unnamed != 1 {
		t.Errorf("with an offer that nobody could pay: %d, %d left out", got, b.unnamed)
	}
}

// The bound knows when each job came and had to be done: of two that wanted the same
// second only one could have had it, however long the processors were idle afterwards.
func TestTheBoundKnowsWhen(t *testing.T) {
	b := bound{now: 1000 * boundSecond}
	for i, pay := range []int64{7e6, 5e6, 3e6} {
		at := 1 + int64(i/2)*500*boundSecond // two at once, the third much later
		b.add(&trade.Job{
			State: trade.Rejected, SubmittedUS: at, EndedUS: at, DueUS: at + 10*boundSecond,
			Request: trade.Request{EstimateMS: 10_000, Budget: &pay},
		})
	}
	if got := b.most(1); got < 10e6 || got > 10.01e6 {
		t.Errorf("bound %d, want that of the best and the later one", got)
	}
}
