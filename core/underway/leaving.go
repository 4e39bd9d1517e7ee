package underway

import (
	"slices"

	"github.com/libra-market/libra/core/task"
)

// Leaving is what is left of the attempt before: a job that begins anew because a node
// lost one of its tasks may have others, which are told to end. Nothing of the next
// attempt begins before they have been seen to, or cannot be there any more: two
// attempts would write the same files. It is not written to once it is there.
type Leaving struct {
	Attempt int   `json:"attempt"`
	BornUS  int64 `json:"born_us,omitempty"` // as in the job, which may have its next place
	Nodes   []int `json:"nodes"`             // the index of that of each program
	Ranks   []int `json:"ranks"`             // the programs that may still run
}

// Leave notes, before a job is taken off its processors, which of its programs may
// still run. Of an attempt of which nothing has begun, because one before was being
// ended, there is nothing: then those of that one are left.
func (j *Job) Leave(there func(node int) bool) {
	if j.Leaving != nil {
		return
	}
	l := &Leaving{Attempt: j.Attempt, BornUS: j.BornUS}
	for program := range j.Placed() {
		r := j.First(program)
		l.Nodes = append(l.Nodes, r.Node)
		if r.Status == nil && there(r.Node) {
			l.Ranks = append(l.Ranks, program)
		}
	}
	if len(l.Ranks) > 0 {
		j.Leaving = l
	}
}

// Leaves reports whether a program of the attempt before is being ended, and the node
// on which it is.
func (j *Job) Leaves(k task.Key) (node int, leaves bool) {
	l := j.Leaving
	if l == nil || l.Attempt != k.Attempt || !slices.Contains(l.Ranks, k.Rank) {
		return 0, false
	}
	return l.Nodes[k.Rank], true
}

// LeftOnly notes that of the programs of the attempt before only some may still run.
func (j *Job) LeftOnly(may func(rank, node int) bool) {
	l := *j.Leaving
	l.Ranks = nil
	for _, rank := range j.Leaving.Ranks {
		if may(rank, l.Nodes[rank]) {
			l.Ranks = append(l.Ranks, rank)
		}
	}
	if j.Leaving = &l; len(l.Ranks) == 0 {
		j.Leaving = nil
	}
}

// sound reports whether it can be of a market with so many nodes.
func (l *Leaving) sound(nodes int) bool {
	for _, rank := range l.Ranks {
		if rank < 0 || rank >= len(l.Nodes) {
			return false
		}
	}
	return !slices.ContainsFunc(l.Nodes, func(node int) bool { return node < 0 || node >= nodes })
}

// Fits reports whether a job is on nodes that are there, of so many.
func (j *Job) Fits(nodes int) (node int, fits bool) {
	for i := range j.Ranks {
		if k := j.Ranks[i].Node; k < 0 || k >= nodes {
			return k, false
		}
	}
	if j.Leaving != nil && !j.Leaving.sound(nodes) {
		return -1, false
	}
	return 0, true
}
