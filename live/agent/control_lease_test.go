package agent

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

func TestTheLeaseOfJobsThatOthersRun(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t)
	n.desired.LeaseMS = 2000
	n.start()
	busy, suspended, waits := n.batch(1, 0, 0.2), n.batch(2, 0, 0.2), n.batch(3, 0, 0.2)
	n.order(busy, suspended, waits)
	for _, order := range []task.Order{busy, suspended, waits} {
		n.state(t, order.Spec.Key, task.Starting)
	}
	n.standIn(busy.Batch, "trap : TERM; (setsid sleep 1000 &); "+spin)
	step := n.slurmJob(suspended.Batch, spin)
	n.state(t, busy.Spec.Key, task.Running)
	n.state(t, suspended.Spec.Key, task.Running)
	if err := os.WriteFile(filepath.Join(step, "freezer.state"), []byte("FROZEN"), 0); err != nil {
		t.Fatal(err)
	}
	n.goAway(true)
	for _, order := range []task.Order{busy, suspended} {
		until(t, "all processes to be killed", func() bool {
			group, ok := n.tree.Find("slurm_" + order.Batch)
			if !ok {
				return false
			}
			procs, err := group.Procs()
			return err == nil && len(procs) == 0
		})
	}
	n.goAway(false)
	for _, order := range []task.Order{busy, suspended} {
		got := n.end(t, order.Spec.Key)
		if got.State != task.Lost || got.Error != task.LeaseRanOut || got.Batch != order.Batch || got.CPUUS == 0 {
			t.Errorf("ended as %s", show(got))
		}
		n.gone(order.Batch) // the board takes back the order of what has ended
	}
	// What had not begun can still begin.
	if got := n.state(t, waits.Spec.Key, task.Starting); got.Error != "" {
		t.Errorf("what had not begun is %s", show(got))
	}
}

// A lease that ran out while there was no agent ends the jobs as soon as there
// is one, and one that was killed while it did so is not misunderstood.
func TestTheLeaseRanOutWithoutAnAgent(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t)
	n.desired.LeaseMS = 2000
	n.start()
	order := n.batch(1, 0, 0.2)
	n.order(order)
	n.state(t, order.Spec.Key, task.Starting)
	work := n.standIn(order.Batch, spin)
	n.state(t, order.Spec.Key, task.Running)
	n.stop()
	n.goAway(true)
	deadline, err := readLease(filepath.Join(n.config.StateDir, "lease"))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the lease to run out", func() bool { return sinceBoot() > deadline })
	if syscall.Kill(work.Process.Pid, 0) != nil {
		t.Error("ended without an agent")
	}
	n.start()
	until(t, "it to be killed", func() bool { return syscall.Kill(work.Process.Pid, 0) != nil })
	n.stop()
	n.goAway(false)
	n.start()
	if got := n.end(t, order.Spec.Key); got.State != task.Lost || got.Error != task.LeaseRanOut {
		t.Errorf("ended as %s", show(got))
	}
}

func TestOutputOfJobsThatOthersRun(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	file := filepath.Join(n.dir, "out-1")
	if err := errors.Join(os.WriteFile(file, []byte("hello\n"), 0o600), os.Chown(file, n.user.UID, n.user.GID)); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(n.dir, "secret")
	if err := os.WriteFile(secret, []byte("root's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n.change(func(d *task.Desired) {
		for _, name := range []string{"out-1", "secret"} {
			d.Tails = append(d.Tails, task.Tail{ID: name, User: n.user.Name, Dir: n.dir, File: name, Limit: 100})
		}
	})
	n.await(t, "both answers", func() bool { return len(n.chunks) == 2 })
	n.mu.Lock()
	defer n.mu.Unlock()
	if got := n.chunks["out-1"]; string(got.Data) != "hello\n" {
		t.Errorf("its own output: %+v", got)
	}
	if got := n.chunks["secret"]; got.Error == "" || len(got.Data) > 0 {
		t.Errorf("another's file: %+v", got)
	}
}

func TestANumberThatIsGivenOutAgain(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	first := n.batch(1, 0, 0.5)
	n.order(first)
	n.state(t, first.Spec.Key, task.Starting)
	n.standIn(first.Batch, spin)
	n.await(t, "it to have used something", func() bool { return n.last[first.Spec.Key].CPUUS > 50_000 })
	for job := int64(2); job <= 3; job++ { // the first still runs, the second has never run
		next := n.batch(job, 0, 0.4)
		next.Batch = first.Batch
		n.change(func(d *task.Desired) { d.Orders = []task.Order{next} })
		var got task.Status
		n.await(t, "the next of that number", func() bool { _, there := n.last[next.Spec.Key]; got = n.last[next.Spec.Key]; return there })
		if job == 2 {
			n.killAll(first.Batch)
			continue
		}
		if got.State != task.Starting || got.CPUUS != 0 {
			t.Errorf("the next begins as %s", show(got))
		}
	}
}

func TestAGroupThatCannotBeMade(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t)
	groups := &brokenGroups{Tree: n.tree}
	a, err := New(n.config, n.board, groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := newHolder(a.control, "7")
	if err = os.MkdirAll(a.control.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	order := n.batch(1, 0, 0.2)
	for range makeTries {
		if said := h.current(); len(said) > 0 {
			t.Errorf("says %s before the quota is set", show(said[0]))
		}
		h.limit([]task.Order{order})
	}
	said := h.current()
	if len(said) != 1 || said[0].State != task.Lost || said[0].Error == "" || said[0].Batch != "7" {
		t.Errorf("says %+v", said)
	}
	h.acknowledge([]task.Key{order.Spec.Key})
	if said = h.current(); len(said) > 0 {
		t.Errorf("says again what has been written down: %+v", said)
	}
}

type brokenGroups struct{ cgroup.Tree }

func (brokenGroups) Make(string, cgroup.Limits) (cgroup.Group, error) {
	return nil, errors.New("no room")
}

func TestStrayGroupsAndOldRecordsAreRemoved(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t)
	a, err := New(n.config, n.board, n.tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := a.control
	if err = os.MkdirAll(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	busy := n.stray("1")
	if _, err = spawnInto(n, busy); err != nil {
		t.Fatal(err)
	}
	n.stray("2")
	n.stray("3")
	c.holders["3"] = newHolder(c, "3")
	there := func(id string) bool { _, ok := n.tree.Find("slurm_" + id); return ok }
	empty := c.removeStrays(nil)
	if len(empty) > 0 || !there("2") {
		t.Error("removed before anybody has said what is wanted")
	}
	c.decided = true
	empty = c.removeStrays(empty)
	c.removeStrays(empty)
	if !there("1") || there("2") || !there("3") {
		t.Errorf("left are 1: %v, 2: %v, 3: %v; want the one with a process and the one that is held", there("1"), there("2"), there("3"))
	}
	for id, gone := range map[string]int64{"7": 0, "8": 1, "9": unixMicros()} {
		h := newHolder(c, id)
		h.held.GoneUS, h.held.Ranks = gone, tally{{Key: task.Key{Job: 1}}}
		h.save()
	}
	c.removeRecords()
	for id, want := range map[string]bool{"7": true, "8": false, "9": true} {
		if _, err := os.Stat(filepath.Join(c.dir, id+recordSuffix)); (err == nil) != want {
			t.Errorf("record %s: %v", id, err)
		}
	}
}

func (n *node) stray(id string) cgroup.Group {
	n.t.Helper()
	group, err := n.tree.Make("slurm_"+id, cgroup.Limits{CPU: -1})
	if err != nil {
		n.t.Fatal(err)
	}
	return group
}

func spawnInto(n *node, group cgroup.Group) (int, error) {
	pid := n.process("sleep 1000").Process.Pid
	return pid, group.Adopt(pid)
}
