package workload

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Sorted reports whether the arrivals are in order of submission.
func Sorted(arrivals []Arrival) bool {
	for i := 1; i < len(arrivals); i++ {
		if arrivals[i].Job.Submit < arrivals[i-1].Job.Submit {
			return false
		}
	}
	return true
}

// Sort puts the arrivals into order of submission; those of one instant keep
// their order.
func Sort(arrivals []Arrival) {
	if Sorted(arrivals) {
		return
	}
	// Arrivals are large: sort their places, then move each once.
	places := make([]int, len(arrivals))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int {
		return cmp.Or(cmp.Compare(arrivals[i].Job.Submit, arrivals[j].Job.Submit), cmp.Compare(i, j))
	})
	sorted := make([]Arrival, len(arrivals))
	for to, from := range places {
		sorted[to] = arrivals[from]
	}
	copy(arrivals, sorted)
}

// OutOfOrderError says where submit times step back. A simulation that streams
// its workload stops there; the workload must be loaded and sorted first.
type OutOfOrderError struct {
	Position int64  // of the arrival, from 1
	Line     int64  // in its file, or 0 where the source has no lines
	Label    string // of the arrival
	Submit   market.Time
	Before   market.Time // the submit time of the arrival before it
}

func (e *OutOfOrderError) Error() string {
	place := fmt.Sprintf("job %s (arrival %d)", e.Label, e.Position)
	if e.Line > 0 {
		place = fmt.Sprintf("line %d: job %s", e.Line, e.Label)
	}
	return fmt.Sprintf("%s: submit: %v is before %v, that of the job before it", place, float64(e.Submit), float64(e.Before))
}

// InOrder passes the arrivals of a source on and returns an [*OutOfOrderError]
// as soon as a submit time steps back.
func InOrder(src Source) Source { return &inOrder{src: src} }

type inOrder struct {
	src    Source
	count  int64
	latest market.Time
	failed error
}

func (o *inOrder) Next(a *Arrival) error {
	if o.failed != nil {
		return o.failed
	}
	if err := o.src.Next(a); err != nil {
		return err
	}
	o.count++
	if o.count > 1 && a.Job.Submit < o.latest {
		o.failed = &OutOfOrderError{
			Position: o.count, Line: lineOf(o.src), Label: a.Label(), Submit: a.Job.Submit, Before: o.latest,
		}
		return o.failed
	}
	o.latest = a.Job.Submit
	return nil
}
