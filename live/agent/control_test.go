package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/libra-market/libra/core/task"
)

func TestSharesOfJobsThatOthersRun(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for 10 s")
	}
	alone(t)
	n := newStoodInNode(t).start()
	one, two := n.batch(1, 0, 0.3), n.batch(2, 0, 0.5)
	n.order(one, two)
	for _, order := range []task.Order{one, two} {
		// Who reads Starting lets the job go: the quota has to be there.
		got := n.state(t, order.Spec.Key, task.Starting)
		if got.Batch != order.Batch || n.quota(order.Batch) != order.CPU {
			t.Errorf("%s with a quota of %v", show(got), n.quota(order.Batch))
		}
		n.standIn(order.Batch, spin)
		if got = n.state(t, order.Spec.Key, task.Running); got.StartedUS == 0 || got.Batch != order.Batch {
			t.Errorf("runs as %s", show(got))
		}
	}
	n.hold("shares", map[string]float64{one.Batch: 0.3, two.Batch: 0.5})
	n.change(func(d *task.Desired) {
		d.Orders = slices.Clone(d.Orders)
		d.Orders[0].CPU, d.Orders[1].CPU = 0.5, 0.2
	})
	until(t, "the new shares", func() bool { return n.quota(one.Batch) == 0.5 && n.quota(two.Batch) == 0.2 })
	n.hold("shared anew", map[string]float64{one.Batch: 0.5, two.Batch: 0.2})
	if hello := n.hellos[0]; hello.Runs != ControlSlurm || hello.Processors != len(n.config.CPUs) {
		t.Errorf("introduced itself as %+v", hello)
	}
}

func TestWhatAJobHasUsedIsKnownAfterItsEnd(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	order := n.batch(1, 0, 0.9)
	key := order.Spec.Key
	n.order(order)
	n.state(t, key, task.Starting)
	work := n.standIn(order.Batch, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
	until(t, "it to end", func() bool { return syscall.Kill(work.Process.Pid, 0) != nil })
	var got task.Status
	n.await(t, "its end to be seen", func() bool { got = n.last[key]; return got.EndedUS > 0 })
	if used := n.spent(order.Batch).Microseconds(); got.State != task.Running || got.CPUUS != used || used == 0 {
		t.Errorf("reported as %s, the kernel says %d us", show(got), used)
	}
	declined := got.DeclinedUS

	// The order is there for a while: nothing changes, nobody waits for it.
	count := n.reportsUntilNow()
	n.await(t, "more reports", func() bool { return n.reports > count+7 })
	n.mu.Lock()
	if now := n.last[key]; now.CPUUS != got.CPUUS || now.DeclinedUS != declined || now.State != task.Running {
		t.Errorf("reported as %s after its end, before as %s", show(now), show(got))
	}
	n.mu.Unlock()
	n.withdraw()
	n.gone(order.Batch)
	n.mu.Lock()
	if len(n.ends[key]) > 0 {
		t.Errorf("the agent says how it ended: %s", show(n.ends[key][0]))
	}
	delete(n.last, key)
	n.mu.Unlock()

	// Whoever asks again hears the same.
	n.order(order)
	n.await(t, "it to be known again", func() bool { _, known := n.last[key]; return known })
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := n.last[key]; now.CPUUS != got.CPUUS || now.StartedUS != got.StartedUS {
		t.Errorf("reported as %s, before as %s", show(now), show(got))
	}
}

func TestTheGroupStaysWhileAnythingRuns(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	order := n.batch(1, 0, 0.2)
	n.order(order)
	n.state(t, order.Spec.Key, task.Starting)
	n.standIn(order.Batch, spin)
	n.state(t, order.Spec.Key, task.Running)
	n.withdraw()
	count := n.reportsUntilNow()
	n.await(t, "some reports", func() bool { return n.reports > count+5 })
	if got := n.quota(order.Batch); got != 0.2 {
		t.Errorf("the quota is %v now that nobody wants it", got)
	}
	n.killAll(order.Batch)
	n.gone(order.Batch)
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ends) > 0 {
		t.Errorf("the agent says how it ended: %v", n.ends)
	}
}

// What goes on of a job that nobody wants, and that Slurm does not look after, is ended; what is wanted
// goes on.
func TestWhatIsLeftIsEndedOnceNobodyWantsIt(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	order, wanted := n.batch(1, 0, 0.2), n.batch(2, 0, 0.2)
	n.order(order, wanted)
	asUser := "exec setpriv --reuid=1000 --regid=1000 --clear-groups sh -c '" + spin + "'"
	for _, o := range []task.Order{order, wanted} {
		n.state(t, o.Spec.Key, task.Starting)
		n.slurmJob(o.Batch, asUser)
		n.state(t, o.Spec.Key, task.Running)
	}
	until(t, "its user's program to run", func() bool {
		group, _ := n.tree.Find("slurm_" + order.Batch)
		procs, err := group.Procs()
		if err != nil || len(procs) != 1 {
			return false
		}
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(procs[0]), "status"))
		return err == nil && strings.Contains(string(text), "Uid:\t1000\t")
	})
	n.change(func(d *task.Desired) { d.Orders = []task.Order{wanted} })
	n.gone(order.Batch)
	group, ok := n.tree.Find("slurm_" + wanted.Batch)
	if !ok {
		t.Fatal("the group of the other has gone")
	}
	if procs, err := group.Procs(); err != nil || len(procs) != 1 {
		t.Errorf("of the other run %v, %v", procs, err)
	}
}

func TestTasksOfOneJobAreOneGroup(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	first, second := n.batch(1, 0, 0.2), n.batch(1, 1, 0.6)
	n.order(first, second)
	n.state(t, first.Spec.Key, task.Starting)
	n.state(t, second.Spec.Key, task.Starting)
	if got := n.quota(first.Batch); got != 0.8 {
		t.Errorf("a quota of %v", got)
	}
	n.standIn(first.Batch, spin)
	n.await(t, "it to have used something", func() bool { return n.last[first.Spec.Key].CPUUS > 100_000 })
	n.killAll(first.Batch)
	n.await(t, "its end to be seen", func() bool { return n.last[first.Spec.Key].EndedUS > 0 })
	used := n.spent(first.Batch)
	n.mu.Lock()
	defer n.mu.Unlock()
	one, other := n.last[first.Spec.Key].CPUUS, n.last[second.Spec.Key].CPUUS
	if sum := used.Microseconds() - one - other; sum < 0 || sum > 2 || other/one < 2 || other/one > 3 {
		t.Errorf("%d and %d of %d us", one, other, used.Microseconds())
	}
}

func TestAShareOfNothingIsTheLeastThereIs(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	order := n.batch(1, 0, 0.5)
	n.order(order)
	n.state(t, order.Spec.Key, task.Starting)
	n.standIn(order.Batch, spin)
	n.state(t, order.Spec.Key, task.Running)
	n.reorder(order.Spec.Key, func(o *task.Order) { o.CPU = 0 })
	until(t, "the least quota", func() bool { return n.quota(order.Batch) == 0.01 })
	before := n.spent(order.Batch)
	until(t, "it to go on a little", func() bool { return n.spent(order.Batch) > before })
	if got := n.state(t, order.Spec.Key, task.Running); got.State.Final() {
		t.Error(show(got))
	}
}

func TestPlugInOrNotAJobIsHeld(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t)
	order, late := n.batch(1, 0, 0.2), n.batch(2, 0, 0.3)
	n.order(order, late)
	n.slurmJob(order.Batch, "(setsid sh -c '"+spin+"' &)\n"+spin) // before there is an agent
	n.start()
	n.state(t, late.Spec.Key, task.Starting)
	n.state(t, order.Spec.Key, task.Running)
	until(t, "both of its processes to be held", func() bool {
		group, ok := n.tree.Find("slurm_" + order.Batch)
		if !ok {
			return false
		}
		procs, err := group.Procs()
		return err == nil && len(procs) == 2
	})
	step := n.slurmJob(late.Batch, spin)
	n.state(t, late.Spec.Key, task.Running)
	// Another step of a job whose first one is held already.
	other := filepath.Join(filepath.Dir(step), "step_0")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	second := n.process("echo $$ >" + other + "/cgroup.procs\n" + spin)
	until(t, "the second step to be held", func() bool {
		group, _ := n.tree.Find("slurm_" + late.Batch)
		procs, err := group.Procs()
		return err == nil && slices.Contains(procs, second.Process.Pid)
	})
	_ = syscall.Kill(second.Process.Pid, syscall.SIGKILL)
	until(t, "the second step to go", func() bool { return syscall.Rmdir(other) == nil })
}

func TestANodeThatIsAPartOfItsHost(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t)
	n.config.Capacity, n.config.Processors, n.config.Headroom = 0.6, 1, -1
	n.start()
	order := n.batch(1, 0, 0.9)
	n.order(order)
	n.state(t, order.Spec.Key, task.Starting)
	if got := n.quota(order.Batch); got != 0.6 {
		t.Errorf("a job has %v of a node of .6", got)
	}
	n.mu.Lock()
	if hello := n.hellos[0]; hello.Processors != 1 || hello.Rating != 0.6 || hello.Speed != 1 {
		t.Errorf("offers %+v", hello)
	}
	n.mu.Unlock()
	n.stop()
	n.config.Capacity = 0.25 // less than the job has
	n.start()
	until(t, "the job to be lowered with its node", func() bool { return n.quota(order.Batch) == 0.25 })
	n.stop()
	n.config.Capacity = 0
	n.start()
	until(t, "the job to have its share", func() bool { return n.quota(order.Batch) == 0.9 })
}

// What the batch system has lost sight of is ended by the agent, and its end is said.
func TestWhatTheBatchSystemLostIsEnded(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	order := n.batch(1, 0, 0.5)
	n.order(order)
	n.state(t, order.Spec.Key, task.Starting)
	work := n.standIn(order.Batch, "sleep 1000")
	n.state(t, order.Spec.Key, task.Running)
	n.change(func(d *task.Desired) {
		d.Orders = slices.Clone(d.Orders)
		d.Orders[0].Stop = task.Abandon
	})
	until(t, "it to end", func() bool { return syscall.Kill(work.Process.Pid, 0) != nil })
	n.await(t, "its end to be said", func() bool { return n.last[order.Spec.Key].EndedUS > 0 })
}
