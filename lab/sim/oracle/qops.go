package oracle

import (
	"math"
	"slices"
	"sort"
)

// qops (Islam, Balaji, Sadayappan, Panda 2003, 2004): a job is promised to be
// done by submit + (1 + slack)*deadline, and the schedule is: who waits, in
// order of due time, nobody before the one in front. A job is accepted if in
// the schedule with it everybody's promise is kept; if not, it is tried as if it
// were due just before (1e-6 s) the first of the queue. A pass starts whoever is
// at the head and fits; then, in order, whoever fits now and leaves a schedule
// of the others in which every promise is kept.
//
// Reading: a promise that the schedule without the newcomer, or before the
// pass, does not keep (estimates were wrong) may be kept as badly as there.
// Due times are compared after rounding to 6 decimals. The price is E*pbase.
type qops struct {
	*spaceShared
	slack float64
	place map[int]float64 // in the queue: due time in units of 1e-6 s
}

func newQoPS(s *spaceShared) *qops {
	q := &qops{spaceShared: s, place: map[int]float64{}}
	s.admit, s.turn = q.decide, q.pass
	return q
}

func (q *qops) promise(job int) float64 {
	return q.jobs[job].Submit + (1+q.slack)*q.jobs[job].Deadline
}

func (q *qops) estimate(job int) float64 { return q.jobs[job].Estimate }

// inOrder sorts jobs by their place, then by the input.
func (q *qops) inOrder(jobs []int) []int {
	order := slices.Clone(jobs)
	sort.SliceStable(order, func(a, b int) bool {
		x, y := order[a], order[b]
		return q.place[x] < q.place[y] || q.place[x] == q.place[y] && x < y
	})
	return order
}

func (q *qops) schedule(jobs []int, now float64) map[int]float64 {
	return q.playForward(q.inOrder(jobs), now, q.estimate)
}

// kept reports whether a schedule keeps the promises, or does no worse where
// another does not keep them either.
func (q *qops) kept(finish, otherwise map[int]float64) bool {
	for job, f := range finish {
		limit := q.promise(job)
		if o, there := otherwise[job]; there && !sameOrBefore(o, limit) {
			limit = o
		}
		if !sameOrBefore(f, limit) {
			return false
		}
	}
	return true
}

func (q *qops) decide(job int, now float64) (reason string) {
	places := []float64{math.Round(q.jobs[job].due() * 1e6)}
	if len(q.queue) > 0 {
		places = append(places, q.place[q.inOrder(q.queue)[0]]-1)
	}
	for _, place := range places {
		q.place[job] = place
		if q.kept(q.schedule(append(slices.Clone(q.queue), job), now), q.schedule(q.queue, now)) {
			return ""
		}
	}
	return noDeadline
}

func (q *qops) pass(now float64) {
	q.queue = q.inOrder(q.queue)
	for len(q.queue) > 0 && q.jobs[q.queue[0]].Procs <= len(q.idle()) {
		q.start(0, now)
	}
	otherwise := q.schedule(q.queue, now)
	for i := 1; i < len(q.queue); {
		if q.jobs[q.queue[i]].Procs > len(q.idle()) {
			i++
			continue
		}
		queue, running := slices.Clone(q.queue), slices.Clone(q.running)
		q.start(i, now) // and if that will not do, not
		if !q.kept(q.schedule(q.queue, now), otherwise) {
			q.queue, q.running = queue, running
			i++
		}
	}
}
