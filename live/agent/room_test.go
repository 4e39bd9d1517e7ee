package agent

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// A task that asked for no memory has what its processors are of the node; all of
// them together have what the node offers, and no more processes than leave the
// machine some.
func TestDefaultsProtectTheMachine(t *testing.T) {
	groups := newFakeGroups()
	r, group := fakeRunner(t, groups)
	r.agent.hello = task.Hello{Processors: 4, MemoryMB: 4000}
	r.agent.config.AllProcesses = 3000
	r.limit(&task.Order{CPU: 1, Spec: task.Spec{Threads: 2}, More: []int{1}})
	if got := group.sets[0]; got.Memory != 2000<<20 || got.Pids != 1500 {
		t.Errorf("two of four processors have %d bytes and %d processes", got.Memory, got.Pids)
	}
	for _, c := range []struct{ each, asked, want int64 }{{0, 5 << 20, 5 << 20}, {100, 0, 100 << 20}, {-1, 0, 4000 << 20}, {-1, 7 << 20, 7 << 20}} {
		r.agent.config.JobMemoryMB = c.each
		l, err := r.agent.limitsOf(&task.Order{CPU: 1, Spec: task.Spec{Memory: c.asked}})
		if err != nil || l.Memory != c.want {
			t.Errorf("%+v: %d, %v", c, l.Memory, err)
		}
	}
	r.agent.limitAll()
	if groups.memory != 4000<<20+keptOfGroups(possibleProcessors()) || groups.pids != 3000 {
		t.Errorf("all together have %d bytes and %d processes", groups.memory, groups.pids)
	}
	r.agent.hello.MemoryMB = math.MaxInt64
	if r.agent.limitAll(); groups.memory != math.MaxInt64 {
		t.Errorf("all together have %d bytes of all that can be counted", groups.memory)
	}
	all, err := roomForProcesses()
	if err != nil || all < 100 {
		t.Errorf("room for %d processes, %v", all, err)
	}
}

// What the kernel keeps of a group grows with the processors that it counts for, and there are more groups where there
// are more of them.
func TestWhatIsKeptOfGroups(t *testing.T) {
	if of2 := keptOfGroups(2); of2 < 2<<20*9/10 || of2 > 4<<20 {
		t.Errorf("%d bytes with two processors: a hundred groups took 1.24 MB", of2)
	}
	if of2, of64 := keptOfGroups(2), keptOfGroups(64); of64 < 30*of2 || of64 > 256<<20 {
		t.Errorf("%d bytes with 64 processors", of64)
	}
	for list, want := range map[string]int{"0\n": 0, "0-3\n": 3, "0-3,8-11\n": 11, "0,2\n": 2, "": -1, "none": -1, "0-": -1, "16384": -1, "16383": 16383} {
		if got := lastOf(list); got != want {
			t.Errorf("%q: %d, want %d", list, got, want)
		}
	}
	if n := possibleProcessors(); n < 1 || n > 4096 {
		t.Errorf("%d processors", n)
	}
}

// The kernel holds all tasks together to what the node offers.
func TestTheWholeTreeIsCapped(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.config.MemoryMB, n.config.AllProcesses = 64, 40
	n.start()
	if missing := n.tree.Missing(); len(missing) > 0 {
		t.Skipf("this machine has no %v", missing)
	}
	hog := n.shell(1, `exec 2>/dev/null; head -c 100000000 /dev/zero | tail | wc -c; echo done`) // tail keeps a line of 100 MB
	hog.Spec.Memory = 1 << 30
	swarm := n.shell(2, `i=0; while [ $i -lt 60 ]; do echo $i; sleep 100 & i=$((i+1)); done`) // the shell gives up when it cannot fork
	swarm.Spec.Output, swarm.Spec.Error = "swarm", "swarm"
	n.order(hog) // alone: what others use of the node's memory would be missing to it
	got := n.end(t, hog.Spec.Key)
	if !got.OOM || got.Good() || got.Limit != task.LimitMemory || got.PeakBytes > 65<<20 {
		t.Errorf("more memory than the node has: %s", show(got))
	}
	n.order(swarm)
	if got := n.end(t, swarm.Spec.Key); got.Good() {
		t.Errorf("sixty processes: %s", show(got))
	}
	if begun := strings.Count(n.file("swarm"), "\n"); begun > 21 { // half of what all may have
		t.Errorf("%d processes of one task", begun)
	}
}

// A task without a word on memory is ended by its part of the node's, and the end
// says so in words.
func TestMemoryThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.config.JobMemoryMB = 32
	n.start()
	hog := n.shell(1, `head -c 100000000 /dev/zero | tail`)
	asked := n.shell(2, `head -c 100000000 /dev/zero | tail`)
	asked.Spec.Output, asked.Spec.Error, asked.Spec.Memory = "asked", "asked", 16<<20
	n.order(hog, asked)
	if got := n.end(t, hog.Spec.Key); got.Limit != task.LimitMemory || !strings.Contains(got.Error, "its part of the node's, 32 MB") {
		t.Errorf("ended as %s", show(got))
	}
	if got := n.end(t, asked.Spec.Key); got.Limit != task.LimitMemory || got.Error != "used more memory than it asked for, 16 MB" {
		t.Errorf("ended as %s", show(got))
	}
	n.empty()
}

// What a task writes has an end: to its output, and on the disk that it asked for,
// whether the file is still open, closed, without a name, or not where it works.
func TestWhatATaskWritesIsBounded(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.config.OutputMB = 4
	n.start()
	elsewhere := home(t, n.user)
	const big = `dd if=/dev/zero bs=1M count=12 2>/dev/null`
	cases := []struct {
		name, script string
		disk         int64 // MB
		limit        task.Limit
	}{
		{"output", `while :; do head -c 100000 /dev/zero; done`, 0, task.LimitOutput},
		{"output and quiet since", big + `; sleep 1000`, 0, task.LimitOutput},
		{"closed", big + ` >big; sleep 1000`, 4, task.LimitDisk},
		{"open", `exec 5>held; ` + big + ` >&5; sleep 1000`, 4, task.LimitDisk},
		{"without a name", `exec 5>gone; rm gone; ` + big + ` >&5; sleep 1000`, 4, task.LimitDisk},
		{"elsewhere", `exec 5>` + elsewhere + `/x; ` + big + ` >&5; sleep 1000`, 4, task.LimitDisk},
		{"many small ones", `mkdir m; i=0; while [ $i -lt 300 ]; do head -c 50000 /dev/zero >m/$i; i=$((i+1)); done; sleep 1000`, 4, task.LimitDisk},
		{"as much as it asked for", big + ` >fits; sync; exit 3`, 16, ""},
		{"over and over", `i=0; while [ $i -lt 8 ]; do ` + `dd if=/dev/zero of=again bs=1M count=3 2>/dev/null; sync again; sleep 0.4; i=$((i+1)); done; exit 3`, 8, ""},
	}
	for i, c := range cases {
		o := n.shell(int64(i+1), c.script)
		o.CPU = 0.1
		o.Spec.Output, o.Spec.Error = fmt.Sprint("out", i), fmt.Sprint("out", i)
		o.Spec.Disk = c.disk << 20
		o.Spec.Dir = home(t, n.user)
		n.order(o)
	}
	for i, c := range cases {
		got := n.end(t, task.Key{Job: int64(i + 1)})
		switch {
		case c.limit == "" && (got.Exit != 3 || got.Limit != "" || got.Error != ""):
			t.Errorf("%s: ended as %s", c.name, show(got))
		case c.limit != "" && (got.Signal != "SIGKILL" || got.Limit != c.limit || !strings.Contains(got.Error, "MB")):
			t.Errorf("%s: ended as %s", c.name, show(got))
		}
	}
	n.empty()
}

// What others write beside a task is not the task's.
func TestOthersFilesAreNotATasks(t *testing.T) {
	dir := t.TempDir()
	w := newRoom(task.Spec{Dir: dir, Output: "out"}, os.Getuid(), roomLimits{disk: 1 << 20}, time.UnixMicro(unixMicros()).Add(-time.Minute))
	if err := os.WriteFile(filepath.Join(dir, "theirs"), make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if has := w.onDisk(); has < 3<<20 {
		t.Fatalf("%d bytes are new in its directory", has)
	}
	w.written = 1000
	if b := w.check(nil, 1<<30); b != nil && w.written < 1<<40 { // no such process: the kernel did not count
		t.Errorf("it wrote 1000 bytes, and %+v", b)
	}
	w = newRoom(task.Spec{Dir: dir, Output: "out"}, os.Getuid(), roomLimits{disk: 1 << 20}, time.UnixMicro(unixMicros()).Add(-time.Minute))
	if b := w.check(nil, spawned(t)); b != nil {
		t.Errorf("it wrote nothing, and %+v", b)
	}
}

// spawned is a process that has written nothing.
func spawned(t *testing.T) int {
	t.Helper()
	tree, err := cgroup.Open("libra-agent-test/"+t.Name(), cgroup.Options{Kind: cgroup.Signals})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	group, err := tree.Make("sleeper", cgroup.Limits{CPU: -1})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := spawnSleeper(group)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = group.Kill(t.Context()) })
	return pid
}
