package agent

import (
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
)

// An init that ends without a word was stopped before the program began: half of the time
// that is how the other rank of a job ends whose program does not exist.
func TestAnInitThatWasStopped(t *testing.T) {
	for words, want := range map[string]string{
		"":               errStopped.Error(),
		entered:          errStopped.Error(),
		entered + begins: "",
		entered + begins + "{\"code\":127,\"reason\":\"no such program\"}\n": "no such program",
		entered + "{\"code\":126,\"reason\":\"no such directory\"}\n":        "no such directory",
		"{\"code\":126,\"reason\":\"join the group\"}\n":                     "join the group",
	} {
		got := troubleIn(words)
		if got == nil && want != "" || got != nil && got.Reason != want {
			t.Errorf("%q: %+v, want %q", words, got, want)
		}
	}
}

// Who kills the init of its own program has ended the program. One that the market has
// stopped by then never began.
func TestAnInitThatItsUserKilled(t *testing.T) {
	for _, c := range []struct {
		words   string
		stopped task.Stop
		begun   bool
	}{
		{"", task.GoOn, false},
		{entered, task.GoOn, true},
		{entered, task.Kill, false},
		{entered + begins, task.Kill, true},
	} {
		s := shepherd{stopped: c.stopped}
		if end := s.conclude(syscall.WaitStatus(syscall.SIGKILL), troubleIn(c.words)); (end.trouble == nil) != c.begun || c.begun && end.Signal != "SIGKILL" {
			t.Errorf("killed after %q, told %q: %+v", c.words, c.stopped, end)
		}
	}
}

// A start that comes to nothing is free, unless it was held up: then the task has had a
// processor, and that is paid for. So it is with the elements of an array.
func TestAStartThatIsHeldUp(t *testing.T) {
	for held, want := range map[time.Duration]task.State{heldFree: task.Refused, 27 * time.Second: task.Ended} {
		r, _ := fakeRunner(t, newFakeGroups())
		r.meter.declined = 5 * time.Second // of before there was anything to hold up
		r.enter()
		r.meter.declined += held
		r.finish(task.Status{
			State: task.Refused, StartedUS: 1, Error: "no such program: x", Elements: []task.Element{{Exit: 127, Error: "no such program: x"}},
		}, 1)
		got, _ := r.current()
		if got.State != want || got.NeverBegan() != (got.Elements[0].Error != "") || got.DeclinedUS != held.Microseconds() {
			t.Errorf("held up for %v: %s", held, show(got))
		}
	}
	// What a program declines that has begun is another matter.
	r, _ := fakeRunner(t, newFakeGroups())
	r.enter()
	r.entered()
	r.meter.declined += time.Minute
	r.enter()
	r.finish(task.Status{State: task.Ended, StartedUS: 1, Elements: []task.Element{{}, {Error: "no such program: x"}}}, 1)
	if got, _ := r.current(); got.Elements[1].Error == "" {
		t.Errorf("an element that was not held up: %s", show(got))
	}
}

// A lease on one's own program holds up its start: that is time which the task declined.
func TestALeaseOnTheProgramIsDeclined(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	path := n.dir + "/prog"
	shell, err := os.ReadFile("/bin/sh")
	if err == nil {
		err = os.WriteFile(path, shell, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	until(t, "the lease", func() bool { // a child about to become another program may have the file open
		_, err = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
		return err == nil
	})
	order := n.shell(1, "exit 3")
	order.CPU, order.Spec.Argv[0] = 1, path
	n.order(order)
	var held int64
	until(t, "time to be declined", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		held = n.last[order.Spec.Key].DeclinedUS
		return held > 500_000
	})
	if _, err = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_UNLCK); err != nil {
		t.Fatal(err)
	}
	if got := n.end(t, order.Spec.Key); got.State != task.Ended || got.Exit != 3 || got.DeclinedUS < held {
		t.Errorf("%d us were declined, and it ended as %s", held, show(got))
	}
}
