package agent

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
)

const slow = `exec 2>/dev/null; trap 'echo ending; exit 5' TERM; echo begun; while :; do sleep 0.05; done`

func TestStop(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	tests := []struct {
		name, script, output string
		grace                int64
		stop                 task.Stop
		exit                 int
		signal               string
	}{
		{"gentle", slow, "begun\nending\n", 10_000, task.Terminate, 5, ""},
		{"by default", `echo begun; exec sleep 1000`, "begun\n", 10_000, task.Terminate, 0, "SIGTERM"},
		{"deaf", `trap '' TERM; echo begun; while :; do sleep 0.05; done`, "begun\n", 100, task.Terminate, 0, "SIGKILL"},
		{"hard", slow, "begun\n", 10_000, task.Kill, 0, "SIGKILL"},
	}
	for i, test := range tests {
		order := n.shell(int64(i), test.script)
		order.Spec.Output, order.Spec.Error, order.Spec.GraceMS = "out-%j", "", test.grace
		n.order(order)
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key := task.Key{Job: int64(i)}
			n.state(t, key, task.Running)
			until(t, "its first line", func() bool { return n.has("out-"+key.String()[:1], "begun\n") })
			n.reorder(key, func(o *task.Order) { o.Stop = test.stop })
			got := n.end(t, key)
			if got.State != task.Ended || got.Exit != test.exit || got.Signal != test.signal {
				t.Errorf("ended as %s, want exit %d, signal %q", show(got), test.exit, test.signal)
			}
			if text := n.file("out-" + key.String()[:1]); text != test.output {
				t.Errorf("wrote %q, want %q", text, test.output)
			}
		})
	}
	n.empty()
}

func TestWhatIsNoLongerWantedIsStopped(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	n.order(n.shell(1, slow))
	n.state(t, task.Key{Job: 1}, task.Running)
	n.change(func(d *task.Desired) { d.Orders = nil })
	if got := n.end(t, task.Key{Job: 1}); got.State != task.Ended {
		t.Errorf("ended as %s", show(got))
	}
	n.empty()
}

func TestWhatIsStoppedBeforeItStartsNeverRuns(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.shell(1, "true")
	order.Stop = task.Kill
	n.order(order)
	if got := n.end(t, order.Spec.Key); got.State != task.Refused || !strings.Contains(got.Error, "before") {
		t.Errorf("ended as %s", show(got))
	}
	if n.has("out", "") {
		t.Error("it ran")
	}
}

// While it is not known yet what others run, those that are here go on, and end
// when they are told to; nothing else is started.
func TestWhatIsOnlyNamedDoesWhatIsOrdered(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.shell(1, slow)
	n.order(order)
	n.state(t, order.Spec.Key, task.Running)
	until(t, "its first line", func() bool { return n.has("out", "begun\n") })
	n.stop()
	named := order.Share()
	n.change(func(d *task.Desired) {
		d.Orders, d.Named = nil, []task.Share{named, {Key: task.Key{Job: 2}, CPU: 0.1}}
	})
	n.start()
	probe := n.shell(3, "true")
	probe.Spec.Output, probe.Spec.Error = "probe", "probe"
	n.order(probe)
	n.end(t, probe.Spec.Key)
	if text := n.file("out"); text != "begun\n" {
		t.Fatalf("what is named was not left alone: %q", text)
	}
	n.change(func(d *task.Desired) {
		named.Stop = task.Terminate
		d.Named = []task.Share{named, {Key: task.Key{Job: 2}, CPU: 0.1}}
	})
	if got := n.end(t, order.Spec.Key); got.Exit != 5 || n.file("out") != "begun\nending\n" {
		t.Errorf("ended as %s, having written %q", show(got), n.file("out"))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if other, known := n.last[task.Key{Job: 2}]; known {
		t.Errorf("something is said of a task that cannot be run: %s", show(other))
	}
}

func TestStopEndsAWholeArray(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.shell(1, slow)
	order.Spec.Elements = []int{1, 2, 3}
	n.order(order)
	n.state(t, order.Spec.Key, task.Running)
	until(t, "its first line", func() bool { return n.has("out", "begun\n") })
	n.reorder(order.Spec.Key, func(o *task.Order) { o.Stop = task.Terminate })
	got := n.end(t, order.Spec.Key)
	if len(got.Elements) != 1 || got.Good() || got.Exit != 5 || n.file("out") != "begun\nending\n" {
		t.Errorf("ended as %s, having written %q", show(got), n.file("out"))
	}
}

func TestFreezeAndResume(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.shell(1, "while :; do :; done")
	order.CPU = 0 // from the start: not even its first instruction
	n.order(order)
	key := order.Spec.Key
	frozen := n.state(t, key, task.Starting)
	n.reorder(key, func(o *task.Order) { o.CPU = 0.2 })
	n.state(t, key, task.Running)
	n.await(t, "it to use the processor", func() bool { return n.last[key].CPUUS > frozen.CPUUS+20_000 })

	n.reorder(key, func(o *task.Order) { o.CPU = 0 })
	n.state(t, key, task.Frozen)
	before := n.used(key)
	seen := n.reportsUntilNow()
	n.await(t, "three more reports", func() bool { return n.reports >= seen+3 })
	if after := n.used(key); after != before {
		t.Errorf("a frozen task used %v", after-before)
	}
	n.reorder(key, func(o *task.Order) { o.CPU = 0.2 })
	n.state(t, key, task.Running)
	until(t, "it to go on", func() bool { return n.used(key) > before })

	// Frozen, it must still hear that it is to end.
	n.reorder(key, func(o *task.Order) { o.CPU = 0 })
	n.state(t, key, task.Frozen)
	n.reorder(key, func(o *task.Order) { o.Stop = task.Terminate })
	if got := n.end(t, key); got.Signal != "SIGTERM" {
		t.Errorf("ended as %s, want SIGTERM", show(got))
	}
	n.empty()
}

func TestAShepherdThatDiesTakesItsTaskAlong(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	n.order(n.shell(1, "(setsid sleep 1000 &); sleep 1000"))
	key := task.Key{Job: 1}
	n.state(t, key, task.Running)
	n.killShepherd(key)
	if got := n.end(t, key); got.State != task.Lost || got.StartedUS == 0 {
		t.Errorf("ended as %s, want it lost", show(got))
	}
	n.empty()
}
