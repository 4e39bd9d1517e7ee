package oracle

import (
	"math"
	"slices"
	"sort"
)

// libra is section 2: libra and libra-plus.
type libra struct {
	jobs  []Job
	rows  []Row
	nodes int
	gpus  []int // of each node; nil: they are not counted
	plus  bool

	timeOnly bool // Options.TimeOnly

	spareNone, current, leastLoaded, touched bool
	gamma, delta                             float64 // libra's price
	alpha, beta, pbase                       float64 // libra-plus's

	now     float64
	running []*gang   // in order of acceptance
	load    []float64 // replan=touched: of each node, as last summed or corrected
}

// gang is an accepted job: one remaining estimate and one remaining work, the
// same on all its nodes.
type gang struct {
	job          int
	nodes        []int
	estimateLeft float64
	workLeft     float64
	usedUp       bool // the estimate is, and the job still runs
	rate         float64
	cost         float64
	share        float64 // replan=touched: the one it was last asked for
}

func (l *libra) run() {
	if len(l.jobs) > 0 {
		l.now = l.jobs[0].Submit
	}
	for next := 0; next < len(l.jobs) || len(l.running) > 0; {
		// The next thing to happen: an arrival, a completion, an estimate used up.
		t := math.Inf(1)
		if next < len(l.jobs) {
			t = math.Max(l.now, l.jobs[next].Submit)
		}
		for _, g := range l.running {
			t = math.Min(t, math.Min(l.ends(g), l.usesUp(g)))
		}
		// What else belongs to that instant, as seen before going there.
		var done, used []*gang
		for _, g := range l.running {
			if spent(g.workLeft, g.rate, l.now, t, l.timeOnly) {
				done = append(done, g)
			} else if !g.usedUp && spent(g.estimateLeft, g.rate, l.now, t, l.timeOnly) {
				used = append(used, g)
			}
		}
		l.advance(t)
		// Completions of one instant are taken together before the next arrival.
		if len(done)+len(used) > 0 {
			var changed []int
			for _, g := range done {
				l.finish(g)
				changed = append(changed, g.nodes...)
			}
			for _, g := range used {
				g.usedUp, g.estimateLeft = true, 0
			}
			l.recompute(changed)
			continue
		}
		// Arrivals one by one; a refusal is no event, so the rates hold.
		if l.admit(next) {
			l.recompute(l.running[len(l.running)-1].nodes)
		}
		next++
	}
}

// ends and usesUp are when the job would complete and use up its estimate at
// its present rate.
func (l *libra) ends(g *gang) float64 { return l.now + g.workLeft/g.rate }

func (l *libra) usesUp(g *gang) float64 {
	if g.usedUp {
		return math.Inf(1)
	}
	return l.now + g.estimateLeft/g.rate
}

func (l *libra) advance(t float64) {
	for _, g := range l.running {
		did := g.rate * (t - l.now)
		g.workLeft = math.Max(0, g.workLeft-did)
		g.estimateLeft = math.Max(0, g.estimateLeft-did)
	}
	l.now = t
}

func (l *libra) finish(g *gang) {
	l.running = slices.DeleteFunc(l.running, func(x *gang) bool { return x == g })
	j := l.jobs[g.job]
	l.rows[g.job] = Row{
		Outcome: completed,
		Start:   j.Submit,
		Finish:  l.now,
		Cost:    g.cost,
		Utility: utility(j, l.now),
		Nodes:   g.nodes,
	}
}

// need is the share it needs (Algorithm 2) now.
func (l *libra) need(g *gang) float64 {
	left := l.jobs[g.job].due() - l.now
	if g.usedUp || left <= timeSlack {
		return 1
	}
	return math.Min(1, g.estimateLeft/left)
}

// recompute sets every rate of the cluster or, with replan=touched, those of the
// jobs on the nodes where something happened.
func (l *libra) recompute(changed []int) {
	if l.touched {
		l.recomputeTouched(changed)
		return
	}
	load := make([]float64, l.nodes)
	for _, g := range l.running {
		for _, n := range g.nodes {
			load[n] += l.need(g)
		}
	}
	for _, g := range l.running {
		largest := 0.0
		for _, n := range g.nodes {
			largest = math.Max(largest, load[n])
		}
		if l.spareNone {
			largest = math.Max(1, largest) // no more than its share, less where over-committed
		}
		g.rate = l.need(g) / largest
	}
}

// recomputeTouched asks every task on a touched node anew. A node is touched if a
// task was placed or ended on it (changed), or if the share that a task on it needs
// has risen since it was asked.
func (l *libra) recomputeTouched(changed []int) {
	if l.load == nil {
		l.load = make([]float64, l.nodes)
	}
	touched := make([]bool, l.nodes)
	for _, n := range changed {
		touched[n] = true
	}
	for _, g := range l.running {
		if l.need(g) > g.share+1e-9*g.share { // Reading: more than rounding
			for _, n := range g.nodes {
				touched[n] = true
			}
		}
	}
	var asked []*gang
	for _, g := range l.running {
		if slices.ContainsFunc(g.nodes, func(n int) bool { return touched[n] }) {
			asked = append(asked, g)
			for _, n := range g.nodes {
				l.load[n] += l.need(g) - g.share // on its other nodes the sum is corrected
			}
			g.share = l.need(g)
		}
	}
	for n := range l.nodes {
		if touched[n] { // summed
			l.load[n] = 0
			for _, g := range l.on(n) {
				l.load[n] += g.share
			}
		}
	}
	for _, g := range asked {
		largest := 0.0
		for _, n := range g.nodes {
			largest = math.Max(largest, l.load[n])
		}
		if l.spareNone {
			largest = math.Max(1, largest)
		}
		g.rate = g.share / largest
	}
}

// claim is what a running job still claims now, for admission: progress made
// thanks to spare time frees nothing before the job is gone.
func (l *libra) claim(g *gang) float64 {
	if l.current {
		return l.need(g)
	}
	j := l.jobs[g.job]
	return math.Max(j.Estimate/j.Deadline, l.need(g))
}

// on lists the jobs that have a task on node n.
func (l *libra) on(n int) []*gang {
	var here []*gang
	for _, g := range l.running {
		if slices.Contains(g.nodes, n) {
			here = append(here, g)
		}
	}
	return here
}

func (l *libra) claims(n int) float64 {
	sum := 0.0
	for _, g := range l.on(n) {
		sum += l.claim(g)
	}
	return sum
}

// freeGPUs counts the GPUs of node n that nobody holds.
func (l *libra) freeGPUs(n int) int {
	if l.gpus == nil {
		return 0
	}
	free := l.gpus[n]
	for _, g := range l.on(n) {
		free -= l.jobs[g.job].GPUs
	}
	return free
}

// admit decides on an arrival; it reports whether the job was accepted.
func (l *libra) admit(job int) bool {
	j := l.jobs[job]
	row := &l.rows[job]
	if j.Procs > l.nodes || l.gpus != nil && holding(l.gpus, j) < j.Procs {
		reject(row, noResources)
		return false
	}
	cost := l.gamma*j.Estimate + l.delta*j.Estimate/j.Deadline
	if !l.plus && !affordable(cost, j.Budget) {
		reject(row, noBudget)
		return false
	}
	var able []int
	for n := range l.nodes {
		if fits(l.claims(n)+j.Estimate/j.Deadline) && j.GPUs <= l.freeGPUs(n) {
			able = append(able, n)
		}
	}
	if len(able) < j.Procs {
		reject(row, noDeadline)
		return false
	}
	var chosen []int
	if l.plus {
		chosen, cost = l.affordableNodes(j, able)
		if len(chosen) < j.Procs {
			reject(row, noBudget)
			return false
		}
	} else {
		sort.SliceStable(able, func(a, b int) bool {
			x, y := round9(l.claims(able[a])), round9(l.claims(able[b]))
			if l.leastLoaded {
				return x < y
			}
			return x > y
		})
		chosen = able[:j.Procs]
	}
	slices.Sort(chosen)
	l.running = append(l.running, &gang{
		job:          job,
		nodes:        chosen,
		estimateLeft: j.Estimate,
		workLeft:     j.Runtime,
		usedUp:       j.Estimate <= timeSlack, // an estimate of nothing is used up at once
		cost:         cost,
	})
	return true
}

// affordableNodes is libra-plus's choice among the nodes that can take j: in
// ascending order of free processor time (or descending, fit=least-loaded), those
// whose price j can pay.
func (l *libra) affordableNodes(j Job, able []int) (chosen []int, cost float64) {
	free := func(n int) float64 { // RESFree
		sum := j.Deadline - j.Estimate
		for _, g := range l.on(n) {
			window := l.jobs[g.job].due() - l.now
			if window <= timeSlack { // late: it may hold the node all along
				window = j.Deadline
			}
			sum -= l.claim(g) * math.Min(window, j.Deadline)
		}
		return sum
	}
	sort.SliceStable(able, func(a, b int) bool {
		x, y := round6(free(able[a])), round6(free(able[b]))
		if l.leastLoaded {
			return x > y
		}
		return x < y
	})
	for _, n := range able {
		if len(chosen) == j.Procs {
			break
		}
		if free(n) <= timeSlack { // nothing left to sell
			continue
		}
		price := l.alpha*l.pbase + l.beta*l.pbase*j.Deadline/free(n)
		if affordable(j.Estimate*price, j.Budget) {
			chosen = append(chosen, n)
			cost = math.Max(cost, j.Estimate*price)
		}
	}
	return chosen, cost
}
