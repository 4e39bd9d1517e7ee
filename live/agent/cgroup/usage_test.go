package cgroup

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

const mebi = 1 << 20

func testMemory(t *testing.T, w world) {
	tree := openTree(t, w)
	limits := Limits{CPU: -1, Memory: 64 * mebi}
	g, err := tree.Make("job", limits)
	if missing(tree, "memory") {
		if !errors.Is(err, ErrMissing) {
			t.Errorf("a limit that cannot be kept: %v, want %v", err, ErrMissing)
		}
		return
	}
	must(t, err)
	p := start(t, g, "gulp", 200)
	p.end()
	if s, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v, want SIGKILL", p.ProcessState)
	}
	u := usage(t, g)
	t.Logf("peak %.1f MiB, %d killed", float64(u.PeakMemory)/mebi, u.OOMKills)
	if u.OOMKills < 1 {
		t.Error("nobody says that memory ran out")
	}
	if u.PeakMemory > limits.Memory+mebi || u.PeakMemory < limits.Memory*9/10 {
		t.Errorf("peak %d, want about %d", u.PeakMemory, limits.Memory)
	}
	// More is enough, and the count is not forgotten.
	limits.Memory = 900 * mebi
	must(t, g.Set(limits))
	start(t, g, "hold", 100)
	if u := usage(t, g); u.Memory < 100*mebi || u.OOMKills < 1 || u.Procs != 1 {
		t.Errorf("after more: %+v", u)
	}
}

func testPeak(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: -1})
	must(t, err)
	start(t, g, "hold", 100)
	waitFor(t, "a look at the memory", func() bool { return usage(t, g).Memory >= 100*mebi })
	// The race detector takes three times as much again.
	if u := usage(t, g); u.PeakMemory < u.Memory || u.PeakMemory > 600*mebi {
		t.Errorf("holding 100 MiB: memory %d, peak %d", u.Memory, u.PeakMemory)
	}
	killAll(t, g)
	waitFor(t, "the memory to be returned", func() bool { return usage(t, g).Memory < 50*mebi })
	if u := usage(t, g); u.PeakMemory < 100*mebi {
		t.Errorf("after the end: %+v", u)
	}
}

// testUsageAfterEnd: at half a processor a second of work takes two, whoever is in the way; that it
// was throttled is seen where others are not, which keep it back as well.
func testUsageAfterEnd(t *testing.T, w world) {
	tree := openTree(t, w)
	favour(t, tree)
	most := time.Duration(0)
	for n := range 10 {
		g, err := tree.Make(fmt.Sprintf("job%d", n), Limits{CPU: 0.5})
		must(t, err)
		begun := time.Now()
		start(t, g, "work", 1000).end()
		took, u := time.Since(begun), usage(t, g)
		t.Logf("worked for 1 s in %v: %v, throttled for %v, waited %v", took, u.CPU, u.Throttled, u.Waited)
		if u.CPU < 950*time.Millisecond || u.CPU > 1300*time.Millisecond {
			t.Errorf("used %v, want 1 s and a little", u.CPU)
		}
		if took < 1500*time.Millisecond {
			t.Errorf("a second of work took %v at a share of .5", took)
		}
		if u.Procs != 0 {
			t.Errorf("%d processes after the end", u.Procs)
		}
		if again := usage(t, g); again.CPU != u.CPU {
			t.Errorf("used %v, then %v", u.CPU, again.CPU)
		}
		if most = max(most, u.Throttled); most >= 500*time.Millisecond {
			return
		}
	}
	if testing.Short() { // beside others who never let go
		t.Logf("throttled for %v at most: not measured", most)
		return
	}
	t.Errorf("throttled for %v at most, at a share of .5", most)
}

// testUsageOfChildren: short-lived ones count too.
func testUsageOfChildren(t *testing.T, w world) {
	tree := openTree(t, w)
	g, err := tree.Make("job", Limits{CPU: -1})
	must(t, err)
	p := start(t, g, "forks", 1000)
	p.end()
	u := usage(t, g)
	// What to start 20 programs takes is told by the kernel too.
	all := p.ProcessState.UserTime() + p.ProcessState.SystemTime()
	t.Logf("20 children worked for 1 s: %v of %v", u.CPU, all)
	least := 950 * time.Millisecond
	if w.kind == Signals {
		least = 750 * time.Millisecond // the last look may be some time before the end
	}
	if u.CPU < least || u.CPU > all+all/20 {
		t.Errorf("used %v, want 1 s and a little", u.CPU)
	}
}

// startDetached starts a process that is on its way into a group that will not
// let it get there, and does not wait for it to say so.
func startDetached(t *testing.T, g Group) (pid int) {
	t.Helper()
	in, out, err := os.Pipe()
	must(t, err)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVar+"=busy", numberVar+"=1")
	cmd.ExtraFiles = []*os.File{in}
	must(t, cmd.Start())
	in.Close()
	must(t, json.NewEncoder(out).Encode(g.Enter()))
	out.Close()
	go func() { _ = cmd.Wait() }()
	return cmd.Process.Pid
}
