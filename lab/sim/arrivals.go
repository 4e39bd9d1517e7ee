package sim

import (
	"errors"
	"fmt"
	"io"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// arrivals holds the arrivals of one instant and the one that comes after them.
// Each is read straight into its place and stays there until its instant is
// over: what the cluster is told points to it.
type arrivals struct {
	source workload.Source
	places []workload.Arrival
	first  int  // of this instant
	next   int  // the one that has not arrived yet
	ended  bool // there is none
	count  market.JobID
}

// arrivalsKept is how many arrivals are read before places are used again. More
// than that at one instant find room all the same.
const arrivalsKept = 64

// open reads the first arrival.
func (a *arrivals) open(source workload.Source) error {
	a.source, a.places = source, make([]workload.Arrival, arrivalsKept)
	return a.fetch()
}

func (a *arrivals) fetch() error {
	err := a.source.Next(&a.places[a.next])
	if errors.Is(err, io.EOF) {
		a.ended = true
		return nil
	}
	return err
}

// nextSubmit is when the next job arrives.
func (a *arrivals) nextSubmit() market.Time {
	if a.ended {
		return market.Never
	}
	return a.places[a.next].Job.Submit
}

// enter numbers the next job and looks for the one after it.
func (a *arrivals) enter() error {
	last := &a.places[a.next].Job
	last.ID = a.count
	submit := last.Submit
	a.count++
	if a.next++; a.next == len(a.places) {
		a.places = append(a.places, workload.Arrival{})
	}
	if err := a.fetch(); err != nil {
		return err
	}
	if next := &a.places[a.next]; !a.ended && next.Job.Submit < submit {
		return fmt.Errorf("job %s is submitted at %v, after one submitted at %v", next.Label(), next.Job.Submit, submit)
	}
	return nil
}

// arrived are the jobs of this instant.
func (a *arrivals) arrived() []workload.Arrival { return a.places[a.first:a.next] }

// release lets the jobs of the instant before go.
func (a *arrivals) release() {
	a.first = a.next
	if a.next >= arrivalsKept-1 {
		a.places[0] = a.places[a.next]
		a.first, a.next = 0, 0
	}
}

// find returns a job of this instant.
func (a *arrivals) find(id market.JobID) *workload.Arrival {
	if i := a.next - int(a.count-id); i >= a.first && i < a.next {
		return &a.places[i]
	}
	return nil
}
