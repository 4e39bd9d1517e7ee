package exchange

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// A job of several tasks that loses the node of one begins anew, and the others are
// still there. Their nodes go on being told to end them, until they say that they have,
// or have been silent for so long that their lease has run out; until then nothing of
// the next attempt is ordered. It has its place meanwhile.

// reachable reports whether what was begun on a node may still run there: it is up, and
// if it came back in another shape, in the same life of the machine.
func (x *state) reachable(index int) bool {
	now := x.nodes.At(x.nodes.Latest(index))
	return now.Up && now.Boot == x.nodes.At(index).Boot
}

// leaver is the job of which a task of an attempt before is being ended on a node, or
// on any if none is named; nil: there is none.
func (x *state) leaver(node string, k task.Key) *underway.Job {
	j := x.jobs.Find(k.Job)
	if j == nil {
		return nil
	}
	if index, leaves := j.Leaves(k); !leaves || node != "" && x.nodes.At(index).Node != node {
		return nil
	}
	return j
}

// leave notes which tasks of a job that is about to begin anew have to end before.
func (x *floor) leave(j *underway.Job) {
	j.Leave(x.reachable)
	if j.Leaving == nil {
		return
	}
	x.leaving[j.ID] = true
	x.markLeaving(j)
}

// left notes that of the tasks of the attempt before only some may still run. When the
// last of them is gone, the next attempt may begin.
func (x *floor) left(j *underway.Job, may func(rank, node int) bool) {
	if j.Leaving == nil {
		return
	}
	x.markLeaving(j)
	x.touched.Job(j.ID, journal.Whole)
	if j.LeftOnly(may); j.Leaving != nil {
		return
	}
	delete(x.leaving, j.ID)
	for i := range j.Ranks {
		x.nodes.Mark(j.Ranks[i].Node, roster.Tasks)
	}
}

// nobody may still run.
func nobody(int, int) bool { return false }

// gone looks who need not be waited for any more, after a node has gone.
func (x *yard) gone() {
	for _, id := range slices.Sorted(maps.Keys(x.leaving)) {
		x.floor.left(x.jobs.Find(id), func(_, node int) bool { return x.reachable(node) })
	}
}

func (x *floor) markLeaving(j *underway.Job) {
	for _, rank := range j.Leaving.Ranks {
		x.nodes.Mark(x.nodes.Latest(j.Leaving.Nodes[rank]), roster.Tasks)
	}
}

// explainLeaving says for whom a job waits that has its place.
func (x *teller) explainLeaving(j *underway.Job, e *trade.Explanation) {
	if j.Leaving == nil {
		return
	}
	var names []string
	for _, rank := range j.Leaving.Ranks {
		names = append(names, x.nodes.At(j.Leaving.Nodes[rank]).Node)
	}
	slices.Sort(names)
	e.Because = append(e.Because, "it waits until what ran of it before has ended on "+strings.Join(slices.Compact(names), ", "))
}

// farewell hears that a task of an attempt before has ended.
func (x *overseer) farewell(by trade.Identity, s *task.Status) {
	node := ""
	if by.Role == trade.RoleNode {
		node = by.User
	}
	if j := x.leaver(node, s.Key); j != nil && s.State.Final() {
		x.floor.left(j, func(rank, _ int) bool { return rank != s.Rank })
	}
}

// farewells adds to the orders of a node those to end what another attempt follows.
// Who has never heard of such a task says that it will not begin.
func (x *agents) farewells(index int, wants []dispatch.Want) []dispatch.Want {
	here := len(wants)
	for id := range x.leaving {
		j := x.jobs.Find(id)
		for _, rank := range j.Leaving.Ranks {
			if x.nodes.Latest(j.Leaving.Nodes[rank]) != index {
				continue
			}
			spec := j.Spec()
			spec.Rank, spec.Attempt, spec.Size = rank, j.Leaving.Attempt, len(j.Leaving.Nodes)
			spec.BornUS = cmp.Or(j.Leaving.BornUS, j.SubmittedUS)
			for _, node := range j.Leaving.Nodes {
				spec.Nodes = append(spec.Nodes, x.nodes.At(node).Node)
			}
			wants = append(wants, dispatch.Want{Spec: &spec, Stop: task.Terminate})
		}
	}
	if len(wants) > here {
		slices.SortFunc(wants, func(a, b dispatch.Want) int { return a.Spec.Compare(b.Spec.Key) })
	}
	return wants
}
