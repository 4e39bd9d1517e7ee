package workload

import (
	"errors"
	"io"
	"strconv"

	"github.com/libra-market/libra/core/market"
)

// Arrival is a job together with what no policy may know.
type Arrival struct {
	// Job is what the user asks for. Its ID is left 0: whoever replays the
	// workload numbers the jobs in the order it submits them.
	Job market.Job
	// Actual is the real runtime on each processor.
	Actual market.Work
	// Number is the job number of an SWF record. It names the job where
	// Job.Name is empty, so that a log of a million jobs needs no strings.
	Number int64
}

// Label is the id under which the job appears in tables: its name, or its
// number where it has none.
func (a *Arrival) Label() string {
	if a.Job.Name != "" {
		return a.Job.Name
	}
	return strconv.FormatInt(a.Number, 10)
}

// Source yields arrivals one by one.
type Source interface {
	// Next overwrites the arrival with the next one. It returns [io.EOF] after
	// the last; whatever it returns but nil, the arrival means nothing.
	Next(*Arrival) error
}

// Load reads a source to its end.
func Load(src Source) ([]Arrival, error) {
	var all []Arrival
	var a Arrival
	for {
		switch err := src.Next(&a); {
		case err == nil:
			all = append(all, a)
		case errors.Is(err, io.EOF):
			return all, nil
		default:
			return nil, err
		}
	}
}

// FromSlice yields the arrivals of a slice, which is read and never written.
func FromSlice(arrivals []Arrival) Source { return &slice{left: arrivals} }

type slice struct{ left []Arrival }

func (s *slice) Next(a *Arrival) error {
	if len(s.left) == 0 {
		return io.EOF
	}
	*a = s.left[0]
	s.left = s.left[1:]
	return nil
}
