package workload

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/libra-market/libra/core/market"
)

// Head yields the first n arrivals of a source and reads no further.
func Head(src Source, n int64) Source { return &head{src: src, left: n} }

type head struct {
	src  Source
	left int64
}

func (h *head) Next(a *Arrival) error {
	if h.left <= 0 {
		return io.EOF
	}
	h.left--
	return h.src.Next(a)
}

// Last reads a source to its end and returns its last n arrivals, in the order
// in which they stand (the papers take the last lines of a log as they are). It
// holds no more than n at a time.
func Last(src Source, n int) ([]Arrival, error) {
	if n < 0 {
		return nil, fmt.Errorf("last %d arrivals: %w", n, errNegative)
	}
	var ring []Arrival
	var a Arrival
	oldest := 0
	for {
		err := src.Next(&a)
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case err != nil:
			return nil, err
		case len(ring) < n:
			ring = append(ring, a)
		case n > 0:
			ring[oldest] = a
			oldest = (oldest + 1) % n
		}
	}
	return append(ring[oldest:len(ring):len(ring)], ring[:oldest]...), nil
}

// StretchGaps multiplies the gaps between submit times by a factor (the
// arrival delay factor of 000 and 001). The first submit time stays, and each
// other is computed from it rather than from the one before, so that rounding
// does not add up.
func StretchGaps(src Source, factor float64) (Source, error) {
	if !(factor >= 0) || math.IsInf(factor, 0) {
		return nil, fmt.Errorf("arrival factor: %v makes no sense (want 0 or more)", factor)
	}
	return &stretch{src: src, factor: factor}, nil
}

type stretch struct {
	src     Source
	factor  float64
	first   market.Time
	started bool
}

func (s *stretch) Next(a *Arrival) error {
	if err := s.src.Next(a); err != nil {
		return err
	}
	if !s.started {
		s.first, s.started = a.Job.Submit, true
	}
	a.Job.Submit = s.first + market.Time(float64(a.Job.Submit-s.first)*s.factor)
	return nil
}

// Line is the line of the source, where it has lines.
func (s *stretch) Line() int64 { return lineOf(s.src) }

// Line is the line of the source, where it has lines.
func (h *head) Line() int64 { return lineOf(h.src) }

// lineOf is the line a source stands at, or 0 where it has no lines.
func lineOf(src Source) int64 {
	if lines, ok := src.(interface{ Line() int64 }); ok {
		return lines.Line()
	}
	return 0
}
