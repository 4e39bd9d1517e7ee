package agent

import (
	"fmt"
	"time"

	"github.com/libra-market/libra/core/task"
)

// Between the moment that a process of a task is its user's and the moment that it is
// the program, the user can hold it up: stop it, keep a lease on the program's file,
// have a directory that does not answer. That time is declined like any other. A task
// that never began owes nothing, unless it was held up for long: it had a processor
// that others could have had.

// heldFree is how much processor time a start may decline that comes to nothing: as
// long as it takes to find out that a file is not there, on a disk that is slow.
const heldFree = time.Second

// entry is how the starts of a task's programs went.
type entry struct {
	some  bool           // there was one
	since *time.Duration // declined when the one under way began; nil: there is none
	held  time.Duration  // declined in those before
}

// enter notes that a program is about to be started. Before the first one, there was
// nobody who could have taken anything.
func (r *runner) enter() {
	if !r.entry.some {
		r.meter.last, r.meter.open, r.meter.declined = nil, nil, 0
	}
	r.agent.steal.renew() // a short one is measured from here
	r.sample()
	r.entry.some, r.entry.since = true, new(r.meter.declined)
}

// entered notes that it was.
func (r *runner) entered() {
	r.sample()
	r.entry.held, r.entry.since = r.heldUp(), nil
}

// heldUp is what was declined until programs began, or did not.
func (r *runner) heldUp() time.Duration {
	if r.entry.since == nil {
		return r.entry.held
	}
	return r.entry.held + r.meter.declined - *r.entry.since
}

// ownDelay makes an end of what would have been no beginning, where that took its time:
// then the task has had a processor for it, and whatever was the matter is its own.
func (r *runner) ownDelay(status *task.Status) {
	held := r.heldUp()
	if status.State == task.Refused {
		held = max(held, r.meter.declined) // an agent before this one may have seen more
	}
	if held <= heldFree {
		return
	}
	if status.State == task.Refused && status.StartedUS != 0 {
		status.State, status.Exit = task.Ended, codeNotStarted
		status.Error += fmt.Sprintf(" (after a start that was held up for %v)", held.Round(time.Millisecond))
	}
	for i := range status.Elements {
		status.Elements[i].Error = ""
	}
}
