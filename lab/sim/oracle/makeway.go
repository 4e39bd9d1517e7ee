package oracle

import (
	"math"
	"slices"
	"sort"
)

// makeWay is the rule of that name in section 6: jobs run alone on whole nodes, the best-paying first,
// and who has time to spare stands still for a shorter one that pays more for the time.
type makeWay struct {
	jobs  []Job
	rows  []Row
	nodes int

	margin, press, lean, bid float64
	reserve, follow, urgency float64
	further                  float64
	posted, each             bool
	timeOnly                 bool

	now     float64
	waiting []int
	price   map[int]float64
	running []*tenant
}

// tenant is a job that has its nodes, whether it runs on them or stands still.
type tenant struct {
	job      int
	nodes    []int
	start    float64
	left     float64 // of the estimate: less than nothing where that was wrong
	workLeft float64
	runs     bool
}

func (m *makeWay) run() {
	m.price = map[int]float64{}
	if len(m.jobs) > 0 {
		m.now = m.jobs[0].Submit
	}
	for next := 0; next < len(m.jobs) || len(m.running) > 0; {
		t := math.Inf(1)
		if next < len(m.jobs) {
			t = m.jobs[next].Submit
		}
		for _, x := range m.running {
			if x.runs {
				t = math.Min(t, math.Min(m.now+x.workLeft, m.usesUp(x)))
			}
		}
		t = math.Max(t, m.now)
		// All that is within 1e-6 of it belongs to the instant, and the latest of it is its time.
		var done []*tenant
		at := t
		for _, x := range m.running {
			if x.runs && spent(x.workLeft, 1, m.now, t, m.timeOnly) {
				done = append(done, x)
				at = math.Max(at, m.now+x.workLeft)
			}
		}
		first := next
		for ; next < len(m.jobs) && sameOrBefore(m.jobs[next].Submit, t); next++ {
			at = math.Max(at, m.jobs[next].Submit)
		}
		for _, x := range m.running {
			if x.runs && sameOrBefore(m.usesUp(x), t) {
				at = math.Max(at, m.usesUp(x))
			}
		}
		m.advance(at)
		for _, x := range done {
			m.finish(x)
		}
		if len(done) > 0 && next > first {
			m.pass() // who waits is asked before somebody new is
		}
		for job := first; job < next; job++ {
			if m.arrive(job) {
				m.pass()
			}
		}
		m.pass()
	}
}

// usesUp is when it is certain that a job with a deadline has had its estimate.
func (m *makeWay) usesUp(x *tenant) float64 {
	if m.last(x) {
		return math.Inf(1) // that is over, or changes nothing
	}
	return m.now + math.Max(0, x.left) + 4*timeSlack
}

func (m *makeWay) advance(t float64) {
	for _, x := range m.running {
		if x.runs {
			x.left -= t - m.now
			x.workLeft = math.Max(0, x.workLeft-(t-m.now))
		}
	}
	m.now = t
}

func (m *makeWay) finish(x *tenant) {
	m.running = slices.DeleteFunc(m.running, func(y *tenant) bool { return y == x })
	m.rows[x.job] = Row{
		Outcome: completed, Start: x.start, Finish: m.now, Cost: m.price[x.job], Utility: utility(m.jobs[x.job], m.now), Nodes: x.nodes,
	}
}

func (m *makeWay) length(job int) float64 { return math.Max(m.jobs[job].Estimate, timeSlack) }

func (m *makeWay) rank(job int) float64 {
	return round12(m.price[job] / (math.Pow(m.length(job), 1+m.lean) * float64(m.jobs[job].Procs)))
}

// arrive answers a job, and reports whether it begins at once.
func (m *makeWay) arrive(job int) bool {
	j := m.jobs[job]
	if j.Procs > m.nodes {
		reject(&m.rows[job], noResources)
		return false
	}
	offer, asked := j.Budget, m.asked(job)
	if math.IsInf(offer, 1) {
		offer = m.bid * j.Estimate
		if m.each {
			offer *= float64(j.Procs)
		}
		if m.follow > 0 || m.posted {
			offer = math.Max(offer, asked)
		}
	}
	if !affordable(asked, offer) {
		reject(&m.rows[job], noBudget)
		return false
	}
	m.price[job] = offer
	if !math.IsInf(j.Budget, 1) {
		m.price[job] = math.Max(asked, offer/(1+m.further))
	}
	if m.posted {
		m.price[job] = asked
	}
	if !sameOrBefore(m.now, j.due()-j.Estimate) {
		reject(&m.rows[job], noDeadline)
		return false
	}
	idle := m.idle()
	if len(idle) >= j.Procs && m.harmless(job) {
		m.begin(job, idle[:j.Procs])
		return true
	}
	if nodes := m.room(job); nodes != nil {
		m.begin(job, nodes)
		return true
	}
	m.waiting = append(m.waiting, job)
	sort.SliceStable(m.waiting, func(a, b int) bool { return m.rank(m.waiting[a]) > m.rank(m.waiting[b]) })
	return false
}

func (m *makeWay) begin(job int, nodes []int) {
	j := m.jobs[job]
	m.running = append(m.running, &tenant{job: job, nodes: slices.Sorted(slices.Values(nodes)), start: m.now, left: j.Estimate, workLeft: j.Runtime})
}

// harmless: the first who waits offers less, or is not delayed.
func (m *makeWay) harmless(job int) bool {
	if len(m.waiting) == 0 || m.rank(job) > m.rank(m.waiting[0]) {
		return true
	}
	shadow, extra := m.shadow(m.jobs[m.waiting[0]].Procs)
	return sameOrBefore(m.now+m.jobs[job].Estimate, shadow) || m.jobs[job].Procs <= extra
}

// pass drops who is too late, lets others begin in order, and says who runs.
func (m *makeWay) pass() {
	m.waiting = slices.DeleteFunc(m.waiting, func(job int) bool {
		late := !sameOrBefore(m.now, m.jobs[job].due()-m.jobs[job].Estimate)
		if late {
			reject(&m.rows[job], noDeadline)
		}
		return late
	})
	head, shadow, extra := -1, math.Inf(1), 0
	for _, job := range slices.Clone(m.waiting) {
		j := m.jobs[job]
		nodes := []int(nil)
		if idle := m.idle(); len(idle) >= j.Procs {
			switch {
			case head < 0 || sameOrBefore(m.now+j.Estimate, shadow):
				nodes = idle[:j.Procs]
			case j.Procs <= extra:
				extra -= j.Procs
				nodes = idle[:j.Procs]
			}
		}
		if nodes == nil {
			if head < 0 {
				head = job
				shadow, extra = m.shadow(j.Procs)
			}
			if nodes = m.room(job); nodes != nil && head == job {
				head = -1
			}
		}
		if nodes != nil {
			m.begin(job, nodes)
			m.waiting = slices.DeleteFunc(m.waiting, func(other int) bool { return other == job })
		}
	}
	for _, x := range m.running {
		x.runs = true
		for _, n := range x.nodes {
			x.runs = x.runs && m.on(n)[0] == x
		}
	}
}
