package oracle

import (
	"math"
	"slices"
	"sort"
)

// spaceShared is section 1: a job holds whole nodes from start to start + R.
type spaceShared struct {
	jobs   []Job
	rows   []Row
	nodes  int
	gpus   []int // of each node; nil: they are not counted
	policy string
	pbase  float64
	lapsed bool // late=lapsed

	// The baselines differ in these; nil is section 1.
	admit func(job int, now float64) (reason string)
	turn  func(now float64)
	cost  func(job int, finish float64) float64

	queue   []int // jobs that wait
	running []held
}

type held struct {
	job   int
	start float64
	nodes []int
}

func (s *spaceShared) end(h held) float64 { return h.start + s.jobs[h.job].Runtime }

func (s *spaceShared) run() {
	next := 0 // the next job to arrive
	for next < len(s.jobs) || len(s.running) > 0 {
		now := math.Inf(1)
		if next < len(s.jobs) {
			now = s.jobs[next].Submit
		}
		for _, h := range s.running {
			now = math.Min(now, s.end(h))
		}
		// All completions of the instant free their nodes ...
		var still []held
		for _, h := range s.running {
			if sameOrBefore(s.end(h), now) {
				s.finish(h)
			} else {
				still = append(still, h)
			}
		}
		s.running = still
		// ... then all its arrivals join the queue ...
		for ; next < len(s.jobs) && sameOrBefore(s.jobs[next].Submit, now); next++ {
			if s.jobs[next].Procs > s.nodes || s.gpus != nil && holding(s.gpus, s.jobs[next]) < s.jobs[next].Procs {
				reject(&s.rows[next], noResources)
			} else if no := s.answer(next, now); no != "" {
				reject(&s.rows[next], no)
			} else {
				s.queue = append(s.queue, next)
			}
		}
		// ... then one scheduling pass.
		if s.turn != nil {
			s.turn(now)
		} else {
			s.pass(now)
		}
	}
}

func (s *spaceShared) answer(job int, now float64) (no string) {
	if s.admit == nil {
		return ""
	}
	return s.admit(job, now)
}

func (s *spaceShared) finish(h held) {
	j := s.jobs[h.job]
	cost := j.Estimate * s.pbase
	if s.cost != nil {
		cost = s.cost(h.job, s.end(h))
	}
	s.rows[h.job] = Row{
		Outcome: completed,
		Start:   h.start,
		Finish:  s.end(h),
		Cost:    cost,
		Utility: utility(j, s.end(h)),
		Nodes:   h.nodes,
	}
}

// idle lists the free nodes, lowest number first.
func (s *spaceShared) idle() []int {
	var free []int
	for n := range s.nodes {
		busy := false
		for _, h := range s.running {
			busy = busy || slices.Contains(h.nodes, n)
		}
		if !busy {
			free = append(free, n)
		}
	}
	return free
}

// idleFor lists those of them that have its GPUs: nobody else can hold any there.
func (s *spaceShared) idleFor(job int) []int {
	return slices.DeleteFunc(s.idle(), func(n int) bool { return s.gpus != nil && s.gpus[n] < s.jobs[job].GPUs })
}

// start takes the job at place i of the queue out of it and runs it.
func (s *spaceShared) start(i int, now float64) {
	job := s.queue[i]
	s.queue = slices.Delete(s.queue, i, i+1)
	s.running = append(s.running, held{job, now, s.idleFor(job)[:s.jobs[job].Procs]})
}

// key is what the policy sorts by before (submit, input order). The input is
// sorted by submit time, so the place in the input says both.
//
// Reading: E and due are times, so they are rounded to 6 decimals as the
// ranking keys named in the Conventions are.
func (s *spaceShared) key(job int) float64 {
	switch s.policy {
	case "sjf-bf":
		return round6(s.jobs[job].Estimate)
	case "edf-bf":
		return round6(s.jobs[job].due()) // no deadline: +Inf, last
	}
	return 0 // fifo, fcfs-bf
}

func (s *spaceShared) pass(now float64) {
	backfill := s.policy != "fifo"

	// 1. Drop whoever can no longer make it. fifo never drops.
	if backfill {
		var still []int
		for _, job := range s.queue {
			j := s.jobs[job]
			latest := now + j.Estimate
			if s.lapsed {
				latest = now
			}
			if sameOrBefore(latest, j.due()) {
				still = append(still, job)
			} else {
				reject(&s.rows[job], noDeadline)
			}
		}
		s.queue = still
	}

	sort.SliceStable(s.queue, func(a, b int) bool {
		x, y := s.queue[a], s.queue[b]
		if s.key(x) != s.key(y) {
			return s.key(x) < s.key(y)
		}
		return x < y
	})

	// 2. From the head, start jobs while they fit.
	for len(s.queue) > 0 && s.jobs[s.queue[0]].Procs <= len(s.idleFor(s.queue[0])) {
		s.start(0, now)
	}
	if !backfill || len(s.queue) == 0 {
		return
	}

	// 3. The head does not fit: its reservation.
	head := s.jobs[s.queue[0]]
	expected := func(h held) float64 { // a job past its estimate may end any moment
		return math.Max(now, h.start+s.jobs[h.job].Estimate)
	}
	freeAt := func(t float64) int { // everything that ends at t counted
		free := len(s.idle())
		for _, h := range s.running {
			if sameOrBefore(expected(h), t) {
				free += len(h.nodes)
			}
		}
		return free
	}
	shadow := math.Inf(1)
	for _, h := range s.running {
		if t := expected(h); freeAt(t) >= head.Procs {
			shadow = math.Min(shadow, t)
		}
	}
	extra := freeAt(shadow) - head.Procs

	// 4. The others, in priority order, if the head does not suffer.
	for i := 1; i < len(s.queue); {
		j := s.jobs[s.queue[i]]
		switch {
		case j.Procs > len(s.idle()):
			i++
		case sameOrBefore(now+j.Estimate, shadow):
			s.start(i, now)
		case j.Procs <= extra:
			extra -= j.Procs
			s.start(i, now)
		default:
			i++
		}
	}
}
