package adversary

import (
	"math"

	"github.com/libra-market/libra/core/task"
)

// program is what a task does when it is let: the truth, of which the market
// knows only what its user says and the node measures.
type program struct {
	work     float64 // processor seconds that each rank needs; Inf: for ever
	first    float64 // seconds for which it sleeps before it works
	last     float64 // seconds for which it sleeps when it has worked
	missing  bool    // there is no such program
	stubborn bool    // goes on when it is asked to end, until it is killed
	bursts   bool    // dies of its own memory limit when its work is done
	exit     int
	lead     bool // only rank 0 does all that; the others end at once
}

// forever is a program that ends only when it is made to.
var forever = program{work: math.Inf(1)}

// run is a program on a node.
type run struct {
	order    task.Order
	node     string
	does     program
	cpu      float64 // processor seconds taken, on all its processors
	declined float64 // that it could have had and did not want
	began    int64
	worked   int64 // when its work was done; 0: it is not
	term     int64 // when it was asked to end; 0: it was not
	said     said
}

// said is what the node has said of what a run has left of what was sold to it.
type said struct {
	most  int64 // that it was of
	stage int   // 1: little, 2: nothing
}

// left is what it may have of what was sold to it, in processor seconds, until it has
// little, or none: then its node does not let it go on.
func (r *run) left() (little, none float64) {
	if r.order.MostUS == 0 {
		return math.Inf(1), math.Inf(1)
	}
	most := float64(r.order.MostUS) / 1e6
	none = most - r.cpu - r.declined
	return none - min(r.order.CPU*0.24, most/11), none
}

// share is what its node gives it.
func (r *run) share() float64 {
	if _, none := r.left(); none <= 1e-9 {
		return 0
	}
	return r.order.CPU
}

// stage is how little it has left.
func (r *run) stage() int {
	switch little, none := r.left(); {
	case none <= 1e-9:
		return 2
	case little <= 1e-9:
		return 1
	default:
		return 0
	}
}

// runsLow reports whether its node has to say that it has little left, or nothing.
func (r *run) runsLow() bool {
	if r.said.most != r.order.MostUS {
		r.said = said{most: r.order.MostUS}
	}
	before := r.said.stage
	r.said.stage = max(before, r.stage())
	return r.said.stage > before
}

// scale is how many processors it works on.
func (r *run) scale() float64 { return float64(r.order.Spec.Processors()) }

// asleep reports whether it declines what it is given.
func (r *run) asleep(now int64) bool {
	return now < r.began+micros(r.does.first) || r.worked != 0
}

// advance lets it run from one moment to another, between which nothing changes.
func (r *run) advance(from, to int64) {
	got := r.share() * float64(to-from) / 1e6
	if r.asleep(from) {
		r.declined += got
		return
	}
	r.cpu += got
	if r.cpu >= r.does.work*r.scale()-1e-9 {
		r.worked = to
	}
}

// next is when it does something of itself, as long as it is given what it is.
func (r *run) next(now int64) int64 {
	at := int64(math.MaxInt64)
	if r.term != 0 {
		at = r.term
		if r.does.stubborn {
			at += r.order.Spec.GraceMS * 1000
		}
	}
	switch {
	case r.worked != 0:
		at = min(at, r.worked+micros(r.does.last))
	case r.asleep(now):
		at = min(at, r.began+micros(r.does.first))
	case r.share() > 0 && !math.IsInf(r.does.work, 1):
		left := (r.does.work*r.scale() - r.cpu) / r.share()
		if left < 1e9 {
			at = min(at, now+max(1, int64(math.Ceil(left*1e6))))
		}
	}
	little, none := r.left()
	for _, left := range []float64{little, none} {
		if left > 1e-9 && r.share() > 0 && left/r.share() < 1e9 {
			at = min(at, now+max(1, int64(math.Ceil(left/r.share()*1e6))))
		}
	}
	return max(at, now)
}

// over reports whether it has ended, and how.
func (r *run) over(now int64) (task.Status, bool) {
	s := r.status()
	s.State, s.EndedUS = task.Ended, now
	switch {
	case r.does.missing:
		s.State, s.Error = task.Refused, "no such program"
	case r.order.Stop == task.Kill:
		s.Signal = "SIGKILL"
	case r.term != 0 && !r.does.stubborn:
		s.Signal = "SIGTERM"
	case r.term != 0 && r.stage() == 2: // with nothing left there is nothing to end with
		s.Signal = "SIGKILL"
	case r.term != 0 && now >= r.term+r.order.Spec.GraceMS*1000:
		s.Signal = "SIGKILL"
	case r.worked != 0 && r.does.bursts:
		s.Signal, s.OOM = "SIGKILL", true
	case r.worked != 0 && now >= r.worked+micros(r.does.last):
		s.Exit = r.does.exit
	default:
		return s, false
	}
	return s, true
}

// status is what the node measures.
func (r *run) status() task.Status {
	return task.Status{
		Key: r.order.Spec.Key, State: task.Running, CPUUS: int64(r.cpu * 1e6), DeclinedUS: int64(r.declined * 1e6), StartedUS: r.began,
	}
}

func micros(seconds float64) int64 { return int64(seconds * 1e6) }
