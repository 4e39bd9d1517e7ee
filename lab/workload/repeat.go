package workload

import (
	"errors"
	"io"
	"strconv"

	"github.com/libra-market/libra/core/market"
)

// Repeat lays copies of a source end to end until there are total arrivals:
// load that goes on for as long as a measurement wants. Each copy starts one
// mean gap after the one before it has ended. open gives the source anew for
// each copy; one that is an [io.Closer] is closed.
//
// Jobs of later copies are named anew, so that no two share a label: a number
// has the largest number of the first copy added, a name has "+2", "+3", ...
// appended.
func Repeat(open func() (Source, error), total int64) Source {
	return &repeat{open: open, left: total}
}

var errNothingToRepeat = errors.New("repeat a workload: it has no jobs")

type repeat struct {
	open func() (Source, error)
	src  Source // nil: between two copies
	left int64
	copy int64 // from 0
	// empty: this copy has yielded nothing yet.
	empty bool

	// Of the first copy:
	jobs          int64
	first, latest market.Time
	largest       int64 // number
}

func (r *repeat) Next(a *Arrival) error {
	if r.left <= 0 {
		if err := r.close(); err != nil {
			return err
		}
		return io.EOF
	}
	for {
		if r.src == nil {
			src, err := r.open()
			if err != nil {
				return err
			}
			r.src, r.empty = src, true
		}
		err := r.src.Next(a)
		if err == nil {
			r.left--
			r.empty = false
			r.place(a)
			return nil
		}
		if !errors.Is(err, io.EOF) {
			return errors.Join(err, r.close())
		}
		if r.empty { // or this would go on for ever
			return errors.Join(errNothingToRepeat, r.close())
		}
		if err := r.close(); err != nil {
			return err
		}
		r.copy++
	}
}

// place learns from the first copy and moves the others.
func (r *repeat) place(a *Arrival) {
	if r.copy == 0 {
		if r.jobs == 0 {
			r.first, r.latest = a.Job.Submit, a.Job.Submit
		}
		r.jobs++
		r.first, r.latest = min(r.first, a.Job.Submit), max(r.latest, a.Job.Submit)
		r.largest = max(r.largest, a.Number)
		return
	}
	span := float64(r.latest - r.first)
	gap := 1.0 // of a single job, which has no gaps
	if r.jobs > 1 {
		gap = span / float64(r.jobs-1)
	}
	a.Job.Submit += market.Time(float64(r.copy) * (span + gap))
	a.Number += r.copy * r.largest
	if a.Job.Name != "" {
		a.Job.Name += "+" + strconv.FormatInt(r.copy+1, 10)
	}
}

func (r *repeat) close() error {
	closer, ok := r.src.(io.Closer)
	r.src = nil
	if !ok {
		return nil
	}
	return closer.Close()
}
