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
