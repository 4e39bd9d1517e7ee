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
