package ceiling

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

// piece is optional work that pays alike.
type piece struct {
	who  int     // does it
	work float64 // MI
	rate float64 // paid for each
}

// pieces are the optional parts of so many jobs of an application, the best-paying piece
// first: its budget, or the least concave function that is nowhere below it.
func pieces(who int, a *grid.Application, jobs int) []piece {
	all := float64(jobs)
	if rate, linear := a.Budget.Rate(); linear {
		return []piece{{who, float64(a.Optional) * all, float64(rate)}}
	}
	var list []piece
	hull := hull(a)
	for i := 1; i < len(hull); i++ {
		list = append(list, piece{who, float64(hull[i].Work-hull[i-1].Work) * all, slope(hull[i-1], hull[i])})
	}
	return list
}

// hull are the corners of a budget, up to the end of the optional part, that no line
// between others is above.
func hull(a *grid.Application) []grid.Point {
	corners := slices.DeleteFunc(a.Budget.Points(), func(p grid.Point) bool { return p.Work >= a.Optional })
	corners = append(corners, grid.Point{Work: a.Optional, Paid: a.Budget.At(a.Optional)})
	var kept []grid.Point
	for _, p := range corners {
		for len(kept) > 1 && slope(kept[len(kept)-2], kept[len(kept)-1]) <= slope(kept[len(kept)-1], p) {
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, p)
	}
	return kept
}

func slope(a, b grid.Point) float64 { return float64(b.Paid-a.Paid) / float64(b.Work-a.Work) }

// bestFirst sorts pieces by what an MI pays.
func bestFirst(list []piece) {
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(b.rate, a.rate) })
}

// due is when an application has to be done, and what is not late by more than rounding is in
// time.
func due(a *grid.Application) float64 {
	at := float64(a.Due())
	return at + 2*float64(market.TimeSlack) + 1e-12*math.Abs(at)
}

// seconds is how long the mandatory part of a job takes; who has rounding left to do is done.
func seconds(a *grid.Application, mips float64) float64 {
	return math.Max(0, float64(a.Mandatory)-float64(market.WorkSlack)) / mips
}
