package sim

import "libra/market"

// virtualNodes run jobs at exactly the speed they are granted, and know when
// each will really be done. Jobs that advance as one finish as one; the
// independent tasks of other jobs finish processor by processor.
type virtualNodes struct {
	jobs  []virtualJob // by seat
	whole agenda       // of seats
	procs []virtualProc
	split agenda // of processors
	dirty []int32
	slow  float64 // the lowest speed granted so far
}

type virtualJob struct {
	id      market.JobID
	actual  market.Work // on each processor
	left    market.Work // at since
	since   market.Time
	speed   float64
	started bool
}

type virtualProc struct {
	tasks  []virtualTask
	cursor int // where the last grant was: grants come in the order of the tasks
	dirty  bool
}

type virtualTask struct {
	seat   int32
	left   market.Work // at since
	since  market.Time
	speed  float64
	finish market.Time
}

// nextFinish is when something will be done.
func (n *virtualNodes) nextFinish() market.Time {
	return min(n.whole.first(), n.split.first())
}

// finish takes the first thing that is done off its processors.
func (n *virtualNodes) finish() market.Event {
	if n.whole.first() <= n.split.first() {
		seat := n.whole.pop()
		j := &n.jobs[seat]
		j.started = false
		return market.Event{Kind: market.Finished, Job: j.id, Proc: market.AllTasks, Work: j.actual}
	}
	proc := n.split.unit()
	p := &n.procs[proc]
	first := 0
	for i := range p.tasks {
		if p.tasks[i].finish < p.tasks[first].finish {
			first = i
		}
	}
	j := &n.jobs[p.tasks[first].seat]
	p.remove(first)
	n.split.set(proc, p.nextFinish())
	return market.Event{Kind: market.Finished, Job: j.id, Proc: proc, Work: j.actual}
}

// round ends at this very moment whatever has no work left but rounding, even
// where at its speed that would still take a while.
func (n *virtualNodes) round(now market.Time) {
	if n.slow >= 1 || n.slow == 0 {
		return // at full speed work and time are the same
	}
	horizon := now + market.Time(float64(market.WorkSlack)/n.slow)
	n.whole.upTo(horizon, func(seat int32) bool {
		j := &n.jobs[seat]
		return leftAt(now, j.left, j.since, j.speed).Done()
	}, now)
	n.split.upTo(horizon, func(proc int32) bool {
		p, any := &n.procs[proc], false
		for i := range p.tasks {
			t := &p.tasks[i]
			if leftAt(now, t.left, t.since, t.speed).Done() {
				t.finish, any = min(t.finish, now), true
			}
		}
		return any
	}, now)
}

// enter says how long a job really runs.
func (n *virtualNodes) enter(seat int32, id market.JobID, actual market.Work) {
	for int(seat) >= len(n.jobs) {
		n.jobs = append(n.jobs, virtualJob{})
	}
	n.jobs[seat] = virtualJob{id: id, actual: actual}
}

// grant sets the speed of a job or of one of its tasks.
func (n *virtualNodes) grant(now market.Time, e *market.Event) {
	j := &n.jobs[e.Seat]
	if e.Proc != market.AllTasks {
		n.grantTask(now, e, j.actual)
		return
	}
	n.note(e.Speed)
	if j.started {
		j.left = leftAt(now, j.left, j.since, j.speed)
	} else {
		j.left, j.started = j.actual, true
	}
	j.since, j.speed = now, e.Speed
	n.whole.set(e.Seat, finishOf(now, j.left, e.Speed))
}

func (n *virtualNodes) grantTask(now market.Time, e *market.Event, actual market.Work) {
	for int(e.Proc) >= len(n.procs) {
		n.procs = append(n.procs, virtualProc{})
	}
	p := &n.procs[e.Proc]
	t := p.find(e.Seat)
	if t == nil {
		p.tasks = append(p.tasks, virtualTask{seat: e.Seat, left: actual, since: now})
		t = &p.tasks[len(p.tasks)-1]
	}
	n.note(e.Speed)
	t.left = leftAt(now, t.left, t.since, t.speed)
	t.since, t.speed = now, e.Speed
	t.finish = finishOf(now, t.left, e.Speed)
	n.mark(e.Proc, p)
}

// stop takes a job off its processors.
func (n *virtualNodes) stop(e *market.Event) {
	j := &n.jobs[e.Seat]
	if j.started {
		n.whole.set(e.Seat, market.Never)
		j.started = false
	}
	for i := range n.procs {
		p := &n.procs[i]
		if t := p.find(e.Seat); t != nil {
			p.remove(p.cursor)
			n.mark(int32(i), p)
		}
	}
}

func (n *virtualNodes) mark(proc int32, p *virtualProc) {
	if !p.dirty {
		p.dirty = true
		n.dirty = append(n.dirty, proc)
	}
}

// settle finds the next finish of every processor whose tasks have changed.
func (n *virtualNodes) settle() {
	for _, proc := range n.dirty {
		p := &n.procs[proc]
		p.dirty = false
		n.split.set(proc, p.nextFinish())
	}
	n.dirty = n.dirty[:0]
}

func (p *virtualProc) nextFinish() market.Time {
	first := market.Never
	for i := range p.tasks {
		first = min(first, p.tasks[i].finish)
	}
	return first
}

// find returns the task of a job, looking first where the last grant was.
func (p *virtualProc) find(seat int32) *virtualTask {
	for range p.tasks {
		if p.cursor++; p.cursor >= len(p.tasks) {
			p.cursor = 0
		}
		if p.tasks[p.cursor].seat == seat {
			return &p.tasks[p.cursor]
		}
	}
	return nil
}

func (p *virtualProc) remove(i int) {
	p.tasks = append(p.tasks[:i], p.tasks[i+1:]...)
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
	return now + market.Time(float64(max(0, left))/speed)
}
