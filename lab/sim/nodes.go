package sim

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// virtualNodes run jobs at exactly the speed they are granted, and know when
// each will really be done. Jobs that advance as one finish as one; the
// independent tasks of other jobs finish processor by processor.
//
// What a job that begins is asked lies apart, and small enough to stay near however many
// wait; how far it is is only written then.
type virtualNodes struct {
	jobs  []virtualJob  // by slot
	ways  []virtualWay  // the same
	modes []virtualMode // the same
	whole agenda        // of slots
	procs []virtualProc
	split knockout // of processors
	slow  float64  // the lowest speed granted so far
	slack []int32  // processors with a task that is sluggish, or had one
}

type virtualJob struct {
	id     market.JobID
	actual market.Work // on each processor
}

// virtualWay is how far a job is.
type virtualWay struct {
	left  market.Work // at since
	since market.Time
	speed float64
}

type virtualMode struct {
	started bool
	later   bool // it will be done later than the agenda says
}

type virtualProc struct {
	tasks    []virtualTask
	sluggish bool // one of them is
	listed   bool // among those that have such
}

type virtualTask struct {
	left  market.Work // at since
	since market.Time
	speed float64
	done  uint64 // the key of when it is done
	slot  int32
}

// nextFinish is when something will be done.
func (n *virtualNodes) nextFinish() market.Time {
	for len(n.whole.slots) > 0 && n.modes[n.whole.unit()].later {
		n.rekey(n.whole.unit())
	}
	return earliest(n.whole.first(), n.split.first())
}

// finish takes the first thing that is done off its processors, and says so.
func (n *virtualNodes) finish(said *market.Event) {
	if n.whole.first() <= n.split.first() {
		slot := n.whole.pop()
		j := &n.jobs[slot]
		n.modes[slot].started = false
		said.Job, said.Proc, said.Work = j.id, market.AllTasks, j.actual
		return
	}
	proc, key := n.split.unit()
	p := &n.procs[proc]
	first := 0
	for p.tasks[first].done != key { // of equals it is the first one
		first++
	}
	j := &n.jobs[p.tasks[first].slot]
	p.tasks = append(p.tasks[:first], p.tasks[first+1:]...)
	n.split.set(proc, p.first())
	said.Job, said.Proc, said.Work = j.id, proc, j.actual
}

// first is the key of when the first of the tasks is done.
func (p *virtualProc) first() uint64 {
	first := noKey
	for i := range p.tasks {
		first = min(first, p.tasks[i].done) // without a branch
	}
	return first
}

// farOff is how long at most the last bit of work is waited for: whoever would
// need longer for it hardly moves at all, and looking further ahead at every
// instant would cost more than it is worth.
const farOff market.Time = 10

// sluggish is a speed at which the last bit of work takes longer than soon. There are few tasks that are slower:
// only for those is it worth while to look further ahead.
const (
	sluggish             = 1e-3
	soon     market.Time = 2e-3
)

// round ends at this very moment whatever has no work left but rounding, even
// where at its speed that would still take a while, and reports whether there
// is any such.
func (n *virtualNodes) round(now market.Time) bool {
	if n.slow >= 1 || n.slow == 0 {
		return false // at full speed work and time are the same
	}
	horizon := now + earliest(market.Time(float64(market.WorkSlack)/n.slow), farOff)
	if n.nextFinish() > horizon {
		return false
	}
	jobs := n.whole.bringUp(horizon, now, func(slot int32) bool {
		w, m := &n.ways[slot], &n.modes[slot]
		if !leftAt(now, w.left, w.since, w.speed).Done() || m.later && finishOf(w.since, w.left, w.speed) > horizon {
			return false
		}
		m.later = false
		return true
	})
	procs := false
	end := func(proc int32) {
		if p := &n.procs[proc]; p.over(now) {
			n.split.set(proc, p.first())
			procs = true
		}
	}
	for _, proc := range n.split.by(earliest(horizon, now+soon)) {
		end(proc)
	}
	kept := n.slack[:0]
	for _, proc := range n.slack {
		if p := &n.procs[proc]; !p.sluggish {
			p.listed = false
			continue
		}
		kept = append(kept, proc)
		if at, on := n.split.at(proc); on && at <= horizon {
			end(proc)
		}
	}
	n.slack = kept
	return jobs || procs
}

// over ends now those tasks that have no work left but rounding, and reports whether there are any.
func (p *virtualProc) over(now market.Time) (any bool) {
	for i := range p.tasks {
		t := &p.tasks[i]
		if leftAt(now, t.left, t.since, t.speed).Done() {
			t.done, any = min(t.done, keyOf(now)), true
		}
	}
	return any
}

// enter says how long a job really runs.
func (n *virtualNodes) enter(slot int32, id market.JobID, actual market.Work) {
	for int(slot) >= len(n.jobs) { // twice as many
		more := max(64, len(n.jobs))
		n.jobs, n.ways, n.modes = append(n.jobs, make([]virtualJob, more)...), append(n.ways, make([]virtualWay, more)...), append(n.modes, make([]virtualMode, more)...)
	}
	n.jobs[slot], n.modes[slot] = virtualJob{id: id, actual: actual}, virtualMode{}
}

// grant sets the speed of a job that advances as one.
func (n *virtualNodes) grant(now market.Time, e *market.Event) {
	w, m := &n.ways[e.Slot], &n.modes[e.Slot]
	n.note(e.Speed)
	left := n.jobs[e.Slot].actual
	if m.started {
		left = leftAt(now, w.left, w.since, w.speed)
	}
	m.started = true
	*w = virtualWay{left: left, since: now, speed: e.Speed}
	if at, on := n.whole.at(e.Slot); on && e.Speed > 0 && float64(left) >= float64(at-now)*e.Speed*(1+1e-12) {
		m.later = true
		return
	}
	m.later = false
	n.whole.set(e.Slot, finishOf(now, left, e.Speed))
}

// rekey puts a job where it belongs on the agenda. Who is slowed down is left where it
// was until it comes up: until then it is slowed down many times, or goes faster again.
func (n *virtualNodes) rekey(slot int32) {
	w := &n.ways[slot]
	n.modes[slot].later = false
	n.whole.set(slot, finishOf(w.since, w.left, w.speed))
}

// share sets the speeds of all the tasks on a processor.
func (n *virtualNodes) share(now market.Time, e *market.Event) {
	for int(e.Proc) >= len(n.procs) {
		n.procs = append(n.procs, virtualProc{})
	}
	p := &n.procs[e.Proc]
	tasks, said, first, slow := p.tasks, e.Slices, noKey, p.sluggish
	for i := range said {
		slot, speed := said[i].Slot, said[i].Speed
		if i >= len(tasks) || tasks[i].slot != slot { // it nearly always is
			p.bring(i, virtualTask{slot: slot, left: n.jobs[slot].actual, since: now, done: noKey})
			tasks, slow = p.tasks, slow || speed < sluggish
		}
		t := &tasks[i]
		if t.speed != speed {
			n.note(speed)
			t.left = leftAt(now, t.left, t.since, t.speed)
			t.since, t.speed = now, speed
			t.done = keyOf(finishOf(now, t.left, speed))
			slow = slow || speed < sluggish
		}
		first = min(first, t.done) // without a branch
	}
	p.tasks = tasks[:len(said)]
	if slow {
		n.lookForSluggish(e.Proc)
	}
	n.split.set(e.Proc, first)
}

// lookForSluggish notes whether a processor has a task that is sluggish, where it had one or has got one.
func (n *virtualNodes) lookForSluggish(proc int32) {
	p := &n.procs[proc]
	p.sluggish = slices.ContainsFunc(p.tasks, func(t virtualTask) bool { return t.speed < sluggish })
	if p.sluggish && !p.listed {
		p.listed = true
		n.slack = append(n.slack, proc)
	}
}

// stop takes a job off its processors.
func (n *virtualNodes) stop(e *market.Event) {
	if m := &n.modes[e.Slot]; m.started {
		n.whole.set(e.Slot, market.Never)
		m.started = false
	}
	for proc := range n.procs {
		p := &n.procs[proc]
		if i := p.find(e.Slot); i >= 0 {
			p.tasks = slices.Delete(p.tasks, i, i+1)
			n.split.set(market.Int32(proc), p.first())
		}
	}
}

// find returns where the task of a job is, or -1.
func (p *virtualProc) find(slot int32) int {
	return slices.IndexFunc(p.tasks, func(t virtualTask) bool { return t.slot == slot })
}

// bring puts the task of a job into the i-th place: from where it is, which is behind that, or as new.
func (p *virtualProc) bring(i int, t virtualTask) {
	for at := i + 1; at < len(p.tasks); at++ {
		if p.tasks[at].slot == t.slot {
			p.tasks[i], p.tasks[at] = p.tasks[at], p.tasks[i]
			return
		}
	}
	p.tasks = append(p.tasks, t)
	if last := len(p.tasks) - 1; i < last {
		copy(p.tasks[i+1:], p.tasks[i:last])
		p.tasks[i] = t
	}
}

func (n *virtualNodes) note(speed float64) {
	if speed > 0 && (n.slow == 0 || speed < n.slow) {
		n.slow = speed
	}
}

func leftAt(now market.Time, left market.Work, since market.Time, speed float64) market.Work {
	return left - market.Work(float64(float64(now-since)*speed))
}

func finishOf(now market.Time, left market.Work, speed float64) market.Time {
	if speed <= 0 {
		return market.Never
	}
	if left <= 0 {
		return now
	}
	return now + market.Time(float64(left)/speed)
}
