package agent

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

// Whoever has not heard from the controller for the time of the lease begins
// nothing, however much he was told to before: it may long run elsewhere. Kills
// the mutant that starts a task after the lease ran out.
func TestNothingBeginsAfterTheLease(t *testing.T) {
	lease, err := openLease(filepath.Join(t.TempDir(), "lease"), true)
	if err != nil {
		t.Fatal(err)
	}
	a := &Agent{lease: lease, machine: thisMachine{}, starts: make(chan struct{}, 1)}
	r := newRunner(a, task.Key{Job: 1})
	r.setOrder(&task.Order{Spec: task.Spec{Key: r.key}}) // no directory: to begin it is to refuse it
	if err := lease.renew(0, time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	r.reconcile(t.Context())
	if got, _ := r.current(); r.phase != unclaimed || got.State != task.Starting {
		t.Errorf("it was begun, though the lease has run out: %+v", got)
	}
	if err := lease.renew(sinceBoot(), time.Hour); err != nil {
		t.Fatal(err)
	}
	r.reconcile(t.Context())
	if got, _ := r.current(); r.phase != over || got.State != task.Refused {
		t.Errorf("it was not begun, though the lease was renewed: %+v", got)
	}
}
