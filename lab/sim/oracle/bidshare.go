package oracle

import (
	"math"
	"slices"
	"sort"
)

// bidShare (REXEC, Tycoon): a job bids budget/E for a second of a node, goes to
// the nodes on which the sum of bids is least, lowest number first, and gets of
// each node its bid over the sum of the bids there. A parallel job advances as
// one, at the least of its shares. Everybody is accepted and pays his budget.
//
// Reading: without a budget the bid is the setting's, and the cost bid*E; E is
// at least 1e-6 and a bid at least 1e-9. Sums are compared after rounding to
// twelve digits.
type bidShare struct {
	jobs     []Job
	rows     []Row
	nodes    int
	bid      float64
	timeOnly bool

	now     float64
	running []*bidder
}

type bidder struct {
	job      int
	nodes    []int
	workLeft float64
}

func (b *bidShare) run() {
	if len(b.jobs) > 0 {
		b.now = b.jobs[0].Submit
	}
	for next := 0; next < len(b.jobs) || len(b.running) > 0; {
		// The next thing to happen: an arrival or a completion.
		t := math.Inf(1)
		if next < len(b.jobs) {
			t = math.Max(b.now, b.jobs[next].Submit)
		}
		for _, g := range b.running {
			t = math.Min(t, b.now+g.workLeft/b.rate(g))
		}
		var done, still []*bidder
		left := map[*bidder]float64{}
		for _, g := range b.running {
			if left[g] = math.Max(0, g.workLeft-b.rate(g)*(t-b.now)); spent(g.workLeft, b.rate(g), b.now, t, b.timeOnly) {
				done = append(done, g)
			} else {
				still = append(still, g)
			}
		}
		for g, l := range left {
			g.workLeft = l
		}
		b.now, b.running = t, still
		for _, g := range done {
			b.finish(g)
		}
		if len(done) == 0 {
			b.arrive(next)
			next++
		}
	}
}

func (b *bidShare) offer(job int) float64 {
	j := b.jobs[job]
	if math.IsInf(j.Budget, 1) {
		return math.Max(b.bid, 1e-9)
	}
	return math.Max(j.Budget/math.Max(j.Estimate, 1e-6), 1e-9)
}

// bids is the sum of the bids on a node.
func (b *bidShare) bids(node int) float64 {
	sum := 0.0
	for _, g := range b.running {
		if slices.Contains(g.nodes, node) {
			sum += b.offer(g.job)
		}
	}
	return sum
}

func (b *bidShare) rate(g *bidder) float64 {
	least := 1.0
	for _, n := range g.nodes {
		least = math.Min(least, b.offer(g.job)/b.bids(n))
	}
	return least
}

func (b *bidShare) arrive(job int) {
	j := b.jobs[job]
	if j.Procs > b.nodes {
		reject(&b.rows[job], noResources)
		return
	}
	var nodes []int
	for n := range b.nodes {
		nodes = append(nodes, n)
	}
	sort.SliceStable(nodes, func(x, y int) bool { return round12(b.bids(nodes[x])) < round12(b.bids(nodes[y])) })
	nodes = nodes[:j.Procs]
	slices.Sort(nodes)
	b.running = append(b.running, &bidder{job: job, nodes: nodes, workLeft: j.Runtime})
}

func (b *bidShare) finish(g *bidder) {
	j := b.jobs[g.job]
	cost := j.Budget
	if math.IsInf(cost, 1) {
		cost = b.bid * j.Estimate
	}
	b.rows[g.job] = Row{
		Outcome: completed, Start: j.Submit, Finish: b.now, Cost: cost, Utility: utility(j, b.now), Nodes: g.nodes,
	}
}
