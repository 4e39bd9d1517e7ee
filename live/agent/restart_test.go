package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

func TestATaskOutlivesItsAgent(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	long, short := n.shell(1, slow), n.shell(2, "until [ -e go ]; do sleep 0.02; done; exit 6")
	short.Spec.Output, short.Spec.Error = "", ""
	n.order(long, short)
	n.state(t, long.Spec.Key, task.Running)
	n.state(t, short.Spec.Key, task.Running)
	n.stop()

	if err := os.WriteFile(n.dir+"/go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "the short task to end", func() bool { return !n.folder(short.Spec.Key).alive() })
	n.reorder(long.Spec.Key, func(o *task.Order) { o.CPU = 0.25 })
	n.start()
	if got := n.end(t, short.Spec.Key); got.State != task.Ended || got.Exit != 6 {
		t.Errorf("the short task ended as %s", show(got))
	}
	if got := n.state(t, long.Spec.Key, task.Running); got.StartedUS == 0 {
		t.Errorf("the long task is reported as %s", show(got))
	}
	n.reorder(long.Spec.Key, func(o *task.Order) { o.Stop = task.Terminate })
	if got := n.end(t, long.Spec.Key); got.Exit != 5 {
		t.Errorf("the long task ended as %s", show(got))
	}
	if text := n.file("out"); text != "begun\nending\n" {
		t.Errorf("the long task wrote %q", text)
	}
	n.empty()
}

func TestWhatDiedWhileNobodyLookedIsLost(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	n.order(n.shell(1, "(setsid sleep 1000 &); sleep 1000"))
	key := task.Key{Job: 1}
	n.state(t, key, task.Running)
	n.stop()
	n.killShepherd(key)
	until(t, "the shepherd to end", func() bool { return !n.folder(key).alive() })
	n.start()
	if got := n.end(t, key); got.State != task.Lost {
		t.Errorf("ended as %s", show(got))
	}
	n.empty()
}

func TestAfterABootEverythingIsLost(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	n.order(n.shell(1, "exit 3"))
	n.keep = true
	key := task.Key{Job: 1}
	n.end(t, key)
	n.stop()
	ended := n.folder(key)

	// Two more that were claimed under another boot: one had started.
	other := record{Boot: "another", Account: n.user}
	for job := int64(2); job <= 3; job++ {
		other.Spec = n.shell(job, "true").Spec
		f, err := claim(n.config.StateDir+"/tasks", other)
		if err != nil {
			t.Fatal(err)
		}
		if job == 2 {
			err = writeDurably(f.started(), []byte(`{"started_us":5}`))
		}
		if err != nil {
			t.Fatal(err)
		}
		n.order(n.shell(job, "echo again"))
	}
	n.mu.Lock()
	n.keep = false
	clear(n.ends)
	n.mu.Unlock()
	n.start()
	if got := n.end(t, key); got.State != task.Ended || got.Exit != 3 {
		t.Errorf("what was written down in %s ended as %s", ended, show(got))
	}
	for job := int64(2); job <= 3; job++ {
		if got := n.end(t, task.Key{Job: job}); got.State != task.Lost {
			t.Errorf("task %d of another boot ended as %s", job, show(got))
		}
	}
	if n.has("out", "again") {
		t.Error("a task was started again")
	}
}

func TestWhatWasClaimedAndNeverStartedIsStarted(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	boot, err := bootID()
	if err != nil {
		t.Fatal(err)
	}
	if err = os.MkdirAll(n.config.StateDir+"/tasks", 0o711); err != nil {
		t.Fatal(err)
	}
	wanted, unwanted := n.shell(1, "echo ran"), n.shell(2, "echo ran")
	for _, order := range []task.Order{wanted, unwanted} {
		if _, err = claim(n.config.StateDir+"/tasks", record{Spec: order.Spec, Boot: boot, Account: n.user}); err != nil {
			t.Fatal(err)
		}
	}
	n.order(wanted)
	n.start()
	if got := n.end(t, wanted.Spec.Key); !got.Good() {
		t.Errorf("ended as %s", show(got))
	}
	until(t, "folders to go", func() bool {
		_, err := os.Stat(string(n.folder(unwanted.Spec.Key)))
		_, err2 := os.Stat(string(n.folder(wanted.Spec.Key)))
		return os.IsNotExist(err) && os.IsNotExist(err2)
	})
	if text := n.file("out"); text != "ran\n" {
		t.Errorf("wrote %q", text)
	}
}

func TestGroupsOfNoTaskAreCleared(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	group, err := n.tree.Make("99.0.0", cgroup.Limits{CPU: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := spawnSleeper(group)
	if err != nil {
		t.Fatal(err)
	}
	n.start()
	until(t, "the group to go", func() bool { return !n.listed("99.0.0") })
	if _, _, dead := reap(pid); !dead {
		t.Error("its process lives")
	}
}

func TestOneAgentForAStateDirectory(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	n.await(t, "it to register", func() bool { return len(n.hellos) > 0 })
	second, err := New(n.config, n.board, n.tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = second.Run(context.Background()); !errors.Is(err, ErrBusy) {
		t.Errorf("a second agent ended with %v", err)
	}
}

// Every task is run once and its end reported once, however often the agent is
// killed meanwhile.
func TestAgentKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	const tasks, seconds = 40, 5
	n := newNode(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	process := n.startProcess()
	var orders []task.Order
	for job := range int64(tasks) {
		order := n.shell(job, fmt.Sprintf("echo run >>runs-%d; sleep %.2f; exit %d", job, random.Float64(), job%3))
		order.Spec.Output, order.Spec.Error = "", ""
		order.Processor, order.CPU = int(job)%len(n.config.CPUs), 0.2
		if job%10 == 0 {
			order.Spec.Elements = []int{1, 2, 3}
		}
		orders = append(orders, order)
	}
	kills := 0
	for begin := sinceBoot(); sinceBoot()-begin < seconds*time.Second; kills++ {
		if len(orders) > 0 {
			some := min(4, len(orders))
			n.order(orders[:some]...)
			orders = orders[some:]
		}
		time.Sleep(time.Duration(30+random.IntN(300)) * time.Millisecond)
		if err := process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = process.Wait()
		process = n.startProcess()
	}
	n.order(orders...)
	for job := range int64(tasks) {
		key := task.Key{Job: job}
		got := n.end(t, key)
		if got.State != task.Ended || got.Exit != int(job%3) {
			t.Errorf("task %d ended as %s, want exit code %d", job, show(got), job%3)
		}
		runs := strings.Count(n.file(fmt.Sprintf("runs-%d", job)), "run")
		if want := max(1, len(got.Elements)); runs != want {
			t.Errorf("task %d ran %d times, want %d", job, runs, want)
		}
	}
	n.mu.Lock()
	for key, ends := range n.ends {
		if len(ends) != 1 {
			t.Errorf("%s has ended %d times", key, len(ends))
		}
	}
	n.mu.Unlock()
	until(t, "everything to be forgotten", func() bool {
		found, err := folders(n.config.StateDir + "/tasks")
		return err == nil && len(found) == 0
	})
	n.empty()
	t.Logf("%d kills", kills)
}

func TestJudge(t *testing.T) {
	for bits := range 16 {
		m := remains{ended: bits&1 > 0, sameBoot: bits&2 > 0, alive: bits&4 > 0, started: bits&8 > 0}
		where, lost := m.classify()
		switch {
		case where == claimed && (m.ended || m.started || m.alive || !m.sameBoot):
			t.Errorf("%+v would be started again", m)
		case m.ended && (where != over || lost):
			t.Errorf("%+v: what was written down does not count", m)
		case lost && m.alive && m.sameBoot:
			t.Errorf("%+v: given up while it lives", m)
		case !m.ended && m.sameBoot && m.alive && where != tended:
			t.Errorf("%+v: not tended", m)
		}
	}
}

func TestRecordSurvives(t *testing.T) {
	spec := task.Spec{Key: task.Key{Job: 1, Rank: 2, Attempt: 3}, Argv: []string{"a"}, Script: []byte("secret")}
	f, err := claim(t.TempDir(), record{Spec: spec, Boot: "b", Account: account{UID: os.Getuid(), GID: os.Getgid()}})
	if err != nil {
		t.Fatal(err)
	}
	var rec record
	if err = readJSON(f.record(), &rec); err != nil || rec.Spec.Key != spec.Key || rec.Boot != "b" || rec.Spec.Script != nil {
		content, _ := json.Marshal(rec)
		t.Errorf("read %s, %v", content, err)
	}
	if _, err = claim(string(f)+"/..", record{Spec: spec}); !errors.Is(err, errClaimed) {
		t.Errorf("claimed twice: %v", err)
	}
	if err = f.discard(); err != nil {
		t.Error(err)
	}
}

// What the last agent was about to start when it was killed has its lock for a
// moment longer.
func TestALockOutlivesItsAgent(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	if err := os.MkdirAll(n.config.StateDir, 0o711); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(n.config.StateDir, "agent.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err = unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = file.Close() })
	n.start()
	order := n.shell(1, "true")
	n.order(order)
	if got := n.end(t, order.Spec.Key); !got.Good() {
		t.Errorf("ended as %s", show(got))
	}
}
