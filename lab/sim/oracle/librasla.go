package oracle

import (
	"math"
	"slices"
	"sort"
)

// librasla is section 3. The estimate plays no part: R is used everywhere.
type librasla struct {
	jobs []Job
	rows []Row

	timeOnly bool // Options.TimeOnly

	now   float64
	tasks [][]task // by node, in order of acceptance
	open  []int    // by job: tasks that still run
}

// task is a job's part on one node; it advances by itself.
type task struct {
	job    int
	left   float64 // remaining work
	share  float64 // set at the node's own events only
	stored float64 // its return, as computed when a job was last accepted here
}

func (s *librasla) ends(k task) float64 {
	if k.share <= 0 {
		return math.Inf(1) // waits for an event of its node
	}
	return s.now + k.left/k.share
}

func (s *librasla) run() {
	if len(s.jobs) > 0 {
		s.now = s.jobs[0].Submit
	}
	next := 0
	for {
		t := math.Inf(1)
		if next < len(s.jobs) {
			t = math.Max(s.now, s.jobs[next].Submit)
		}
		for _, tasks := range s.tasks {
			for _, k := range tasks {
				t = math.Min(t, s.ends(k))
			}
		}
		if math.IsInf(t, 1) {
			return
		}
		// Split every node's tasks, as seen before going to t.
		done, still := make([][]task, len(s.tasks)), make([][]task, len(s.tasks))
		arrival := true
		for n, tasks := range s.tasks {
			for _, k := range tasks {
				if spent(k.left, k.share, s.now, t, s.timeOnly) {
					done[n] = append(done[n], k)
					arrival = false
				} else {
					k.left = math.Max(0, k.left-k.share*(t-s.now))
					still[n] = append(still[n], k)
				}
			}
		}
		s.now = t
		s.tasks = still
		for n := range s.tasks {
			if len(done[n]) == 0 {
				continue // not this node's event
			}
			for _, k := range done[n] {
				s.finish(k.job)
			}
			// Shares are reset, returns are not.
			shares, _, _ := s.allocate(s.tasks[n])
			for i := range s.tasks[n] {
				s.tasks[n][i].share = shares[i]
			}
		}
		// Completions of the instant come before its arrivals.
		if arrival {
			s.admit(next)
			next++
		}
	}
}

// finish counts off one task; the job is finished when the last is.
func (s *librasla) finish(job int) {
	s.open[job]--
	if s.open[job] > 0 {
		return
	}
	j, row := s.jobs[job], &s.rows[job]
	row.Outcome = completed
	row.Finish = s.now
	row.Utility = utility(j, s.now)
	row.Cost = row.Utility
}

// onTime is the return of a job as if on time: B / R / D.
func onTime(j Job) float64 { return j.Budget / j.Runtime / j.Deadline }

// need is the share a task needs now.
func (s *librasla) need(k task) float64 {
	j := s.jobs[k.job]
	left := j.due() - s.now
	if left <= timeSlack {
		return 1
	}
	if j.Soft {
		return math.Min(1, k.left/left)
	}
	return k.left / left
}

// allocate is Algorithm 2 over the tasks of one node. The shares are valid
// even if the node is infeasible, for when they must be set all the same.
func (s *librasla) allocate(tasks []task) (shares, returns []float64, feasible bool) {
	if len(tasks) == 0 {
		return nil, nil, true
	}
	shares, returns = make([]float64, len(tasks)), make([]float64, len(tasks))
	top, total := 0, 0.0
	for i, k := range tasks {
		shares[i] = s.need(k)
		returns[i] = onTime(s.jobs[k.job])
		total += shares[i]
		if round12(returns[i]) > round12(returns[top]) { // ties: accepted first
			top = i
		}
	}
	if fits(total) {
		shares[top] += math.Max(0, 1-total)
		return shares, returns, true
	}

	// Too much: hard jobs and the top job keep what they need.
	hard, others := 0.0, 0.0 // needs of the hard jobs without the top, of the other soft ones
	for i, k := range tasks {
		switch {
		case i == top:
		case s.jobs[k.job].Soft:
			others += shares[i]
		default:
			hard += shares[i]
		}
	}
	feasible = fits(hard + shares[top])
	if !feasible {
		// Hard jobs first, the top job cut to what is left. Reading: hard jobs
		// that alone exceed 1 (no accepted set does) are cut in proportion.
		for i, k := range tasks {
			if i != top && !s.jobs[k.job].Soft && hard > 1 {
				shares[i] /= hard
			}
		}
		shares[top] = math.Min(shares[top], math.Max(0, 1-hard))
	}
	left := math.Max(0, 1-hard-shares[top])
	for i, k := range tasks {
		j := s.jobs[k.job]
		if i == top || !j.Soft {
			continue
		}
		shares[i] = left * shares[i] / others
		if shares[i] <= shareSlack { // no share at all
			feasible = false
			continue
		}
		delay := math.Max(0, s.now+k.left/shares[i]-j.due())
		returns[i] = (j.Budget - delay*j.Penalty) / j.Runtime / j.Deadline
	}
	return shares, returns, feasible
}

// admit decides on an arrival.
func (s *librasla) admit(job int) {
	j := s.jobs[job]
	row := &s.rows[job]
	if sameOrBefore(j.Deadline, j.Runtime) {
		reject(row, noDeadline)
		return
	}
	if j.Procs > len(s.tasks) {
		reject(row, noResources)
		return
	}
	with := func(n int) []task { return append(slices.Clone(s.tasks[n]), task{job: job, left: j.Runtime}) }
	newReturn := make([]float64, len(s.tasks))
	var suitable []int
	for n := range s.tasks {
		_, returns, feasible := s.allocate(with(n))
		if !feasible {
			continue
		}
		stored := 0.0
		for _, k := range s.tasks[n] {
			stored += k.stored
		}
		summed := 0.0 // where some cost what others bring, their sum is rounding alone
		for _, r := range returns {
			newReturn[n] += r
			summed += math.Abs(r)
		}
		slack := returnSlack * math.Max(math.Abs(stored), summed)
		if newReturn[n] >= stored-slack {
			suitable = append(suitable, n)
		}
	}
	if len(suitable) < j.Procs {
		reject(row, notWorthIt)
		return
	}
	sort.SliceStable(suitable, func(a, b int) bool {
		return round12(newReturn[suitable[a]]) > round12(newReturn[suitable[b]])
	})
	chosen := suitable[:j.Procs]
	slices.Sort(chosen)
	for _, n := range chosen {
		s.tasks[n] = with(n)
		shares, returns, _ := s.allocate(s.tasks[n])
		for i := range s.tasks[n] {
			s.tasks[n][i].share, s.tasks[n][i].stored = shares[i], returns[i]
		}
	}
	s.open[job] = j.Procs
	row.Start = j.Submit
	row.Nodes = chosen
}
