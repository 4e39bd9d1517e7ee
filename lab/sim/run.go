package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// World is what a run drives: a cluster, or several behind one door.
type World interface {
	Step(at market.Time, happened []market.Event) ([]market.Event, error)
}

// NodeChange is a node that fails or comes back.
type NodeChange struct {
	At   market.Time
	Node int
	Down bool
}

// Options are the ways in which one run differs from another of the same
// workload in the same world.
type Options struct {
	// See is shown every record, inputs included, in order. What an event
	// points to holds only during the call.
	See func(*market.Record)
	// Changes of nodes, in the order of their times.
	Changes []NodeChange
	// Until ends the run at a time; zero means when nothing more will happen.
	Until market.Time
}

// Run drives the world until the workload is done.
func Run(ctx context.Context, w World, jobs workload.Source, o Options) error {
	if o.Until == 0 {
		o.Until = market.Never
	}
	r := &run{world: w, options: o, wake: market.Never}
	if err := r.arrivals.open(jobs); err != nil {
		return err
	}
	for instants := 0; ; instants++ {
		if instants&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if more, err := r.instant(); err != nil || !more {
			return err
		}
	}
}

// run is one simulation under way.
type run struct {
	world   World
	options Options
	nodes   virtualNodes
	wake    market.Time

	arrivals arrivals
	inputs   []market.Event
	record   market.Record
}

// instant does all that happens at the next moment at which anything does.
func (r *run) instant() (more bool, err error) {
	at := earliest(earliest(r.nodes.nextFinish(), r.wake), r.arrivals.nextSubmit())
	if len(r.options.Changes) > 0 {
		at = earliest(at, r.options.Changes[0].At)
	}
	if !at.Finite() || at > r.options.Until {
		return false, nil
	}
	now, err := r.gather(at)
	if err != nil {
		return false, err
	}
	for i := range r.inputs {
		r.see(now, &r.inputs[i])
	}
	events, err := r.world.Step(now, r.inputs)
	if err != nil {
		return false, fmt.Errorf("at %v: %w", now, err)
	}
	for i := range events {
		r.carryOut(now, &events[i])
		r.see(now, &events[i])
	}
	return true, nil
}

// gather collects what happens at an instant: times that differ by rounding
// alone are the same instant, and the latest of them is its time. Departures
// and changes of nodes come first, then arrivals.
func (r *run) gather(at market.Time) (now market.Time, err error) {
	now, until := at, at+market.TimeSlack
	r.inputs = r.inputs[:0]
	for r.nodes.nextFinish() <= until || r.nodes.round(at) {
		now = max(now, r.nodes.nextFinish())
		r.nodes.finish(r.input(market.Finished))
	}
	for c := r.options.Changes; len(c) > 0 && c[0].At <= until; c = r.options.Changes {
		now = max(now, c[0].At)
		kind := market.NodeUp
		if c[0].Down {
			kind = market.NodeDown
		}
		r.input(kind).Node = market.Int32(c[0].Node)
		r.options.Changes = c[1:]
	}
	r.arrivals.release()
	for r.arrivals.nextSubmit() <= until {
		now = max(now, r.arrivals.nextSubmit())
		if err := r.arrivals.enter(); err != nil {
			return 0, err
		}
	}
	for i := range r.arrivals.arrived() {
		j := &r.arrivals.arrived()[i].Job
		e := r.input(market.Submitted)
		e.Job, e.Spec = j.ID, j
	}
	if r.wake <= until {
		now = max(now, r.wake)
		r.wake = market.Never
		r.input(market.Woken)
	}
	return now, nil
}

// input adds an event to those of the instant, to be filled in where it lies.
func (r *run) input(kind market.Kind) *market.Event {
	n := len(r.inputs)
	if n == cap(r.inputs) {
		r.inputs = slices.Grow(r.inputs, n+1)
	}
	r.inputs = r.inputs[:n+1]
	e := &r.inputs[n]
	*e = market.Event{}
	e.Kind = kind
	return e
}

// carryOut does what the cluster says.
func (r *run) carryOut(now market.Time, e *market.Event) {
	switch e.Kind {
	case market.Queued, market.Accepted:
		if a := r.arrivals.find(e.Job); a != nil {
			r.nodes.enter(e.Slot, e.Job, a.Actual)
		}
	case market.Granted:
		r.nodes.grant(now, e)
	case market.Shared:
		r.nodes.share(now, e)
	case market.Evicted, market.Stopped:
		r.nodes.stop(e)
	case market.Wake:
		r.wake = e.Finish
	default: // for people to see
	}
}

func (r *run) see(now market.Time, e *market.Event) {
	if r.options.See != nil {
		r.record.At, r.record.Event = now, e
		r.options.See(&r.record)
		r.record.Seq++
	}
}

// earliest is the smaller of two times. The builtin min would also look for
// NaN, at every event.
func earliest(a, b market.Time) market.Time {
	if a < b {
		return a
	}
	return b
}
