package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/dispatch"
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
	ended := map[int]bool{}
	for i := range j.Tasks {
		t := &j.Tasks[i]
		for k := range t.Elements {
			list = append(list, endedOf(j, t, &t.Elements[k]))
			ended[t.Elements[k].Index] = true
		}
	}
	if a.Len() <= mostElements {
		all := &task.Span{First: a.First, Step: max(1, a.Step), Count: a.Len()}
		for lane := range max(1, lanes) {
			list = append(list, others(j, dispatch.Lane(all, lane, max(1, lanes)), lane, ended)...)
		}
	}
	slices.SortFunc(list, func(a, b v1.Element) int { return cmp.Compare(a.Index, b.Index) })
	return list
}

// endedOf is an element that has ended.
func endedOf(j *v1.Job, t *v1.TaskStatus, e *v1.TaskElement) v1.Element {
	out := placed(j, e.Index, t.Rank)
	out.State, out.Signal, out.Error, out.StartedUS, out.EndedUS = v1.ElementCompleted, e.Signal, e.Error, e.StartedUS, e.EndedUS
	if e.Exit != 0 || e.Signal != "" || e.Error != "" {
		out.State = v1.ElementFailed
	}
	if e.Signal == "" && e.Error == "" {
		out.Exit = &e.Exit
	}
	return out
}

// others are the elements of a lane of which nothing was said: they run one after the
// other, and while their task runs nobody knows how far it is.
func others(j *v1.Job, lane *task.Span, rank int, ended map[int]bool) []v1.Element {
	state := v1.ElementWaiting
	switch {
	case j.State.Final():
		state = v1.ElementNotRun
	case j.StartedUS != 0 && !j.Starting:
		state = v1.ElementUnderway
	}
	var list []v1.Element
	for i := range lane.Count {
		index := lane.First + i*lane.Step
		if ended[index] {
			continue
		}
		e := placed(j, index, rank)
		e.State = state
		list = append(list, e)
	}
	return list
}

// placed is where an element runs and writes.
func placed(j *v1.Job, index, rank int) v1.Element {
	e := v1.Element{Index: index, Rank: rank}
	if rank >= 0 && rank < j.Programs() {
		e.Node = j.NodeOf(rank)
	}
	if j.Request.Output != "" {
		e.Output = strings.ReplaceAll(File(j, j.Request.Output, rank), "%a", strconv.Itoa(index))
	}
	return e
}
