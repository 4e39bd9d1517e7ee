package policytest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/sim"
)

// core is a cluster as a live driver sees it.
type core interface {
	sim.World
	UsedUp(at market.Time) []market.JobID
	Status(id market.JobID, at market.Time) (book.JobStatus, bool)
}

// floor is a world in which users haggle as on a live market: they have quotes
// kept and confirm or drop them, find that a job needs more than they said, and
// let it over-run. It stands between the simulator, which knows nothing of
// that, and the cluster, which is punctual.
type floor struct {
	core
	rand     *rand.Rand
	world    *world
	void     func(market.JobID)           // is told whose promise is void
	reserved map[market.JobID]market.Time // until when
	hidden   map[market.JobID]market.Work // what a job needs beyond its estimate
	running  map[market.JobID]bool
	wake     market.Time // that the cluster wants
	events   []market.Event

	confirmed, prolonged, overran, released, fulfilled int
}

func newFloor(w *world, c core) *floor {
	return &floor{
		core: c, world: w, rand: rand.New(rand.NewPCG(w.seed, 2)), void: func(market.JobID) {}, wake: market.Never,
		reserved: map[market.JobID]market.Time{}, hidden: map[market.JobID]market.Work{}, running: map[market.JobID]bool{},
	}
}

func (f *floor) flip(chance float64) bool { return f.rand.Float64() < chance }

// Step brings what the simulator says and what the users do: who has used up
// his estimate and does not get more is let go, or taken back, at the same
// instant; then others arrive.
func (f *floor) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	var first, arrivals []market.Event
	for _, e := range happened {
		switch e.Kind {
		case market.Submitted:
			arrivals = append(arrivals, f.arrival(at, e))
			continue
		case market.Woken:
			if f.wake <= at {
				f.wake = market.Never
			}
		default:
		}
		first = append(first, e)
	}
	if ids := f.overlooked(at); ids != nil {
		return nil, fmt.Errorf("at %v the book is wrong about who has used up his estimate: %v", at, ids)
	}
	used := slices.DeleteFunc(f.UsedUp(at), func(id market.JobID) bool {
		done := func(e market.Event) bool { return e.Kind == market.Finished && e.Job == id }
		return slices.ContainsFunc(happened, done) || f.world.exact && f.hidden[id] == 0 // all but done
	})
	first = append(first, f.reservations(at)...)
	first = append(first, f.wishes(used)...)
	f.events = f.events[:0]
	if err := f.step(at, first); err != nil {
		return nil, err
	}
	refused := slices.DeleteFunc(used, func(id market.JobID) bool {
		return !slices.ContainsFunc(f.events, func(e market.Event) bool { return e.Kind == market.Overran && e.Job == id })
	})
	if err := f.step(at, append(f.ends(refused), arrivals...)); err != nil {
		return nil, err
	}
	next := f.wake
	for _, by := range f.reserved {
		next = min(next, max(by, at+10*market.TimeSlack))
	}
	return append(f.events, market.Event{Kind: market.Wake, Finish: next}), nil
}

// step moves the cluster and keeps what it says beyond the next one.
func (f *floor) step(at market.Time, happened []market.Event) error {
	said, err := f.core.Step(at, happened)
	for _, e := range said {
		if e.Kind == market.Wake {
			f.wake = e.Finish
			continue
		}
		f.observe(&e)
		e.Procs, e.Slices = slices.Clone(e.Procs), slices.Clone(e.Slices)
		f.events = append(f.events, e)
	}
	return err
}

// overlooked lists whoever is not among the jobs whose estimate is used up and, looked at
// one by one, is, or the other way round.
func (f *floor) overlooked(at market.Time) (ids []market.JobID) {
	used := f.UsedUp(at)
	for _, id := range inOrder(f.running) {
		st, here := f.Status(id, at)
		if !here {
			continue
		}
		done := st.Left.Done() && !st.Independent
		for _, t := range st.Tasks {
			done = done || t.Left.Done() && !t.Refining
		}
		matters := st.Running && !st.Reserved && !st.BestEffort && st.Due.Finite()
		if (done && matters) != slices.Contains(used, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// arrival is what a job says of itself at the door, and whether it wants to be
// kept there.
func (f *floor) arrival(at market.Time, e market.Event) market.Event {
	j := *e.Spec
	if f.world.understates() && f.flip(0.3) {
		f.hidden[j.ID] = j.Estimate * market.Work(0.1+0.8*f.rand.Float64())
		j.Estimate -= f.hidden[j.ID]
	}
	e.Spec = &j
	if f.flip(0.3) {
		e.Kind = market.Reserved
		f.reserved[j.ID] = at + market.Time(10*f.rand.Float64())
	}
	return e
}

// reservations are confirmed or dropped when their time has come.
func (f *floor) reservations(at market.Time) (events []market.Event) {
	for _, id := range inOrder(f.reserved) {
		if f.reserved[id] > at {
			continue
		}
		kind := market.Confirmed
		if f.flip(0.2) {
			kind = market.Cancelled
		} else {
			f.confirmed++
		}
		delete(f.reserved, id)
		events = append(events, market.Event{Kind: kind, Job: id})
	}
	return events
}

// wishes are for further work, when an estimate is used up at the latest.
// Where estimates are wrong, measurements come in between, and the news that what
// is left of a job is optional; and now and then a job has to begin again.
func (f *floor) wishes(used []market.JobID) (events []market.Event) {
	for _, id := range inOrder(f.running) {
		if more := f.hidden[id]; slices.Contains(used, id) || more > 0 && f.flip(0.1) || f.world.extends() && f.flip(0.03) {
			events = append(events, f.extension(id, more))
		}
		if !f.world.exact && f.flip(0.05) {
			had := f.world.jobs[id].Job.Estimate * market.Work(1.5*f.rand.Float64())
			events = append(events, market.Event{Kind: market.Used, Job: id, Proc: market.AllTasks, Work: had})
		}
		if j := &f.world.jobs[id].Job; !f.world.exact && !j.Optional.Done() && f.flip(0.05) {
			f.fulfilled++
			took := j.Estimate * market.Work(f.rand.Float64())
			events = append(events, market.Event{Kind: market.Fulfilled, Job: id, Proc: market.AllTasks, Work: took})
		}
		if f.flip(0.01) {
			events = append(events, market.Event{Kind: market.Dislodged, Job: id, Node: market.Int32(int(id & 1))}) // of some the first node is to blame
		}
	}
	return events
}

func (f *floor) extension(id market.JobID, more market.Work) market.Event {
	limit := market.Unlimited
	if f.flip(0.2) {
		limit = market.Price(f.rand.Float64())
	}
	if more == 0 {
		more = market.Work(0.1 + 5*f.rand.Float64())
	}
	return market.Event{Kind: market.Extended, Job: id, Work: more, Price: limit}
}

// ends are those of jobs that were refused what they need, and now and then of
// others.
func (f *floor) ends(refused []market.JobID) (events []market.Event) {
	for _, id := range inOrder(f.running) {
		over := slices.Contains(refused, id)
		switch {
		case over && f.flip(0.2):
			events = append(events, market.Event{Kind: market.Cancelled, Job: id})
		case over, f.flip(0.01):
			f.released++
			f.void(id)
			events = append(events, market.Event{Kind: market.Released, Job: id})
		}
	}
	return events
}

// observe follows what becomes of the jobs.
func (f *floor) observe(e *market.Event) {
	switch e.Kind {
	case market.Accepted:
		if e.Start.Finite() { // else it is only reserved
			f.running[e.Job] = true
		}
	case market.Granted:
		f.running[e.Job] = true
	case market.Evicted:
		delete(f.running, e.Job)
	case market.Rejected, market.Completed, market.Stopped:
		delete(f.running, e.Job)
		delete(f.reserved, e.Job)
	case market.Prolonged:
		f.prolonged++
		delete(f.hidden, e.Job)
	case market.Overran:
		f.overran++
	default: // the same goes on
	}
}

// understates reports whether users say less than a job needs, in a world whose
// promises are watched: they find out before it matters, or are let go.
func (w *world) understates() bool { return w.exact && w.kind.TimeShared }

// extends reports whether jobs ask for more than they need. Under qops that
// makes others later than they were promised.
func (w *world) extends() bool { return !w.exact || w.kind.Name != "qops" }

func inOrder[V any](m map[market.JobID]V) []market.JobID {
	ids := make([]market.JobID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
