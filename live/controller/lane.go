package controller

import (
	"slices"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// How far arrays are with their elements is shown to those who look, and decides nothing:
// it is kept beside the market and not in it, and in no log. After a restart nodes tell it
// again from the beginning.

// Of words no more is kept than somebody would read.
const (
	mostSignal  = 64  // bytes
	mostTrouble = 256 // bytes
)

// follow takes in what a node says of its arrays, as far as it fits what they were
// ordered to run, and says how much of that is known now.
func (f *fleet) follow(node string, own []task.Status, said []task.Lane) []task.Told {
	if len(said) == 0 {
		return nil
	}
	runs := make(map[task.Key]bool, len(own))
	for i := range own {
		runs[own[i].Key] = !own[i].State.Final()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.member(node)
	tasks := m.plan.tasks()
	specs := make(map[task.Key]*task.Spec, len(tasks))
	for i := range tasks {
		specs[tasks[i].Spec.Key] = tasks[i].Spec
	}
	var told []task.Told
	for i := range said {
		key := said[i].Key
		spec := specs[key]
		if spec == nil || !runs[key] {
			continue
		}
		if m.lanes == nil {
			m.lanes = map[task.Key]*task.Lane{}
		}
		if m.lanes[key] == nil {
			m.lanes[key] = &task.Lane{Key: key}
		}
		goOn(m.lanes[key], spec, &said[i])
		told = append(told, task.Told{Key: key, Ended: len(m.lanes[key].Ended)})
	}
	return told
}

// goOn adds to a lane what was said of it: elements run in their order, so that each has
// its place. What does not fit there is left out, with all after it.
func goOn(l *task.Lane, spec *task.Spec, said *task.Lane) {
	if said.After < 0 || said.After > len(l.Ended) {
		l.Begun = nil // something was missed: it is asked for
		return
	}
	known := len(l.Ended) - said.After // it is said again
	for i := known; i < len(said.Ended); i++ {
		if !isNext(l, spec, &said.Ended[i]) || said.Ended[i].EndedUS <= 0 {
			return
		}
		l.Ended, l.Begun = append(l.Ended, said.Ended[i]), nil
	}
	l.Begun = nil
	if b := said.Begun; b != nil && said.After+len(said.Ended) == len(l.Ended) && isNext(l, spec, b) && b.EndedUS == 0 {
		l.Begun = b
	}
}

func isNext(l *task.Lane, spec *task.Spec, e *task.Element) bool {
	n := len(l.Ended)
	return n < spec.Len() && e.Index == spec.Element(n) && e.StartedUS > 0 && len(e.Signal) <= mostSignal && len(e.Error) <= mostTrouble
}

// forgetLanes forgets those of tasks that the node is not to run any more.
func (m *member) forgetLanes() {
	if len(m.lanes) == 0 {
		return
	}
	left := make(map[task.Key]*task.Lane, len(m.lanes))
	for _, t := range m.plan.tasks() {
		key := t.Spec.Key
		if l := m.lanes[key]; l != nil {
			left[key] = l
		}
	}
	m.lanes = left
}

// tellLanes adds to a job under way how far its tasks are with their elements.
func (f *fleet) tellLanes(j *trade.Job) {
	if j.Request.Array == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range j.Tasks {
		t := &j.Tasks[i]
		if t.State.Final() || t.Rank >= j.Programs() {
			continue
		}
		m := f.nodes[j.NodeOf(t.Rank)]
		if m == nil || m.lanes[t.Key] == nil {
			continue
		}
		l := m.lanes[t.Key]
		t.Elements = slices.Clone(l.Ended)
		if l.Begun != nil {
			t.Elements = append(t.Elements, *l.Begun)
		}
	}
}
