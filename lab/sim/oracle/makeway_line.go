package oracle

import (
	"math"
	"slices"
	"sort"
)

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
