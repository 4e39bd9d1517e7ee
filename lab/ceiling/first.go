package ceiling

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/libra-market/libra/lab/grid"
)

// First is the most that applications at a site can pay for their optional parts if at every
// moment mandatory parts go first, by deadline: then these leave the same processors to
// optional parts whatever the order of them, and begin the same of them at the same times.
func First(r grid.Resource, apps []grid.Application) float64 {
	m := mandatoryParts(r, apps)
	cuts := slices.Clone(m.at)
	for _, g := range m.ready {
		cuts = append(cuts, g.at, math.Max(g.at, due(&apps[g.app])))
	}
	s := newSchedule(cuts, m.freeFrom)
	var list []piece
	for i, g := range m.ready {
		a := &apps[g.app]
		s.add(g.at, math.Max(g.at, due(a)), g.jobs)
		list = append(list, pieces(i, a, g.jobs)...)
	}
	return s.pay(list, r.MIPS)
}

// mandatorySchedule is what mandatory parts do when they go first.
type mandatorySchedule struct {
	at    []float64 // when something changes
	free  []int     // processors from then on
	ready []group
}

// group is jobs of an application whose mandatory parts are done at one time.
type group struct {
	app  int
	at   float64
	jobs int
}

func (m *mandatorySchedule) freeFrom(at float64) float64 {
	i := sort.SearchFloat64s(m.at, at)
	if i == len(m.at) || m.at[i] > at {
		i--
	}
	return float64(m.free[i])
}

// pending is a mandatory part that is not done.
type pending struct {
	app  int
	left float64 // seconds
}

// mandatoryParts runs nothing but the mandatory parts: at every event the first in the
// order of deadlines, one on each processor.
func mandatoryParts(r grid.Resource, apps []grid.Application) *mandatorySchedule {
	coming := make([]int, len(apps))
	for i := range apps {
		coming[i] = i
	}
	slices.SortStableFunc(coming, func(a, b int) int { return cmp.Compare(apps[a].Arrival, apps[b].Arrival) })
	m := &mandatorySchedule{}
	var waiting []pending
	for now := math.Inf(-1); len(coming) > 0 || len(waiting) > 0; {
		next := math.Inf(1)
		for _, p := range waiting[:min(len(waiting), r.Processors)] {
			next = math.Min(next, now+p.left)
		}
		if len(coming) > 0 {
			next = math.Min(next, float64(apps[coming[0]].Arrival))
		}
		waiting = m.run(waiting, r.Processors, now, next)
		now = next
		for len(coming) > 0 && float64(apps[coming[0]].Arrival) <= now {
			waiting = m.arrive(waiting, apps, coming[0], r.MIPS)
			coming = coming[1:]
		}
		m.at, m.free = append(m.at, now), append(m.free, max(0, r.Processors-len(waiting)))
	}
	return m
}

// run lets the first of those that wait go on until a time, and notes who is done by then.
func (m *mandatorySchedule) run(waiting []pending, processors int, now, until float64) []pending {
	for i := range waiting[:min(len(waiting), processors)] {
		waiting[i].left -= until - now
	}
	return slices.DeleteFunc(waiting, func(p pending) bool {
		done := p.left <= 1e-12*math.Abs(until)
		if done {
			m.done(p.app, until)
		}
		return done
	})
}

func (m *mandatorySchedule) done(app int, at float64) {
	for i := len(m.ready) - 1; i >= 0 && m.ready[i].at == at; i-- {
		if m.ready[i].app == app {
			m.ready[i].jobs++
			return
		}
	}
	m.ready = append(m.ready, group{app: app, at: at, jobs: 1})
}

// arrive puts the jobs of an application among those that wait.
func (m *mandatorySchedule) arrive(waiting []pending, apps []grid.Application, who int, mips float64) []pending {
	a := &apps[who]
	each := seconds(a, mips)
	if each == 0 {
		m.ready = append(m.ready, group{app: who, at: float64(a.Arrival), jobs: a.Jobs})
		return waiting
	}
	place := sort.Search(len(waiting), func(i int) bool {
		other := &apps[waiting[i].app]
		if mine, theirs := a.Due().Rank(), other.Due().Rank(); mine != theirs {
			return mine < theirs
		}
		return who < waiting[i].app
	})
	return slices.Insert(waiting, place, slices.Repeat([]pending{{app: who, left: each}}, a.Jobs)...)
}
