package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

func TestTheControllerGoesAwayAndComesBack(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.goAway(true) // before the agent has ever reached it
	n.order(n.shell(1, "exit 1"))
	n.start()
	time.Sleep(200 * time.Millisecond)
	n.goAway(false)
	n.end(t, task.Key{Job: 1})

	long := n.shell(2, "until [ -e go ]; do sleep 0.02; done; exit 2")
	frozen := n.shell(3, "sleep 1000")
	n.order(long, frozen)
	n.state(t, long.Spec.Key, task.Running)
	n.state(t, frozen.Spec.Key, task.Running)
	n.reorder(frozen.Spec.Key, func(o *task.Order) { o.CPU = 0 })
	n.state(t, frozen.Spec.Key, task.Frozen)
	n.goAway(true)
	if err := os.WriteFile(filepath.Join(n.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "the task to end", func() bool { return !n.folder(long.Spec.Key).alive() })

	// What was wanted last is still kept up.
	err := withGroup(n.config.Tree, n.tree.Kind(), frozen.Spec.Key.String(), func(group cgroup.Group) error {
		err := group.Thaw()
		until(t, "it to be frozen again", group.Frozen)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	hellos := len(n.hellos)
	n.goAway(false)
	if got := n.end(t, long.Spec.Key); got.Exit != 2 {
		t.Errorf("ended as %s", show(got))
	}
	n.await(t, "the agent to register again", func() bool { return len(n.hellos) > hellos })
	n.reorder(frozen.Spec.Key, func(o *task.Order) { o.Stop = task.Kill })
	n.end(t, frozen.Spec.Key)
}

func TestEndsAreReportedUntilTheyAreWrittenDown(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.keep = true
	n.start()
	n.order(n.shell(1, "echo run; exit 1"))
	key := task.Key{Job: 1}
	n.end(t, key)
	n.await(t, "more reports of the same end", func() bool { return len(n.ends[key]) > 3 })
	if _, err := os.Stat(string(n.folder(key))); err != nil {
		t.Errorf("the end was forgotten: %v", err)
	}
	n.mu.Lock()
	n.keep = false
	n.mu.Unlock()
	until(t, "the folder to go", func() bool { _, err := os.Stat(string(n.folder(key))); return os.IsNotExist(err) })
	if text := n.file("out"); text != "run\n" {
		t.Errorf("wrote %q", text)
	}
}

// A controller may write the end down and, in the same moment, say once more
// what it wanted before.
func TestAnOldOrderDoesNotStartATaskAgain(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	late := &lateBoard{board: n.board}
	a, err := New(n.config, late, n.tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- a.Run(ctx) }()
	n.stop = func() { cancel(); <-done }
	n.order(n.shell(1, "echo run >>runs"))
	n.end(t, task.Key{Job: 1})
	seen := n.reportsUntilNow()
	n.await(t, "more reports", func() bool { return n.reports > seen+3 })
	if text := n.file("runs"); text != "run\n" {
		t.Errorf("it ran %d times", strings.Count(text, "run"))
	}
	if _, err = os.Stat(string(n.folder(task.Key{Job: 1}))); err != nil {
		t.Errorf("forgotten while it is wanted: %v", err)
	}
	n.stop()
	n.stop = func() {}
}

// lateBoard goes on wanting what has ended.
type lateBoard struct{ *board }

func (b *lateBoard) Desired(ctx context.Context, node string, after int64) (task.Desired, error) {
	desired, err := b.board.Desired(ctx, node, after)
	if len(desired.Orders) == 0 && len(b.ends) > 0 {
		desired.Orders = []task.Order{{Spec: task.Spec{Key: task.Key{Job: 1}, User: "libra-alice", Dir: "/", Argv: []string{"true"}}, CPU: 0.1}}
	}
	return desired, err
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	if err := os.MkdirAll(n.config.StateDir, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", n.config.StateDir, "tmpfs", 0, "size=128k,mode=711"); err != nil {
		require(t, "cgroup", false)
	}
	t.Cleanup(func() { _ = unix.Unmount(n.config.StateDir, unix.MNT_DETACH) })
	n.start()
	running := n.shell(1, "until [ -e go ]; do sleep 0.02; done; exit 9")
	n.order(running)
	n.state(t, running.Spec.Key, task.Running)

	// The rest of the disk is taken.
	fill, err := os.Create(filepath.Join(n.config.StateDir, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = fill.Write(make([]byte, 1024))
	}
	_ = fill.Close()
	refused := n.shell(2, "echo never >never")
	refused.Spec.Script, refused.Spec.Argv = []byte("echo never >never\n"+strings.Repeat("#\n", 4096)), nil
	n.order(refused)
	if got := n.end(t, refused.Spec.Key); got.State != task.Refused || !strings.Contains(got.Error, "no space left") {
		t.Errorf("ended as %s, want it refused for the disk", show(got))
	}
	if n.has("never", "") {
		t.Error("it ran")
	}
	entries, err := os.ReadDir(filepath.Join(n.config.StateDir, "tasks"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v", entries, err)
	}
	// What runs can still be written down when it ends.
	if err = os.WriteFile(filepath.Join(n.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := n.end(t, running.Spec.Key); got.State != task.Ended || got.Exit != 9 {
		t.Errorf("ended as %s, want exit code 9", show(got))
	}
	n.stop()
}
