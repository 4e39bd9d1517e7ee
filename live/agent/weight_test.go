package agent

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
	"github.com/libra-market/libra/live/agent/cgroup/cgrouptest"
)

// Who keeps the machine busy without asking the market, from four sessions of their
// own, does not keep from a task what was promised to it. What else runs here, or is
// taken from this machine, is missing to those others first: so it is the proportion
// that is looked at, which without a weight is one to four.
func TestThoseOutsideTheMarketComeAfterTasks(t *testing.T) {
	n := newNode(t)
	n.config.CPUs, n.config.Weight = n.config.CPUs[:1], 0
	var err error
	if n.config, err = n.config.Default(); err != nil {
		t.Fatal(err)
	}
	n.start()
	if missing := n.tree.Missing(); strings.Contains(fmt.Sprint(missing), "weight") {
		t.Skipf("this machine has no %v", missing)
	}
	busy := n.shell(1, `while :; do :; done`)
	busy.CPU = 0.8
	n.order(busy)
	var outside []int
	for range 4 {
		outside = append(outside, outsider(t, n.config.CPUs[0]))
	}
	until(t, "the task to run", func() bool {
		group, ok := n.tree.Find(busy.Spec.Key.String())
		if !ok {
			return false
		}
		usage, bad := group.Usage()
		return bad == nil && usage.CPU > 200*time.Millisecond
	})
	best := 0.0
	for range 10 { // the kernel weighs by the load it has seen lately
		var at, inside, others []float64
		began := awake()
		for range 20 {
			time.Sleep(50 * time.Millisecond)
			sum := 0.0
			for _, pid := range outside {
				sum += processorTime(t, pid)
			}
			at = append(at, (awake() - began).Seconds())
			inside, others = append(inside, n.used(busy.Spec.Key).Seconds()), append(others, sum)
		}
		task, rest := cgrouptest.Slope(at, inside), cgrouptest.Slope(at, others)
		t.Logf("the task has %.3f of the processor, those outside %.3f", task, rest)
		if best = max(best, task/max(rest, 0.01)); best > 2 {
			return
		}
	}
	t.Errorf("at best the task had %.2f times what those outside had, want twice as much at least", best)
}

func TestWeightOfSeveralProcessors(t *testing.T) {
	for _, c := range []struct {
		weight, share float64
		processors    int
		want          float64
	}{{0.5, 0.5, 1, 0.5}, {1.5, 1.5, 2, 0.5}, {2, 2, 2, 1}, {1, 1, 2, leastShare}, {0, 1.5, 2, 0}, {3.75, 3.75, 4, 0.75}} {
		if got := weightOf(c.weight, c.share, c.processors); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A task of two processors that keeps all its threads on one of them takes nothing from
// who was promised half of that: with the sum of what it was granted as its weight, it
// had twice as much there.
func TestACrowdTakesNothingFromItsNeighbours(t *testing.T) {
	n := newNode(t)
	n.config.Weight = 0
	var err error
	if n.config, err = n.config.Default(); err != nil {
		t.Fatal(err)
	}
	if len(n.config.CPUs) < 2 {
		t.Skip("one processor only")
	}
	n.start()
	if missing := n.tree.Missing(); len(missing) > 0 {
		t.Skipf("this machine has no %v", missing)
	}
	on := len(n.config.CPUs) - 1
	half := dispatch.Slot{Processor: on, Speed: 0.5}
	honest := n.shell(1, `while :; do :; done`)
	crowd := n.shell(2, `for i in 1 2 3 4 5 6 7; do while :; do :; done & done; wait`)
	crowd.Spec.Threads = 2
	one := dispatch.Wanted(&honest.Spec, task.GoOn, 1, half)
	two := dispatch.Wanted(&crowd.Spec, task.GoOn, 1, half, dispatch.Slot{Processor: on - 1, Speed: 0.5})
	honest, crowd = one.Order(), two.Order()
	n.order(honest, crowd)
	group := func(o task.Order) cgroup.Group {
		var g cgroup.Group
		until(t, "the task to run", func() (ok bool) {
			if g, ok = n.tree.Find(o.Spec.Key.String()); !ok {
				return false
			}
			usage, bad := g.Usage()
			return bad == nil && usage.CPU > 200*time.Millisecond
		})
		return g
	}
	group(honest)
	procs, err := group(crowd).Procs()
	if err != nil {
		t.Fatal(err)
	}
	var set unix.CPUSet
	set.Set(n.config.CPUs[on])
	for _, pid := range procs {
		_ = unix.SchedSetaffinity(pid, &set) // one may have ended
	}
	best := 0.0
	for range 10 { // the kernel weighs by the load it has seen lately
		var at, one, other []float64
		began := awake()
		for range 20 {
			time.Sleep(50 * time.Millisecond)
			at = append(at, (awake() - began).Seconds())
			one, other = append(one, n.used(honest.Spec.Key).Seconds()), append(other, n.used(crowd.Spec.Key).Seconds())
		}
		a, b := cgrouptest.Slope(at, one), cgrouptest.Slope(at, other)
		t.Logf("who is alone has %.3f of the processor, the crowd %.3f", a, b)
		if best = max(best, a/max(b, 0.01)); best > 0.8 {
			return
		}
	}
	t.Errorf("at best the neighbour had %.2f times what the crowd had, want as much", best)
}

// outsider is a process that no group holds, in a session of its own, on one processor.
func outsider(t *testing.T, cpu int) int {
	t.Helper()
	command := exec.Command("sh", "-c", `while :; do :; done`)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(command.Process.Pid, &set); err != nil {
		t.Fatal(err)
	}
	return command.Process.Pid
}

// processorTime is what a process with one thread has had, in seconds.
func processorTime(t *testing.T, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		t.Skip("this kernel does not say what a process had")
	}
	var ns float64
	if _, err = fmt.Sscan(string(text), &ns); err != nil {
		t.Fatal(err)
	}
	return ns / 1e9
}
