package agent

import (
	"testing"

	"github.com/libra-market/libra/core/task"
)

// A market that went on from a backup wants a task whose end it had written down. It
// hears of the end again, or it would wait for it for ever.
func TestAnEndIsSaidAgainToWhoWantsTheTaskStill(t *testing.T) {
	key := task.Key{Job: 38}
	r := newRunner(&Agent{machine: thisMachine{}}, key)
	r.setOrder(&task.Order{Spec: task.Spec{Key: key}})
	r.update(func(s *task.Status) { s.State = task.Ended })
	r.acknowledge()
	if _, news := r.current(); news {
		t.Error("what is written down is said again")
	}
	r.setOrder(&task.Order{Spec: task.Spec{Key: key}})
	if _, news := r.current(); !news || r.done() {
		t.Error("wanted after its end was written down, and it says nothing")
	}
	r.acknowledge()
	r.setOrder(nil)
	if !r.done() {
		t.Error("nobody wants it, and it is kept")
	}
}

// A number that was given out again, by a market that was put back to what it was, is of
// another job: the one that runs here is ended, and the other begins when it is gone.
func TestAnotherJobOfTheSameNumber(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	before := n.shell(1, `exec 2>/dev/null; trap 'echo ended; exit 0' TERM; echo before; while :; do sleep 0.05; done`)
	before.Spec.BornUS = 7
	n.order(before)
	key := before.Spec.Key
	until(t, "what it writes", func() bool { return n.has("out", "before\n") })
	n.stop() // as an agent that was started again knows it
	n.start()
	n.reorder(key, func(o *task.Order) {
		o.Spec.BornUS, o.Spec.Argv, o.Spec.Output, o.Spec.Error = 8, []string{"echo", "after"}, "after", "after"
	})
	until(t, "the other job", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.last[key].State.Final() && n.last[key].BornUS == 8
	})
	if out, after := n.file("out"), n.file("after"); out != "before\nended\n" || after != "after\n" {
		t.Errorf("the one wrote %q, the other %q", out, after)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if end := n.last[key]; !end.Good() {
		t.Errorf("%s", show(n.last[key]))
	}
}
