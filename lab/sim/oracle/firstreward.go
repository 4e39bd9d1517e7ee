package oracle

import (
	"math"
	"sort"
)

// firstReward (Irwin, Grit, Chase 2004): with p = E, at least 1e-6, and d the
// penalty rate, 0 without a deadline,
//
//	PV_i     = yield_i / (1 + discount*p_i)
//	cost_i   = sum over j != i of d_j*max(0, p_i - spare_j)
//	reward_i = (alpha*PV_i - (1 - alpha)*cost_i) / p_i
//	slack_i  = (PV_i - cost_i) / d_i
//
// To choose who starts now: yield at now + p_i, spare_j = max(0, due_j - now -
// p_j), over all that wait. To admit i: all that wait and i are put in order of
// reward and played forward, nobody overtaking; yield is at the finish of i in
// that play, the sum goes over those behind i, and spare_j is max(0, due_j -
// finish of j in the play without i). Accepted if slack_i >= slack; if d_i is 0,
// if PV_i >= cost_i.
//
// Reading: the paper has decay from the start, spare_j = 0; here from the due
// time. PV_i/p_i and cost_i/p_i are rounded to twelve digits, spare_j to six
// decimals.
type firstReward struct {
	*spaceShared
	discount, alpha, slack float64
}

func newFirstReward(s *spaceShared) *firstReward {
	f := &firstReward{spaceShared: s}
	s.cost = s.yieldOrNothing
	s.admit = f.decide
	s.turn = func(now float64) { s.startBest(now, func(job int) float64 { return f.reward(job, s.queue, now) }) }
	return f
}

func (f *firstReward) decay(job int) float64 {
	if math.IsInf(f.jobs[job].Deadline, 1) {
		return 0
	}
	return f.jobs[job].Penalty
}

// loses is what job j loses by waiting t seconds, if it would otherwise be done
// at a time.
func (f *firstReward) loses(j int, t, otherwise float64) float64 {
	if f.decay(j) == 0 {
		return 0
	}
	return f.decay(j) * math.Max(0, t-math.Max(0, round6(f.jobs[j].due()-otherwise)))
}

func (f *firstReward) present(job int, finish float64) float64 {
	return f.yield(job, finish) / (1 + f.discount*f.length(job))
}

func (f *firstReward) reward(job int, among []int, now float64) float64 {
	p, cost := f.length(job), 0.0
	for _, j := range among {
		if j != job {
			cost += f.loses(j, p, now+f.length(j))
		}
	}
	reward := -(1 - f.alpha) * round12(cost/p)
	if f.alpha > 0 { // an infinite value counts for nothing if values do not count
		reward += f.alpha * round12(f.present(job, now+p)/p)
	}
	return reward
}

func (f *firstReward) decide(job int, now float64) (reason string) {
	order := append(append([]int{}, f.queue...), job)
	among := append([]int{}, order...)
	sort.SliceStable(order, func(a, b int) bool {
		x, y := f.reward(order[a], among, now), f.reward(order[b], among, now)
		return x > y || x == y && order[a] < order[b]
	})
	with := f.playForward(order, now, f.length)
	var others []int
	for _, j := range order {
		if j != job {
			others = append(others, j)
		}
	}
	without := f.playForward(others, now, f.length)
	cost, behind := 0.0, false
	for _, j := range order {
		if j == job {
			behind = true
		} else if behind {
			cost += f.loses(j, f.length(job), without[j])
		}
	}
	value := f.present(job, with[job])
	if d := f.decay(job); d > 0 {
		if (value-cost)/d < f.slack-timeSlack {
			return notWorthIt
		}
	} else if !affordable(cost, value) {
		return notWorthIt
	}
	return ""
}

// playForward says when each of the jobs would be done if they started in this
// order, nobody before the one in front, and whoever runs ends as estimated, or
// now if he is past that.
func (s *spaceShared) playForward(order []int, now float64, length func(int) float64) map[int]float64 {
	free := make([]float64, s.nodes) // when each node is
	for n := range free {
		free[n] = now
	}
	for _, h := range s.running {
		for _, n := range h.nodes {
			free[n] = math.Max(now, h.start+s.jobs[h.job].Estimate)
		}
	}
	finish := map[int]float64{}
	last := now
	for _, job := range order {
		sort.Float64s(free)
		w := s.jobs[job].Procs
		last = math.Max(last, free[w-1])
		finish[job] = last + length(job)
		for n := range w {
			free[n] = finish[job]
		}
	}
	return finish
}
