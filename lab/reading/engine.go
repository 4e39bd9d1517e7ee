package reading

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// The settings that are readings: name and the value that is not the usual one.
const (
	Tasks   = "tasks"   // "apart": each task of a parallel job has work and a share of its own
	Overrun = "overrun" // "last": who has used up an estimate keeps the share of before, Algorithm 2 of 000 to the letter
	Free    = "free"    // "estimates": equation (6) of 000 to the letter, whole estimates of all who run
)

// readings are what each of them can be, the usual first.
var readings = map[string][2]string{Tasks: {"together", "apart"}, Overrun: {"all", "last"}, Free: {"window", "estimates"}}

// Needed reports whether settings have a reading in them.
func Needed(set map[string]string) bool {
	for name := range readings {
		if _, there := set[name]; there {
			return true
		}
	}
	return false
}

// engine is one run.
type engine struct {
	plus                    bool
	apart, last, whole      bool
	least, current, none    bool // fit, commitment, spare
	alpha, beta             float64
	gamma, delta            float64
	jobs                    []workload.Arrival
	now                     float64
	bodies                  [][]*body // by node
	running                 []*body   // all, in order of acceptance; not where tasks are apart
	load, committed, prices []float64 // by node, scratch
	taken                   []taken   // by job
	summary                 *report.Summary
	budgets                 float64
	satisfied               int64
}

// taken is an accepted job.
type taken struct {
	cost  float64
	parts int // tasks that still run, or 1
}

// body is what advances as one: a job, or one task of it.
type body struct {
	job      int
	nodes    []int
	left     float64 // of the estimate
	work     float64 // really
	share    float64 // as it was set last
	rate     float64
	used     bool // the estimate is, and it still runs
	estimate float64
	due      float64
	promise  float64
}

// Run plays jobs on nodes of rating 1 and adds up what came of them.
func Run(jobs []workload.Arrival, nodes int, policy string, set map[string]string) (*report.Summary, error) {
	e := &engine{
		plus: policy == "libra-plus", jobs: jobs, alpha: 1, beta: 0.1, gamma: 1, delta: 1,
		bodies: make([][]*body, nodes), load: make([]float64, nodes), committed: make([]float64, nodes), prices: make([]float64, nodes),
		taken: make([]taken, len(jobs)), summary: report.NewSummary(policy, nodes),
	}
	if !e.plus && policy != "libra" {
		return nil, fmt.Errorf("%s has no such readings (libra and libra-plus have)", policy)
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if err := e.set(name, set[name]); err != nil {
			return nil, err
		}
	}
	e.summary.Reasons = map[string]int64{}
	if e.apart {
		e.playApart()
	} else {
		e.play()
	}
	e.close()
	return e.summary, nil
}

func (e *engine) set(name, value string) error {
	words := map[string]struct {
		to    *bool
		other [2]string
	}{
		Tasks: {&e.apart, readings[Tasks]}, Overrun: {&e.last, readings[Overrun]}, Free: {&e.whole, readings[Free]},
		"fit": {&e.least, [2]string{"best", "least-loaded"}}, "commitment": {&e.current, [2]string{"promised", "current"}}, "spare": {&e.none, [2]string{"proportional", "none"}},
	}
	if w, known := words[name]; known {
		if !slices.Contains(w.other[:], value) {
			return fmt.Errorf("%s: %q is not one of %s, %s", name, value, w.other[0], w.other[1])
		}
		*w.to = value == w.other[1]
		return nil
	}
	numbers := map[string]*float64{"alpha": &e.alpha, "beta": &e.beta, "gamma": &e.gamma, "delta": &e.delta}
	to, known := numbers[name]
	if !known {
		return fmt.Errorf("%s: no such setting beside a reading", name)
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	*to = x
	return nil
}

// play goes from event to event: an arrival, an end, an estimate used up.
func (e *engine) play() {
	for next := 0; next < len(e.jobs) || len(e.running) > 0; {
		// 1. The next instant.
		t := math.Inf(1)
		if next < len(e.jobs) {
			t = max(e.now, float64(e.jobs[next].Job.Submit))
		}
		for _, b := range e.running {
			t = min(t, b.next(e.now))
		}

		// 2. What happens at it.
		some := false
		gone := e.running[:0]
		for _, b := range e.running {
			ends, uses := b.pass(e.now, t)
			some = some || ends || uses
			if ends {
				e.leave(b, t)
				continue
			}
			gone = append(gone, b)
		}
		e.running = gone
		e.now = t
		if some {
			e.share()
			continue
		}
		if e.admit(next) {
			e.share()
		}
		next++
	}
}

const slack = float64(market.TimeSlack)

// next is when something happens to a body at its present rate.
func (b *body) next(now float64) float64 {
	at := now + b.work/b.rate
	if !b.used {
		at = min(at, now+b.left/b.rate)
	}
	return at
}

// pass advances a body to t and says whether that is its end, or that of its estimate.
func (b *body) pass(now, t float64) (ends, uses bool) {
	reached := func(left float64) bool { return left-float64(b.rate*(t-now)) <= slack || now+left/b.rate <= t+slack }
	ends = reached(b.work)
	uses = !ends && !b.used && reached(b.left)
	did := b.rate * (t - now)
	b.work, b.left = max(0, b.work-did), max(0, b.left-did)
	if uses {
		b.used, b.left = true, 0
	}
	return ends, uses
}

// need is the share that a body needs (Algorithm 2 of 000).
func (e *engine) need(b *body, now float64) float64 {
	left := b.due - now
	switch {
	case b.used && e.last:
		return b.share // nobody sets another
	case b.used || left <= slack:
		return 1
	}
	return min(1, b.left/left)
}

// share sets all rates anew.
func (e *engine) share() {
	clear(e.load)
	for _, b := range e.running {
		b.share = e.need(b, e.now)
		for _, n := range b.nodes {
			e.load[n] += b.share
		}
	}
	for _, b := range e.running {
		most := 0.0
		for _, n := range b.nodes {
			most = max(most, e.load[n])
		}
		if e.none {
			most = max(1, most)
		}
		b.rate = b.share / most
	}
}

// leave takes a body off its nodes; with the last of a job's the job is done.
func (e *engine) leave(b *body, now float64) {
	for _, n := range b.nodes {
		e.bodies[n] = slices.DeleteFunc(e.bodies[n], func(other *body) bool { return other == b })
	}
	if e.taken[b.job].parts--; e.taken[b.job].parts > 0 {
		return
	}
	j, cost := &e.jobs[b.job].Job, e.taken[b.job].cost
	s := e.summary
	s.Completed++
	s.Earned += cost
	if j.Estimate > 0 {
		s.UnitPrices += cost / float64(j.Estimate)
	}
	s.Utility += float64(j.Utility(market.Time(now)))
	if market.Time(now).After(j.Due()) {
		s.HardLate++
		return
	}
	s.MetDeadline++
	if market.Price(cost).Within(j.SLA.Budget) {
		e.satisfied++
		s.Revenue += cost
	}
}

// close works the ratios out.
func (e *engine) close() {
	s := e.summary
	s.Jobs = int64(len(e.jobs))
	for i := range e.jobs {
		e.budgets += float64(e.jobs[i].Job.SLA.Budget)
	}
	s.Accepted = s.Jobs - s.Rejected
	s.QoSSatisfaction = float64(e.satisfied) / float64(max(1, s.Jobs))
	s.Profitability = s.Revenue / max(1, e.budgets)
}
