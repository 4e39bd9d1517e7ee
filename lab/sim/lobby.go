package sim

import (
	"errors"
	"fmt"
	"io"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// lobby holds the arrivals of one instant and the one that comes after them.
// Each is read straight into its place and stays there until its instant is
// over: what the cluster is told points to it.
type lobby struct {
	source workload.Source
	places []workload.Arrival
	first  int  // of this instant
	next   int  // the one that has not arrived yet
	ended  bool // there is none
	count  market.JobID
}

// lobbySize is how many arrivals are read before places are used again. More
// than that at one instant find room all the same.
const lobbySize = 64

// open reads the first arrival.
func (l *lobby) open(source workload.Source) error {
	l.source, l.places = source, make([]workload.Arrival, lobbySize)
	return l.fetch()
}

func (l *lobby) fetch() error {
	err := l.source.Next(&l.places[l.next])
	if errors.Is(err, io.EOF) {
		l.ended = true
		return nil
	}
	return err
}

// nextSubmit is when the next job arrives.
func (l *lobby) nextSubmit() market.Time {
	if l.ended {
		return market.Never
	}
	return l.places[l.next].Job.Submit
}

// enter numbers the next job and looks for the one after it.
func (l *lobby) enter() error {
	last := &l.places[l.next].Job
	last.ID = l.count
	submit := last.Submit
	l.count++
	if l.next++; l.next == len(l.places) {
		l.places = append(l.places, workload.Arrival{})
	}
	if err := l.fetch(); err != nil {
		return err
	}
	if a := &l.places[l.next]; !l.ended && a.Job.Submit < submit {
		return fmt.Errorf("job %s is submitted at %v, after one submitted at %v", a.Label(), a.Job.Submit, submit)
	}
	return nil
}

// arrived are the jobs of this instant.
func (l *lobby) arrived() []workload.Arrival { return l.places[l.first:l.next] }

// leave lets the jobs of the instant before go.
func (l *lobby) leave() {
	l.first = l.next
	if l.next >= lobbySize-1 {
		l.places[0] = l.places[l.next]
		l.first, l.next = 0, 0
	}
}

// find returns a job of this instant.
func (l *lobby) find(id market.JobID) *workload.Arrival {
	if i := l.next - int(l.count-id); i >= l.first && i < l.next {
		return &l.places[i]
	}
	return nil
}
