package grid

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/libra-market/libra/core/market"
)

// Budget is the function b(l) of 003, section 2: what a job pays for l MI of
// its optional part. It never decreases. The zero Budget pays nothing.
type Budget struct {
	rate   float64 // per MI, where there are no points
	points []Point
}

// Point is a corner of a piecewise-linear budget.
type Point struct {
	Work market.Work
	Paid market.Price
}

// Linear is the budget of the paper's experiments: so much for each MI.
func Linear(rate market.Price) (Budget, error) {
	if !(rate >= 0 && float64(rate) <= maxSpan) {
		return Budget{}, fmt.Errorf("%v for each MI makes no sense (want 0 or more)", float64(rate))
	}
	return Budget{rate: float64(rate)}, nil
}

// Piecewise is a budget that runs straight from point to point and stays flat
// after the last. The first point must be at 0; what is paid there is paid for
// any job whose mandatory part is done.
func Piecewise(points ...Point) (Budget, error) {
	if len(points) == 0 {
		return Budget{}, errors.New("no points")
	}
	for i, p := range points {
		switch {
		case !(p.Work >= 0 && float64(p.Work) <= maxSpan && p.Paid >= 0 && float64(p.Paid) <= maxSpan):
			return Budget{}, fmt.Errorf("point %d: %v:%v makes no sense (want 0 or more)", i+1, float64(p.Work), float64(p.Paid))
		case i == 0 && p.Work != 0:
			return Budget{}, fmt.Errorf("point 1 is at %v MI (want 0)", float64(p.Work))
		case i > 0 && p.Work <= points[i-1].Work:
			return Budget{}, fmt.Errorf("point %d: %v MI is not more than %v, that of the point before it",
				i+1, float64(p.Work), float64(points[i-1].Work))
		case i > 0 && p.Paid < points[i-1].Paid:
			return Budget{}, fmt.Errorf("point %d: pays %v, less than %v, that of the point before it",
				i+1, float64(p.Paid), float64(points[i-1].Paid))
		}
	}
	return Budget{points: slices.Clone(points)}, nil
}

// At is b(l).
func (b Budget) At(l market.Work) market.Price {
	if b.points == nil {
		return market.Price(b.rate * float64(l))
	}
	i := sort.Search(len(b.points), func(i int) bool { return b.points[i].Work > l })
	if i == len(b.points) {
		return b.points[i-1].Paid
	}
	from, to := b.points[i-1], b.points[i]
	part := float64(l-from.Work) / float64(to.Work-from.Work)
	return from.Paid + market.Price(part*float64(to.Paid-from.Paid))
}

// Between is what the MI from one length of the executed part to another pay.
func (b Budget) Between(from, to market.Work) market.Price {
	if b.points == nil {
		return market.Price(b.rate * float64(to-from)) // not a difference of large numbers
	}
	return b.At(to) - b.At(from)
}

// Rate is what each MI pays, and whether all of them pay the same.
func (b Budget) Rate() (rate market.Price, linear bool) {
	return market.Price(b.rate), b.points == nil
}

// Points are the corners of a budget that is not linear.
func (b Budget) Points() []Point { return slices.Clone(b.points) }
