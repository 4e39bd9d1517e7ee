package reading

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// refuse counts a refusal.
func (e *engine) refuse(why market.Reason) bool {
	e.summary.Rejected++
	e.summary.Reasons[why.String()]++
	return false
}

// admit decides on an arrival and puts it on its nodes.
func (e *engine) admit(job int) bool {
	j := &e.jobs[job].Job
	estimate, deadline := float64(j.Estimate), float64(j.SLA.Deadline)
	if int(j.Width) > len(e.bodies) {
		return e.refuse(market.CannotMeetResources)
	}
	cost := float64(e.gamma*estimate) + float64(e.delta*estimate/deadline)
	if !e.plus && !market.Price(cost).Within(j.SLA.Budget) {
		return e.refuse(market.CannotMeetBudget)
	}
	e.commit(deadline)
	var able []int
	for n := range e.bodies {
		if market.Share(e.load[n] + estimate/deadline).Fits(1) {
			able = append(able, n)
		}
	}
	if len(able) < int(j.Width) {
		return e.refuse(market.CannotMeetDeadline)
	}
	rank := func(n int) float64 { return -market.Share(e.load[n]).Rank() }
	if e.plus {
		free := func(n int) float64 { return deadline - e.committed[n] - estimate }
		able = slices.DeleteFunc(able, func(n int) bool {
			e.prices[n] = estimate * (e.alpha + float64(e.beta*deadline/free(n)))
			return market.Time(free(n)) <= market.TimeSlack || !market.Price(e.prices[n]).Within(j.SLA.Budget)
		})
		if len(able) < int(j.Width) {
			return e.refuse(market.CannotMeetBudget)
		}
		rank = func(n int) float64 { return market.Time(free(n)).Rank() }
	}
	way := 1.0
	if e.least {
		way = -1
	}
	slices.SortStableFunc(able, func(a, b int) int { return cmp.Compare(way*rank(a), way*rank(b)) })
	able = able[:j.Width]
	if e.plus {
		cost = 0
		for _, n := range able {
			cost = max(cost, e.prices[n])
		}
	}
	e.place(job, able, cost)
	return true
}

// commit sums what admission keeps on each node: shares, and processor time in a window.
func (e *engine) commit(window float64) {
	clear(e.load)
	clear(e.committed)
	for n, here := range e.bodies {
		for _, b := range here {
			claim := e.need(b, e.now)
			if !e.current {
				claim = max(claim, b.promise)
			}
			e.load[n] += claim
			within := b.due - e.now
			if within <= 0 || within > window {
				within = window
			}
			if e.whole {
				e.committed[n] += b.estimate
			} else {
				e.committed[n] += float64(claim * within)
			}
		}
	}
}

// place puts a job on nodes: as one body, or as many.
func (e *engine) place(job int, nodes []int, cost float64) {
	a := &e.jobs[job]
	estimate := float64(a.Job.Estimate)
	whole := body{
		job: job, left: estimate, work: float64(a.Actual), estimate: estimate, due: float64(a.Job.Due()),
		promise: estimate / float64(a.Job.SLA.Deadline), used: estimate <= slack,
	}
	whole.share = whole.promise
	groups := [][]int{nodes}
	if e.apart {
		groups = slices.Collect(slices.Chunk(nodes, 1))
	}
	e.taken[job] = taken{cost, len(groups)}
	for _, group := range groups {
		b := whole
		b.nodes = group
		for _, n := range group {
			e.bodies[n] = append(e.bodies[n], &b)
		}
		if !e.apart {
			e.running = append(e.running, &b)
		}
	}
}
