package exchange

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Orders is all that a node should be doing, in the order of jobs and ranks.
// A node that is not up should be doing nothing.
func (x *Exchange) Orders(name string) []task.Order {
	index, known := x.byName[name]
	if !known || !x.nodes[index].Up {
		return nil
	}
	n := x.nodes[index]
	orders := make([]task.Order, 0, len(n.tenants))
	for _, j := range n.tenants {
		for rank := range j.programs() {
			r := j.first(rank)
			if r.Node != index || r.Status != nil {
				continue
			}
			cpu := min(1, r.Speed/n.Speed)
			o := task.Order{Spec: x.spec(j, rank), CPU: cpu, Processor: r.Processor, Stop: j.stopOf(r)}
			for _, other := range j.others(rank) {
				o.CPU += min(1, other.Speed/n.Speed)
				o.More = append(o.More, other.Processor)
			}
			o.Weight = max(0.01, o.CPU)
			orders = append(orders, o)
		}
	}
	return orders
}

// spec is what one task of a job runs. It is worked out once for every attempt.
func (x *Exchange) spec(j *live, i int) task.Spec {
	if len(j.specs) != j.programs() {
		j.specs = make([]task.Spec, j.programs())
		for k := range j.specs {
			j.specs[k] = x.newSpec(j, k)
		}
	}
	return j.specs[i]
}

func (x *Exchange) newSpec(j *live, i int) task.Spec {
	r := &j.Request
	s := task.Spec{
		Key: task.Key{Job: j.ID, Rank: i, Attempt: j.Attempt}, Size: j.programs(), Threads: j.threads(), Name: j.Name, User: j.Owner,
		Argv: r.Argv, Script: []byte(r.Script), Dir: r.Dir, Env: r.Env,
		Output: expand(r.Output, j.ID, i, j.Name), Error: expand(r.Error, j.ID, i, j.Name),
		Memory: r.MemoryMB << 20 * int64(j.threads()), GraceMS: r.grace(), Once: r.Once && r.Array == nil, Elements: r.Array.elements(i, j.programs()),
	}
	if !r.Soft && r.overrun() != OverrunLate {
		s.DueUS = j.DueUS
	}
	if r.Optional != nil {
		s.Optional = &task.Optional{Argv: r.Optional.Argv}
	}
	for rank := range j.programs() {
		s.Nodes = append(s.Nodes, x.nodes[j.first(rank).Node].Node)
	}
	return s
}

// expand fills a file name in; %a, the element of an array, is for the node.
func expand(pattern string, job int64, rank int, name string) string {
	if !strings.Contains(pattern, "%") {
		return pattern
	}
	pattern = strings.ReplaceAll(pattern, "%j", strconv.FormatInt(job, 10))
	pattern = strings.ReplaceAll(pattern, "%r", strconv.Itoa(rank))
	return strings.ReplaceAll(pattern, "%x", strings.ReplaceAll(name, "/", "-")) // last: a name may have any of them in it
}

// Forget lists which of the tasks reported as ended need not be reported again:
// those whose end is written down, and those nobody knows.
func (x *Exchange) Forget(tasks []task.Status) []task.Key {
	var keys []task.Key
	for i := range tasks {
		s := &tasks[i]
		if !s.State.Final() {
			continue
		}
		if _, r := x.find(s.Key); r == nil || r.Status != nil {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// Output says where a task of a job under way, or one that ran, writes: the
// node it is on, and what to read there.
func Output(j *Job, rank int, element *int, stderr bool) (node string, tail task.Tail, err error) {
	if programs := j.Programs(); rank < 0 || rank >= programs {
		if programs == 0 {
			return "", tail, fmt.Errorf("job %d has not started: %w", j.ID, ErrUnknown)
		}
		return "", tail, bad("rank", fmt.Sprintf("0 to %d", programs-1))
	}
	file := j.Request.Output
	if stderr {
		file = j.Request.Error
	}
	if r := j.Request.Array; r != nil && strings.Contains(file, "%a") {
		if element == nil {
			return "", tail, bad("element", fmt.Sprintf("one of %d to %d: each writes a file of its own", r.First, r.Last))
		}
		if i := *element - r.First; len(j.Places) > 0 && i >= 0 {
			rank = i / max(1, r.Step) % len(j.Places) // the lane that runs it
		}
	}
	tail = task.Tail{
		Element: element,
		Key:     task.Key{Job: j.ID, Rank: rank, Attempt: j.Attempt}, User: j.Owner, Dir: j.Request.Dir,
		File: expand(file, j.ID, rank, j.Name),
	}
	return j.NodeOf(rank), tail, nil
}

// NodesUp lists the nodes that should be heard of.
func (x *Exchange) NodesUp() []string {
	var up []string
	for name, index := range x.byName {
		if x.nodes[index].Up {
			up = append(up, name)
		}
	}
	slices.Sort(up)
	return up
}

// IsDown reports whether a node is known and taken for lost.
func (x *Exchange) IsDown(name string) bool {
	index, known := x.byName[name]
	return known && !x.nodes[index].Up
}

// News is what of the things agents say is worth a command: the end of a task,
// and progress that differs from what was reckoned. Only what concerns the
// named node counts, if one is named.
func (x *Exchange) News(node string, tasks []task.Status) []task.Status {
	var fresh []task.Status
	for i := range tasks {
		s := &tasks[i]
		j, r := x.find(s.Key)
		if r == nil || r.Status != nil || node != "" && x.nodes[r.Node].Node != node {
			continue
		}
		if s.State.Final() || x.surprising(j, r, s) {
			fresh = append(fresh, *s)
		}
	}
	return fresh
}

// surprising reports whether a task is not where it was reckoned to be, or has
// used up its estimate.
func (x *Exchange) surprising(j *live, r *rank, s *task.Status) bool {
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running {
		return false
	}
	had := j.had(s, x.nodes[r.Node].Speed)
	r.CPUUS = max(r.CPUUS, s.CPUUS)
	if j.Request.Optional != nil && (s.Part == task.OptionalPart && !r.Refining || r.allRefined(j.optional(), had)) {
		return true // its mandatory part is done, or all of the optional one
	}
	if !r.Refining && j.State == Running && !j.Void && (stand.Estimate - had).Done() && !(stand.Estimate - r.Had).Done() {
		return true // it has had all of its estimate, and nobody has said so
	}
	if !x.kind.TimeShared {
		return false
	}
	reckoned := stand.Estimate - stand.Left
	if j.Request.Optional != nil {
		reckoned = r.reckoned(&stand, j.optional())
	}
	return news(reckoned, had, stand.Estimate)
}
