package policy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bound is what a processor could bring at most with a task; -Inf: it would not take it. It is what
// [prospect.reaches] says, as a number.
func (q *prospect) bound(a *asking) float64 {
	before := float64(q.until - a.now)
	if before > long {
		before = 0
	}
	closer := q.closer * before
	over, most := a.need-q.free+closer, a.most(q.worth)
	if over <= 0 || a.need <= 3*unsure {
		return most
	}
	rest, fines := q.rest[0]-closer, q.fines[0]
	switch {
	case a.rank > q.rank:
		rest, fines = q.rest[1]-a.need, q.fines[1]
	case a.hard:
		rest -= a.need
	default:
		fines += a.fines
	}
	if rest <= 0 {
		return math.Inf(-1)
	}
	cost := over / rest * (fines + q.finer*before)
	if a.worth+q.gap+float64(unsure*most) < cost {
		return math.Inf(-1)
	}
	return most - cost
}

// Who could bring so much is asked without branches, and who could not is not.
func TestWhoReachesIsWhoseBoundDoes(t *testing.T) {
	draw := rand.New(rand.NewPCG(14, 1))
	said := [2]int{}
	for range 100_000 {
		q, a := drawnProspect(draw, 0), drawnAsking(draw)
		switch draw.IntN(20) {
		case 0:
			a.need = unsure
			a.settle()
		case 1:
			q.until, q.closer, q.finer = 1e300, 0, 0
		case 2:
			q.gap = math.Inf(1)
		}
		bound, least := q.bound(&a), draw.Float64()*8-1
		if draw.IntN(10) == 0 {
			least = -math.MaxFloat64
		}
		if math.Abs(bound-least) < 1e-9 {
			continue // rounding decides
		}
		if got := q.reaches(&a, least); got != (bound >= least) {
			t.Fatalf("%+v is bounded by %v for %+v, and reaches %v: %v", q, bound, a, least, got)
		}
		said[one(bound >= least)]++
	}
	if said[0] < 1000 || said[1] < 1000 {
		t.Fatalf("%d do not reach what is asked for, and %d do", said[0], said[1])
	}
}
