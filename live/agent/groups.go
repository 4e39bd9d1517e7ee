package agent

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// Groups is what the agent asks of the limits of its node; a cgroup.Tree has it.
type Groups interface {
	Make(name string, l cgroup.Limits) (cgroup.Group, error)
	Find(name string) (cgroup.Group, bool)
	List() ([]string, error)
	SetWeight(weight float64) error
	SetCapacity(cpu float64) error
	SetRoom(memory, pids int64) error
	Processes() int64
	Kind() string
	Missing() []string
}

// withGroup does something to a group that another process has made. The tree
// is opened anew each time: where signals stand in for the kernel, a tree knows
// of others' processes only what it finds when it is opened. A group that is
// not there has no processes, and nothing is done.
func withGroup(tree, kind, name string, do func(cgroup.Group) error) error {
	opened, err := cgroup.Open(tree, cgroup.Options{Kind: kind})
	if err != nil {
		return err
	}
	if group, ok := opened.Find(name); ok {
		err = do(group)
	}
	return errors.Join(err, opened.Close())
}

// leastShare is what a group gets that is made frozen, for the day it is thawed
// only to be told to end.
const leastShare = 0.01

// limitsOf translates an order into the limits of its group. What the node
// cannot enforce is left out: the controller knows that from Hello.
func (a *Agent) limitsOf(order *task.Order) (cgroup.Limits, error) {
	l := cgroup.Limits{CPU: max(order.CPU, 0), Weight: order.Weight}
	var cpus []int
	for _, p := range append([]int{order.Processor}, order.More...) {
		if p < 0 || p >= len(a.config.CPUs) {
			return l, fmt.Errorf("this node has no processor %d", p)
		}
		cpus = append(cpus, a.config.CPUs[p])
	}
	if l.Processors = len(cpus); a.has("cpuset") {
		l.CPUs = cpus
	}
	if a.has("memory") {
		l.Memory = order.Spec.Memory
		if l.Memory == 0 {
			l.Memory = a.partOfMemory(order.Spec.Processors())
		}
		if all := a.allMemory(); all > 0 { // who takes more than there is does so alone, and it can be told who
			l.Memory = min(cmp.Or(l.Memory, all), all)
		}
	}
	if a.has("pids") {
		l.Pids = max(a.config.Processes, 0)
		if all := a.config.AllProcesses; all > 0 { // one task does not take what all have
			l.Pids = min(cmp.Or(l.Pids, all), max(1, all/2))
		}
	}
	if l.Weight = weightOf(l.Weight, l.CPU, len(cpus)); !a.has("weight") {
		l.Weight = 0
	}
	return l, nil
}

// pidsOf is how many processes and threads a task may have: half of those that are left
// of what all have together, when it begins. However many others take, there is
// something left for who comes next.
func (r *runner) pidsOf(l cgroup.Limits) int64 {
	all := r.agent.config.AllProcesses
	if l.Pids == 0 || all <= 0 {
		return l.Pids
	}
	if r.pids == 0 {
		r.pids = max(fewProcesses, (all-r.agent.groups.Processes())/2)
	}
	return min(l.Pids, r.pids)
}

// fewProcesses is what no task has less of.
const fewProcesses = 32

// weightOf is the weight of a task of several processors: the least that it can have
// been granted on one of them, for none gives more than all of itself. A kernel weighs
// what runs on each processor, and a task can keep all its threads on one: with all
// that it was granted as its weight it would take there what was promised to others.
// When those have had theirs, the rest is the task's.
func weightOf(weight, share float64, processors int) float64 {
	if processors < 2 || weight <= 0 {
		return weight
	}
	return min(weight, max(leastShare, share-float64(processors-1)))
}

// partOfMemory is what a task may use that asked for no memory, in bytes: what its
// processors are of the node. 0: no limit.
func (a *Agent) partOfMemory(processors int) int64 {
	each := a.config.JobMemoryMB
	if each == 0 {
		each = a.hello.MemoryMB / int64(max(1, a.hello.Processors))
	}
	if each <= 0 {
		return 0
	}
	return min(each, math.MaxInt64>>20/int64(processors)) << 20 * int64(processors)
}

// allMemory is what all tasks together may use, in bytes.
func (a *Agent) allMemory() int64 { return min(a.hello.MemoryMB, math.MaxInt64>>20) << 20 }

// limitAll bounds what all tasks together have, so that the machine stays one that
// can be worked on. What the kernel will not take is not a reason to run nothing.
func (a *Agent) limitAll() {
	var memory, pids int64
	if all := a.allMemory(); all > 0 && a.has("memory") {
		kept := keptOfGroups(possibleProcessors())
		memory = min(all, math.MaxInt64-kept) + kept
	}
	if a.has("pids") {
		pids = max(0, a.config.AllProcesses)
	}
	if err := a.groups.SetRoom(memory, pids); err != nil {
		a.log.Error("all tasks together are not limited", "error", err)
	}
}

func (a *Agent) has(controller string) bool {
	return !slices.Contains(a.groups.Missing(), controller)
}

// same reports whether two limits ask for the same.
func same(a, b cgroup.Limits) bool {
	return a.CPU == b.CPU && a.Weight == b.Weight && a.Memory == b.Memory && a.Pids == b.Pids && a.Processors == b.Processors && slices.Equal(a.CPUs, b.CPUs)
}
