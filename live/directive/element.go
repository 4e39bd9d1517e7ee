package directive

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

// An element of an array is one program of the market, and that is on one node: the tasks
// of an element are all there, as by -N 1, and srun in its script starts them.

// errElement says of tasks that are not, what would do.
var errElement = errors.New("the tasks of an element of an array are on one node: say -N 1, or as many --ntasks-per-node as there are tasks, or hand the elements in as jobs of their own")

// ofElement is on how many nodes so many tasks of an element are: on one, if they may be.
func (w *width) ofElement(tasks int) ([]int, error) {
	switch {
	case w.nodes > 1 || w.perNode > 0 && tasks > w.perNode && w.mostNodes != 1:
		return nil, errElement
	case w.nodes == 0 && w.perNode == 0 && w.last != nil:
		w.last.note("the tasks of an element of an array are all on one node, as by -N 1")
	}
	return []int{1}, nil
}

// Sweeps says of a job, before its script is read, that it will be an array, as somebody says who
// beats the script: sizes that the script speaks of are those of an element then.
func (h *Head) Sweeps(value string) {
	if a, err := Array(value); err == nil {
		h.Request.Array = a
	}
}

// foresee does so for what the #LIBRA lines of a script say, which are followed after all others.
func (r *reader) foresee(lines []line) {
	for _, l := range lines {
		if l.prefix != libraPrefix || l.late {
			continue
		}
		said, _ := r.ownTerms(l) // a mistake is told when they are followed
		for _, t := range said {
			if t.name == arrayTerm && r.head.Request.Array == nil {
				r.head.Sweeps(t.value)
			}
		}
	}
}

// sweep has a job be an array.
func (h *Head) sweep(value string) error {
	a, err := Array(value)
	if err == nil {
		h.step = saidStep(value)
	}
	return put(&h.Request.Array, a, err)
}

// saidStep is what sbatch tells the elements of their step: of several spans that of the first that
// has one, and 1 of a list without, however far apart its elements are.
func saidStep(value string) int {
	_, after, _ := strings.Cut(value, ":")
	digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
	if n, err := strconv.Atoi(digits); err == nil {
		return n
	}
	return 1
}

// TellOfAll has the elements of an array be told of all that were asked for, as by sbatch, where what
// there is of them does not say it: of an array that waits those do not run whose namesakes fail
// (aftercorr), nor those that are cancelled meanwhile, and programs divide their work by how many there
// are; and how far apart elements are is not what sbatch calls their step.
func (h *Head) TellOfAll(r *v1.Request) {
	if r.Array == nil {
		return
	}
	a, n, step := r.Array, r.Array.Len(), h.step
	if step == 0 || !r.Follows() && !r.Hold && r.BeginMS == 0 && step == apart(a) {
		return
	}
	r.Env = append(r.Env, fmt.Sprintf("%s=%d %d %d %d", task.Array, n, a.Index(0), a.Index(n-1), step))
}

// apart is how far apart the elements of an array are; 1: not equally far.
func apart(a *v1.Array) int {
	n, step := a.Len(), 1
	if n > 1 {
		step = a.Index(1) - a.Index(0)
	}
	for i := 2; i < n; i++ {
		if a.Index(i)-a.Index(i-1) != step {
			return 1 // of a list
		}
	}
	return step
}
