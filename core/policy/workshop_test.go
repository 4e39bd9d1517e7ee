package policy_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
)

// workshop is a cluster whose jobs have two parts, with nodes that run them just
// as fast as they are told to: the first part takes what the job estimates, and
// the job leaves when the second is done too, or at its deadline.
type workshop struct {
	*cluster.Cluster
	beside *cluster.Cluster // must say the same; nil: there is none
	t      *rapid.T
	watch  bool
	now    market.Time
	wake   market.Time
	tasks  map[where]*piece
	over   map[market.JobID]*fate
	rate   []float64 // by processor
}

type where struct {
	job  market.JobID
	proc int32
}

// piece is a task of a job.
type piece struct {
	spec     market.Job
	left     market.Work // of the part it is with
	speed    float64
	refining bool
}

// fate is what became of a job that was taken.
type fate struct {
	fulfilled market.Time // the last of its tasks
	end       market.Time
	refined   market.Work
	paid      market.Price
}

func newWorkshop(t *rapid.T, name string, nodes ...market.Node) *workshop {
	w := &workshop{
		Cluster: newCluster(t, name, nodes...), t: t, wake: market.Never, tasks: map[where]*piece{}, over: map[market.JobID]*fate{},
	}
	for _, n := range nodes {
		for range n.Processors {
			w.rate = append(w.rate, n.Rating)
		}
	}
	return w
}

// next is when something happens by itself.
func (w *workshop) next() market.Time {
	next := w.wake
	for _, p := range w.tasks {
		if p.speed > 0 {
			next = min(next, w.now+market.Time(float64(p.left)/p.speed))
		}
		if p.refining {
			next = min(next, max(w.now, p.spec.Due()))
		}
	}
	return next
}

// advance lets happen what happens by a time.
func (w *workshop) advance(at market.Time) {
	for {
		next := w.next()
		if !next.Finite() || next.After(at) {
			break
		}
		w.pass(min(next, at))
		w.instant()
	}
	if at.Finite() {
		w.pass(at)
	}
}

func (w *workshop) pass(at market.Time) {
	at = max(at, w.now)
	for _, p := range w.tasks {
		p.left -= market.Work(float64(at-w.now) * p.speed)
	}
	w.now = at
}

// instant tells the cluster which parts are done and who has to leave.
func (w *workshop) instant() {
	var happened []market.Event
	if w.wake <= w.now {
		w.wake = market.Never
		happened = append(happened, market.Event{Kind: market.Woken})
	}
	for _, key := range w.keys() {
		p := w.tasks[key]
		f := w.over[key.job]
		done := p.left <= market.WorkSlack || p.speed > 0 && float64(p.left)/p.speed <= float64(market.TimeSlack)
		if !p.refining && done {
			f.fulfilled = max(f.fulfilled, w.now)
			if w.watch && w.now.After(p.spec.Due()) {
				w.t.Fatalf("the mandatory part of job %d is done at %v and was due at %v", key.job, w.now, p.spec.Due())
			}
			if p.spec.Optional.Done() {
				happened = append(happened, w.leave(key, p, p.spec.Estimate))
				continue
			}
			happened = append(happened, market.Event{Kind: market.Fulfilled, Job: key.job, Proc: key.proc, Work: p.spec.Estimate})
			p.refining, p.left, done = true, p.spec.Optional, false
		}
		if p.refining && (done || !p.spec.Due().After(w.now)) {
			refined := p.spec.Optional - max(0, p.left)
			f.refined += refined
			happened = append(happened, w.leave(key, p, p.spec.Estimate+refined))
		}
	}
	w.step(w.now, happened...)
}

func (w *workshop) leave(key where, p *piece, had market.Work) market.Event {
	delete(w.tasks, key)
	w.over[key.job].end = min(w.now, max(p.spec.Due(), w.over[key.job].fulfilled))
	return market.Event{Kind: market.Finished, Job: key.job, Proc: key.proc, Work: had}
}

// step moves the cluster and does what it says.
func (w *workshop) step(at market.Time, happened ...market.Event) {
	said := mustStep(w.t, w.Cluster, at, happened...)
	if w.beside != nil {
		got, want := tell(said), tell(mustStep(w.t, w.beside, at, happened...))
		if !slices.Equal(got, want) {
			w.t.Fatalf("at %v it says\n%s\nand the one beside it\n%s", at, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, e := range said {
		switch e.Kind {
		case market.Accepted:
			w.over[e.Job] = &fate{}
			for proc := range e.Procs.All() {
				w.tasks[where{e.Job, int32(proc)}] = &piece{spec: *e.Spec, left: e.Spec.Estimate}
			}
		case market.Shared:
			for _, s := range e.Slices {
				w.tasks[where{s.Job, e.Proc}].speed = s.Speed
			}
		case market.Completed:
			w.over[e.Job].paid = e.Price
		case market.Wake:
			w.wake = e.Finish
		default: // of no consequence here
		}
	}
	if w.watch {
		w.look()
	}
}

// look checks what holds at any moment.
func (w *workshop) look() {
	for proc, rating := range w.rate {
		running, someMandatory, some := -1, false, false
		keys := w.keys()
		for i, key := range keys {
			if key.proc != int32(proc) {
				continue
			}
			p := w.tasks[key]
			some = true
			someMandatory = someMandatory || !p.refining
			switch p.speed {
			case 0:
			case rating:
				if running >= 0 {
					w.t.Fatalf("at %v jobs %d and %d both run on processor %d", w.now, keys[running].job, key.job, proc)
				}
				running = i
			default:
				w.t.Fatalf("at %v job %d runs at %v on processor %d of rating %v", w.now, key.job, p.speed, proc, rating)
			}
		}
		if some && running < 0 {
			w.t.Fatalf("at %v processor %d is idle and has work", w.now, proc)
		}
		if someMandatory && w.tasks[keys[running]].refining {
			w.t.Fatalf("at %v the optional part of job %d runs before a mandatory one", w.now, keys[running].job)
		}
	}
}

func (w *workshop) keys() []where {
	keys := make([]where, 0, len(w.tasks))
	for key := range w.tasks {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b where) int {
		if a.job != b.job {
			return int(a.job - b.job)
		}
		return int(a.proc - b.proc)
	})
	return keys
}
