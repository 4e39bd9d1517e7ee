package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

func TestLeaseRunsOut(t *testing.T) {
	t.Parallel()
	for _, dead := range []bool{false, true} {
		t.Run(map[bool]string{false: "agent alive", true: "agent dead"}[dead], func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			n.desired.LeaseMS = 2000
			n.start()
			order := n.shell(1, "trap '' TERM; (setsid sleep 1000 &); while :; do sleep 1; done")
			array := n.shell(2, "sleep 1000")
			array.Spec.Elements = []int{1, 2}
			n.order(order, array)
			n.state(t, order.Spec.Key, task.Running)
			n.state(t, array.Spec.Key, task.Running)
			if dead {
				n.stop()
			}
			n.goAway(true)
			until(t, "shepherds to end", func() bool {
				return !n.folder(order.Spec.Key).alive() && !n.folder(array.Spec.Key).alive()
			})
			n.empty()
			n.goAway(false)
			if dead {
				n.start()
			}
			for _, key := range []task.Key{order.Spec.Key, array.Spec.Key} {
				got := n.end(t, key)
				if got.State != task.Ended || got.Signal != "SIGKILL" || got.Error != task.LeaseRanOut || got.Good() {
					t.Errorf("ended as %s, want that the lease ran out", show(got))
				}
			}
		})
	}
}

func TestTheLeaseIsRenewedByReports(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.desired.LeaseMS = 2000 // ten reports: a busy machine may miss some
	n.start()
	n.order(n.shell(1, "sleep 5"))
	if got := n.end(t, task.Key{Job: 1}); !got.Good() {
		t.Errorf("ended as %s", show(got))
	}
}

func TestALeaseCanBeLeftAside(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.desired.LeaseMS = 300
	n.config.OnLease = LeaseContinue
	n.start()
	n.order(n.shell(1, "until [ -e go ]; do sleep 0.05; done; exit 4"))
	key := task.Key{Job: 1}
	n.state(t, key, task.Running)
	n.goAway(true)
	time.Sleep(time.Second)
	if !n.folder(key).alive() {
		t.Error("the task was ended")
	}
	if err := os.WriteFile(filepath.Join(n.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "it to end by itself", func() bool { return !n.folder(key).alive() })
	n.goAway(false)
	if got := n.end(t, key); got.Exit != 4 {
		t.Errorf("ended as %s", show(got))
	}
}

func TestLeaseFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lease")
	lease, err := openLease(path, true)
	if err != nil {
		t.Fatal(err)
	}
	is := func(want time.Duration) {
		t.Helper()
		if got, err := readLease(path); err != nil || got != want {
			t.Errorf("the file says %v, %v; want %v", got, err, want)
		}
	}
	renew := func(since, length time.Duration) {
		t.Helper()
		if err := lease.renew(since, length); err != nil {
			t.Fatal(err)
		}
	}
	is(0)
	renew(10*time.Second, 5*time.Second)
	is(15 * time.Second)
	renew(9*time.Second, 5*time.Second) // an older call that took longer
	is(15 * time.Second)
	if !lease.out() {
		t.Error("a lease of the first seconds after the boot has not run out")
	}
	renew(sinceBoot(), time.Hour)
	if lease.out() {
		t.Error("a new lease has run out")
	}
	renew(0, 0)
	is(0)
	if lease.out() {
		t.Error("a lease without end has run out")
	}
	renew(sinceBoot(), time.Hour)
	if again, err := openLease(path, true); err != nil || again.deadline == 0 {
		t.Errorf("a new agent knows nothing of the lease: %v", err)
	}
	if again, err := openLease(path, false); err != nil || again.deadline != 0 {
		t.Errorf("a lease outlived a boot: %v", err)
	}
	if err = os.WriteFile(path, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = readLease(path); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("read half a lease: %v", err)
	}
}
