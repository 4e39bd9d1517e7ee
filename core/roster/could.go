package roster

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// What a node says of itself must change nothing for jobs that it will never have: a
// hello costs nothing.

// Could reports whether a node with nothing on it could take a program of a job that may be
// on it.
func (n *Node) Could(j *market.Job) bool { return !n.Closed && n.room(j) > 0 }

// room is how many processors a node with nothing on it has for a job, as it is set aside now.
func (n *Node) room(j *market.Job) int {
	room := int64(n.Processors)
	if j.Memory > 0 {
		room = min(room, n.MemoryMB/j.Memory)
	}
	if j.Disk > 0 {
		room = min(room, n.DiskMB/j.Disk)
	}
	shape := n.Core(market.Rates{})
	if j.GPUs > 0 {
		room = min(room, shape.ProgramsOn(int64(n.GPUs), j)*int64(max(1, j.Threads)))
	}
	if n.Retired || !j.Where.Admits(&shape) {
		return 0
	}
	return j.Whole(int(room))
}

// Room is how many processors there are for a job on nodes with nothing on them, up or not, as
// they are set aside now.
func Room(nodes []*Node, j *market.Job) (sum int) {
	for _, n := range Among(nodes, j.Where) {
		sum += n.room(j)
	}
	return sum
}

// AllShut reports whether none of the nodes that a job may be on takes new jobs: each is closed, or down.
// Where it may be on none at all there is nothing to wait for. Thousands may ask alike, whenever a node has changed.
func (r *Roster) AllShut(where *market.Where) bool {
	var alike market.Where
	if where != nil {
		alike = *where
	}
	shut, known := r.shut[alike]
	if !known {
		if shut = allShut(r.nodes, where); r.shut == nil {
			r.shut = map[market.Where]bool{}
		}
		r.shut[alike] = shut
	}
	return shut
}

func allShut(nodes []*Node, where *market.Where) bool {
	some, takes := false, where.Chooser()
	for _, n := range nodes {
		shape := n.Core(market.Rates{})
		if n.Retired || !where.Admits(&shape) || !takes(&shape) {
			continue
		}
		if some = true; n.Up && !n.Closed {
			return false
		}
	}
	return some
}

// Fastest is the best rating among the nodes of the market that could take a job, up or
// not; 0: there is none.
func (r *Roster) Fastest(j *market.Job) float64 {
	fastest := 0.0
	for _, n := range r.different(j) {
		if n.Could(j) {
			fastest = max(fastest, n.Rating)
		}
	}
	return fastest
}

// different are the nodes that are to be looked at for a job: of those that are alike, and that it
// may be on, one.
func (r *Roster) different(j *market.Job) []*Node {
	if j.Where == nil {
		return r.Census().alike
	}
	return r.Places(j.Where).alike
}

// Among are those of some nodes that a job may be on.
func Among(nodes []*Node, where *market.Where) []*Node {
	var may []*Node
	takes := where.Chooser()
	for _, n := range nodes {
		if shape := n.Core(market.Rates{}); takes(&shape) {
			may = append(may, n)
		}
	}
	return may
}

// Slowest is the least speed among the nodes of some processors; where there are none,
// among the nodes that are up and could take a job. 1: there is none of those either.
func (r *Roster) Slowest(j *market.Job, on market.Procs) float64 {
	slowest := math.Inf(1)
	for proc := range on.All() {
		slowest = min(slowest, r.nodes[r.Of(proc)].Speed)
	}
	if len(on) == 0 {
		for _, n := range r.different(j) {
			if n.Up && n.Could(j) {
				slowest = min(slowest, n.Speed)
			}
		}
	}
	if math.IsInf(slowest, 1) || slowest <= 0 {
		return 1
	}
	return slowest
}

// Usual is the memory, in megabytes and up to so much, that a processor has for its part
// on the node in the middle of those that are up: one of few, however small it is or says
// to be, does not make it less.
func (r *Roster) Usual(most int64) int64 {
	parts := r.Census().usual
	if len(parts) == 0 {
		return most
	}
	return min(most, parts[len(parts)/2])
}
