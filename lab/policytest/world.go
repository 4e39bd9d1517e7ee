package policytest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// world is a cluster, a workload and what goes wrong, all from one seed.
type world struct {
	seed    uint64
	kind    policy.Kind
	set     map[string]string
	nodes   []market.Node
	jobs    []workload.Arrival
	changes []sim.NodeChange
	cancels float64 // chance that a user takes a job back, at each step
	exact   bool    // estimates are right
	even    bool    // all ratings are 1
}

func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %s %v, %d nodes, %d jobs, exact %v, %d changes of nodes, cancels %v",
		w.seed, w.kind.Name, w.set, len(w.nodes), len(w.jobs), w.exact, len(w.changes), w.cancels)
	return b.String()
}

// newWorld draws a world. Each trait comes with about every second seed, so
// that a seed which fails can be told apart from its neighbours.
func newWorld(kind policy.Kind, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 0))
	flip := func() bool { return r.IntN(2) == 0 }
	w := &world{seed: seed, kind: kind, set: map[string]string{}, exact: flip(), even: flip()}
	for _, s := range kind.Settings() {
		if len(s.Choices) > 0 {
			w.set[s.Name] = s.Choices[r.IntN(len(s.Choices))]
		}
	}
	tight, wide := flip(), flip()
	w.nodes = market.PlainNodes(1 + r.IntN(6))
	processors := 0
	for i := range w.nodes {
		n := &w.nodes[i]
		if wide {
			n.Processors = 1 + r.IntN(3)
		}
		if !w.even {
			n.Rating = []float64{0.5, 1, 2, 3}[r.IntN(4)]
		}
		if tight && flip() {
			n.Memory = int64(50 + r.IntN(100))
		}
		if tight && flip() {
			n.Disk = int64(50 + r.IntN(100))
		}
		processors += n.Processors
	}
	w.drawJobs(r, processors, tight)
	if flip() {
		w.drawFailures(r)
	}
	if flip() {
		w.cancels = 0.05
	}
	w.drawThreads(rand.New(rand.NewPCG(seed, 6)))
	w.drawGPUs(rand.New(rand.NewPCG(seed, 7)))
	w.drawSpread(rand.New(rand.NewPCG(seed, 8)))
	w.drawPlaces(rand.New(rand.NewPCG(seed, 9)))
	w.drawReserved(rand.New(rand.NewPCG(seed, 10)))
	if kind.Imprecise {
		w.drawOptional(rand.New(rand.NewPCG(seed, 5)))
	}
	return w
}

// drawOptional gives some jobs an optional part. The simulator knows nothing of
// it: to it a job is done when its first part is.
func (w *world) drawOptional(r *rand.Rand) {
	for i := range w.jobs {
		if j := &w.jobs[i].Job; r.IntN(2) == 0 && j.SLA.Deadline.Finite() {
			j.Optional = j.Estimate * market.Work(4*r.Float64())
			j.SLA.Bonus = market.Price(2 * r.Float64())
		}
	}
}

// drawSpread has the programs of some jobs on nodes of their own, in every third world.
func (w *world) drawSpread(r *rand.Rand) {
	if r.IntN(3) > 0 {
		return
	}
	for i := range w.jobs {
		w.jobs[i].Job.Spread = r.IntN(4) == 0
	}
}

// drawPlaces has some jobs say on which nodes they may be, in every third world.
func (w *world) drawPlaces(r *rand.Rand) {
	if r.IntN(3) > 0 {
		return
	}
	for i := range w.nodes {
		w.nodes[i].Name, w.nodes[i].Features = fmt.Sprint("n", i), []string{"", "fast", "fast,ib"}[r.IntN(3)]
		w.nodes[i].Partition = []string{"batch", "dear"}[r.IntN(2)]
	}
	some := func() string { return fmt.Sprintf("n%d,n%d", r.IntN(len(w.nodes)), r.IntN(len(w.nodes))) }
	for i := range w.jobs {
		where := []*market.Where{nil, nil, {Nodes: some()}, {Exclude: some()}, {Constraint: "fast"}, {Constraint: "fast&ib"}, {Constraint: "ib|slow", Exclude: "n0"}, {Partition: "batch"}, {Partition: "dear", Exclude: "n0"}}
		w.jobs[i].Job.Where = where[r.IntN(len(where))]
	}
}

// drawReserved sets some nodes aside, and some jobs are to be on these alone, in every third
// world. Each fits on the nodes that are left to it, if it is narrow enough: a reservation does
// not end here, and who waits for that waits for good.
func (w *world) drawReserved(r *rand.Rand) {
	if r.IntN(3) > 0 {
		return
	}
	for i := range w.nodes {
		w.nodes[i].Reserved = []string{"", "course"}[r.IntN(2)]
	}
	jobs := make([]market.Job, len(w.jobs))
	for i := range w.jobs {
		if jobs[i] = w.jobs[i].Job; !w.sendInto(&jobs[i], r.IntN(2) == 0) {
			w.giveBack()
			return
		}
	}
	for i := range w.jobs {
		w.jobs[i].Job = jobs[i]
	}
}

// giveBack ends all reservations before anything has begun.
func (w *world) giveBack() {
	for i := range w.nodes {
		w.nodes[i].Reserved = ""
	}
	for i := range w.jobs {
		if j := &w.jobs[i].Job; j.Where != nil && j.Where.Reservation != "" {
			in := *j.Where
			in.Reservation = ""
			j.Where = &in
		}
	}
}

// sendInto has a job be on nodes that are set aside, or on others: rather on these than on
// those, and with fewer processors if need be.
func (w *world) sendInto(j *market.Job, aside bool) bool {
	for _, width := range []int32{j.Width, max(1, j.Threads)} {
		for _, in := range []bool{aside, !aside} {
			where := market.Where{}
			if j.Where != nil {
				where = *j.Where
			}
			if where.Reservation = ""; in {
				where.Reservation = "course"
			}
			if j.Where, j.Width = &where, width; w.couldHold(*j, &where) {
				if where == (market.Where{}) {
					j.Where = nil
				}
				return true
			}
		}
	}
	return false
}

// couldHold reports whether the nodes that a job is admitted to could hold it, or no nodes.
func (w *world) couldHold(j market.Job, where *market.Where) bool {
	if j.Where = where; !book.New(market.Each(w.nodes)).View().CouldHold(&j) {
		return true // it is refused at the door
	}
	var its []market.Node
	for i := range w.nodes {
		if where.Admits(&w.nodes[i]) {
			its = append(its, w.nodes[i])
		}
	}
	return len(its) > 0 && book.New(market.Each(its)).View().CouldHold(&j)
}

// drawThreads lets the programs of some jobs have threads, in every second world.
func (w *world) drawThreads(r *rand.Rand) {
	if r.IntN(2) == 0 {
		return
	}
	for i := range w.jobs {
		if j := &w.jobs[i].Job; r.IntN(2) == 0 {
			j.Threads = 1 + r.Int32N(3)
			j.Width = max(1, j.Width/j.Threads) * j.Threads
		}
	}
}

// drawGPUs gives some nodes GPUs, and lets some jobs ask for them, in every third world.
func (w *world) drawGPUs(r *rand.Rand) {
	if r.IntN(3) > 0 {
		return
	}
	kinds := []string{"", "a", "b"}
	for i := range w.nodes {
		n := &w.nodes[i]
		n.GPUs, n.GPUKind = r.IntN(4), kinds[r.IntN(3)]
		if n.GPUs == 3 && n.GPUKind == "a" {
			n.GPUKind = "a:1,b:2"
		}
	}
	for i := range w.jobs {
		if j := &w.jobs[i].Job; r.IntN(2) == 0 {
			j.GPUs = 1 + r.Int32N(2)
			if r.IntN(3) == 0 {
				j.GPUKind = kinds[r.IntN(3)]
			}
		}
	}
}

func (w *world) drawJobs(r *rand.Rand, processors int, tight bool) {
	one := func(xs ...float64) float64 { return xs[r.IntN(len(xs))] }
	at := 0.0
	for range 5 + r.IntN(60) {
		at += one(0, 0, 0, 0.5, 1, 3, r.ExpFloat64())
		a := workload.Arrival{Actual: market.Work(one(1, 2, 5, 10, 1+20*r.Float64()))}
		j := &a.Job
		j.Submit, j.Estimate = market.Time(at), a.Actual
		if !w.exact {
			j.Estimate *= market.Work(one(0, 0.1, 0.5, 1, 2, 4))
		}
		j.Width = market.Int32(1 + r.IntN(min(processors, 1+r.IntN(5))))
		if r.IntN(20) == 0 {
			j.Width = market.Int32(processors + r.IntN(2))
		}
		j.SLA = market.SLA{
			Deadline: market.Time(float64(a.Actual) * one(0.5, 1, 1.1, 1.5, 2, 3, 10, 1+9*r.Float64())),
			Budget:   market.Price(float64(a.Actual) * one(0.5, 1.1, 1.5, 2, 5, 10)),
			Penalty:  market.Price(one(0, 0, 0.1, 1, 10)),
			Soft:     r.IntN(2) == 0,
		}
		if r.IntN(8) == 0 {
			j.SLA.Deadline = market.Never
		}
		if r.IntN(8) == 0 {
			j.SLA.Budget = market.Unlimited
		}
		if tight && r.IntN(2) == 0 {
			j.Memory, j.Disk = int64(r.IntN(80)), int64(r.IntN(80))
		}
		j.Objective = market.Objective(market.Uint8(r.IntN(3)))
		w.jobs = append(w.jobs, a)
	}
}

// drawFailures lets nodes fail and come back; in the end all are up, so that
// every job can come to an end.
func (w *world) drawFailures(r *rand.Rand) {
	last := float64(w.jobs[len(w.jobs)-1].Job.Submit)
	at := 0.0
	down := make([]bool, len(w.nodes))
	for range 1 + r.IntN(8) {
		at += r.Float64() * (last + 10) / 4
		n := r.IntN(len(w.nodes))
		down[n] = !down[n]
		w.changes = append(w.changes, sim.NodeChange{At: market.Time(at), Node: n, Down: down[n]})
	}
	for n := range down {
		if down[n] {
			w.changes = append(w.changes, sim.NodeChange{At: market.Time(at + 5), Node: n})
		}
	}
}
