package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

// mostElements is how many elements of an array are listed whatever they do; of a
// larger one those that have ended.
const mostElements = 10_000

// Elements are those of a job that is an array, in order: what its tasks have said of
// them, where they run, and which file is theirs.
func Elements(j *v1.Job) []v1.Element {
	a := j.Request.Array
	lanes := j.Programs()
	if a == nil || lanes == 0 && len(j.Tasks) > 0 {
		return nil
	}
	var list []v1.Element
	known, runs := map[int]bool{}, map[int]*v1.TaskStatus{}
	for i := range j.Tasks {
		t := &j.Tasks[i]
		for k := range t.Elements {
			list = append(list, begunOf(j, t, &t.Elements[k]))
			known[t.Elements[k].Index] = true
		}
		runs[t.Rank] = t
	}
	if a.Len() <= mostElements {
		for i := range a.Len() {
			if lane := i % max(1, lanes); !known[a.Index(i)] {
				list = append(list, other(j, a.Index(i), lane, runs[lane]))
			}
		}
	}
	for _, index := range j.TakenOut {
		list = append(list, v1.Element{Index: index, State: v1.ElementCancelled, Rank: -1})
	}
	slices.SortFunc(list, func(a, b v1.Element) int { return cmp.Compare(a.Index, b.Index) })
	return list
}

// begunOf is an element that runs or has ended.
func begunOf(j *v1.Job, t *v1.TaskStatus, e *v1.TaskElement) v1.Element {
	out := placed(j, e.Index, t.Rank)
	if !t.State.Final() && e.EndedUS == 0 {
		out.State, out.StartedUS = v1.ElementRunning, e.StartedUS
		return out
	}
	out.State, out.Signal, out.Error, out.StartedUS, out.EndedUS = v1.ElementCompleted, e.Signal, e.Error, e.StartedUS, e.EndedUS
	if e.Exit != 0 || e.Signal != "" || e.Error != "" {
		out.State = v1.ElementFailed
	}
	if e.Signal == "" && e.Error == "" {
		out.Exit = &e.Exit
	}
	return out
}

// other is an element of which nothing was said. Those of a lane run one after the other:
// where something was said of one before it, it has not begun.
func other(j *v1.Job, index, lane int, t *v1.TaskStatus) v1.Element {
	e := placed(j, index, lane)
	switch {
	case j.State.Final(), t != nil && t.State.Final():
		e.State = v1.ElementNotRun
	case j.StartedUS != 0 && !j.Starting && (t == nil || len(t.Elements) == 0):
		e.State = v1.ElementUnderway
	default:
		e.State = v1.ElementWaiting
	}
	return e
}

// placed is where an element runs and writes.
func placed(j *v1.Job, index, rank int) v1.Element {
	e := v1.Element{Index: index, Rank: rank}
	if rank >= 0 && rank < j.Programs() {
		e.Node = j.NodeOf(rank)
	}
	if j.Request.Output != "" {
		e.Output = task.FillPattern(File(j, j.Request.Output, rank), 'a', strconv.Itoa(index))
	}
	return e
}

// rankOf is in which order elements are listed where not all are: those that failed are
// what somebody looks for, and then those that run.
func rankOf(e *v1.Element) int {
	switch e.State {
	case v1.ElementFailed:
		return 0
	case v1.ElementRunning:
		return 1
	default:
		return 2
	}
}

// FirstElements are those that are listed where there is room for so many: all of them in
// their order, or the ones that matter most.
func FirstElements(all []v1.Element, most int) []v1.Element {
	if len(all) <= most {
		return all
	}
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(a, b v1.Element) int { return cmp.Compare(rankOf(&a), rankOf(&b)) })
	return list[:most]
}

// ElementCounts says how many elements are in which state: "2 completed, 1 running".
func ElementCounts(all []v1.Element) string {
	count := map[v1.ElementState]int{}
	for i := range all {
		count[all[i].State]++
	}
	var said []string
	for _, s := range []v1.ElementState{v1.ElementCompleted, v1.ElementFailed, v1.ElementRunning, v1.ElementUnderway, v1.ElementWaiting, v1.ElementCancelled, v1.ElementNotRun} {
		if count[s] > 0 {
			said = append(said, strconv.Itoa(count[s])+" "+string(s))
		}
	}
	return strings.Join(said, ", ")
}
