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

	margin, lean, bid        float64
	reserve, follow, urgency float64
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

// inLine is all tenants, who goes first before the others.
func (m *makeWay) inLine() []*tenant {
	line := slices.Clone(m.running)
	sort.SliceStable(line, func(a, b int) bool {
		x, y := line[a], line[b]
		if m.last(x) != m.last(y) {
			return m.last(y)
		}
		if !m.last(x) && x.left != y.left {
			return x.left < y.left
		}
		return x.job < y.job
	})
	return line
}

// last: it has had more than its estimate, or has no deadline.
func (m *makeWay) last(x *tenant) bool {
	return x.left < -timeSlack || math.IsInf(m.jobs[x.job].due(), 1)
}

// on is who lives on a node, who goes first before the others.
func (m *makeWay) on(node int) (here []*tenant) {
	for _, x := range m.inLine() {
		if slices.Contains(x.nodes, node) {
			here = append(here, x)
		}
	}
	return here
}

func (m *makeWay) idle() (free []int) {
	for n := range m.nodes {
		if len(m.on(n)) == 0 {
			free = append(free, n)
		}
	}
	return free
}

// ahead and below are those on a tenant's nodes who go before it, and after.
func (m *makeWay) ahead(x *tenant) (them []*tenant) {
	for _, n := range x.nodes {
		here := m.on(n)
		them = append(them, here[:slices.Index(here, x)]...)
	}
	return them
}

func (m *makeWay) below(x *tenant) (them []*tenant) {
	for _, n := range x.nodes {
		here := m.on(n)
		them = append(them, here[slices.Index(here, x)+1:]...)
	}
	return them
}

// begins and ends are when a tenant has its nodes for itself, and is done, if nobody comes.
func (m *makeWay) begins(x *tenant) float64 {
	t := m.now
	for _, y := range m.ahead(x) {
		t = math.Max(t, m.ends(y))
	}
	return t
}

func (m *makeWay) ends(x *tenant) float64 { return m.begins(x) + math.Max(0, x.left) }

// spare is how long a tenant and all below it could stand still and be in time.
func (m *makeWay) spare(x *tenant) float64 {
	j := m.jobs[x.job]
	s := j.due() - m.ends(x)
	if x.left < -timeSlack || x.left >= j.Estimate {
		s = math.Min(s, 0)
	}
	for _, y := range m.below(x) {
		s = math.Min(s, m.spare(y))
	}
	return s
}

// shadow is when so many nodes will be idle if nobody comes, and how many more than that. A node is
// when the last on it is done.
func (m *makeWay) shadow(procs int) (at float64, extra int) {
	type end struct {
		at    float64
		job   int
		nodes int
	}
	var all []end
	for _, x := range m.running {
		e := end{at: m.ends(x), job: x.job}
		for _, n := range x.nodes {
			if here := m.on(n); here[len(here)-1] == x {
				e.nodes++
			}
		}
		all = append(all, e)
	}
	sort.Slice(all, func(a, b int) bool {
		if all[a].at != all[b].at {
			return all[a].at < all[b].at
		}
		return all[a].job < all[b].job
	})
	free := len(m.idle())
	for _, e := range all {
		if free += e.nodes; free >= procs {
			return e.at, free - procs
		}
	}
	return math.Inf(1), 0
}

// lender is a tenant that could make way, and what that costs.
type lender struct {
	*tenant
	nodes []int
	cost  float64
	asked bool
}

// room finds nodes for a job: idle ones, and those of others who make way for it; nil if there are too
// few, or it pays too little.
func (m *makeWay) room(job int) []int {
	j := m.jobs[job]
	if j.Estimate <= timeSlack || math.IsInf(j.due(), 1) {
		return nil
	}
	lenders, lent := m.lenders(job)
	nodes := m.idle()
	if lent == 0 || len(nodes)+lent < j.Procs {
		return nil
	}
	cost := 0.0
	for len(nodes) < j.Procs {
		l := cheapest(lenders, j.Procs-len(nodes))
		l.asked = true
		cost += l.cost
		nodes = append(nodes, l.nodes...)
	}
	if !affordable(m.margin*cost, m.price[job]) {
		return nil
	}
	return nodes[:j.Procs] // of the last lender those of the lowest numbers
}

// cheapest is who is asked next when so many nodes are missing.
func cheapest(lenders []*lender, missing int) *lender {
	var next, whole *lender
	for _, l := range lenders {
		if l.asked {
			continue
		}
		if next == nil {
			next = l
		}
		if len(l.nodes) >= missing && (whole == nil || l.cost < whole.cost) {
			whole = l
		}
	}
	if whole != nil && (whole.cost <= next.cost || len(next.nodes) >= missing) {
		return whole
	}
	return next
}

// lenders are who could make way for a job, the cheapest nodes first.
func (m *makeWay) lenders(job int) (all []*lender, lent int) {
	j := m.jobs[job]
	for _, x := range m.inLine() {
		if m.spare(x) < j.Estimate {
			continue
		}
		l := &lender{tenant: x}
		for _, n := range x.nodes {
			if m.on(n)[0] == x && (m.last(x) || j.Estimate < x.left-timeSlack) {
				l.nodes = append(l.nodes, n)
			}
		}
		if len(l.nodes) == 0 {
			continue
		}
		if late := m.now + j.Estimate - m.begins(x); late > 0 {
			l.cost = m.price[x.job] / m.length(x.job) * late
		}
		all, lent = append(all, l), lent+len(l.nodes)
	}
	sort.Slice(all, func(a, b int) bool {
		x, y := all[a].cost*float64(len(all[b].nodes)), all[b].cost*float64(len(all[a].nodes))
		if x != y {
			return x < y
		}
		return all[a].job < all[b].job
	})
	return all, lent
}

// asked is the least that a job is sold for.
func (m *makeWay) asked(job int) float64 {
	j := m.jobs[job]
	least := m.reserve * j.Estimate * float64(j.Procs)
	if m.follow > 0 {
		least = math.Max(least, m.follow*m.goingRate()*m.measure(job))
	}
	return least
}

// goingRate is what is offered for the node in the middle.
func (m *makeWay) goingRate() float64 {
	offers := make([]float64, len(m.idle())) // nothing
	add := func(job int) {
		offer := m.jobs[job].Budget
		if math.IsInf(offer, 1) {
			offer = m.price[job]
		}
		for range m.jobs[job].Procs {
			offers = append(offers, offer/m.measure(job))
		}
	}
	for _, x := range m.running {
		add(x.job)
	}
	for _, job := range m.waiting {
		add(job)
	}
	slices.Sort(offers)
	return offers[(len(offers)-1)/2]
}

func (m *makeWay) measure(job int) float64 {
	j := m.jobs[job]
	size := m.length(job)
	if m.each {
		size *= float64(j.Procs)
	}
	share := math.Min(1, math.Max(0.05, j.Estimate/j.Deadline))
	return size * math.Pow(share, m.urgency)
}
