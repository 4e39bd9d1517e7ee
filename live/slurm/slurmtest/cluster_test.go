package slurmtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A cluster runs jobs, survives its parts being killed, and leaves nothing behind.
func TestCluster(t *testing.T) {
	Require(t)
	ctx := t.Context()
	c, err := Up(ctx, Options{Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run := func(argv ...string) string {
		t.Helper()
		out, err := c.Run(ctx, argv[0], argv[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	alice := User(t, Alice)
	out := filepath.Join(c.Dir, "spool", "out")
	if err := os.WriteFile(out, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(out, 0o666); err != nil {
		t.Fatal(err)
	}
	run("sbatch", "--uid="+alice, "-w", c.Nodes[1], "-o", out, "--wrap", "id -un; echo $SLURMD_NODENAME; sleep 1000")
	want := alice + "\n" + c.Nodes[1] + "\n"
	if err = until(ctx, patience, func() error { return says(out, want) }); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"slurmctld", "slurmrestd", "slurmd " + c.Nodes[0]} {
		if err = c.Kill(name); err != nil {
			t.Fatal(err)
		}
		if pid := c.Pid(name); pid != 0 {
			t.Errorf("%s was killed and is process %d", name, pid)
		}
		if err = c.Restart(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if err = c.WaitNodes(ctx); err != nil {
		t.Fatal(err, c.Logs(12))
	}
	// A slurmctld that was killed may have forgotten that the job had started, and
	// that is Slurm's affair; the job itself was there seconds ago.
	if states := run("squeue", "-h", "-t", "all", "-o", "%u"); states != alice {
		t.Errorf("after all that the jobs are those of %q", states)
	}
	if err = c.Kill("slurmd"); err == nil {
		t.Error("a slurmd without a node was killed")
	}

	if err = c.Close(); err != nil {
		t.Error(err)
	}
	if left := groups(c.prefix()); len(left) > 0 {
		t.Errorf("groups are left: %v", left)
	}
	if pids := marked(c.Dir); len(pids) > 0 {
		t.Errorf("processes are left: %v", pids)
	}
	if _, err = os.Stat(c.Dir); err == nil {
		t.Errorf("%s is left", c.Dir)
	}
}

func says(file, want string) error {
	got, err := os.ReadFile(file)
	if err == nil && string(got) != want {
		return &wrongText{string(got)}
	}
	return err
}

type wrongText struct{ text string }

func (w *wrongText) Error() string { return "it says " + w.text }

// A node that is cut off goes down, and comes back when it is healed.
func TestHosts(t *testing.T) {
	RequireHosts(t)
	c := Start(t, Options{Nodes: 2, Hosts: true, NodeTimeout: 3 * time.Second, NoRest: true})
	state := func(want string) func() error {
		return func() error {
			out, err := c.Run(t.Context(), "sinfo", "-h", "-N", "-n", c.Nodes[1], "-p", Partition, "-o", "%t")
			if err == nil && !strings.HasPrefix(out, want) {
				err = &wrongText{out}
			}
			return err
		}
	}
	if err := c.Cut(c.Nodes[1]); err != nil {
		t.Fatal(err)
	}
	if err := until(t.Context(), patience, state("down")); err != nil {
		t.Fatal(err)
	}
	if err := c.Heal(c.Nodes[1]); err != nil {
		t.Fatal(err)
	}
	if err := until(t.Context(), patience, state("idle")); err != nil {
		t.Fatal(err)
	}
}

// What a holder of the host left that was killed is cleared away by the next.
func TestLeftBehind(t *testing.T) {
	Require(t)
	first, err := Up(t.Context(), Options{Nodes: 1, NoRest: true})
	if err != nil {
		t.Fatal(err)
	}
	if err = first.place.file.Close(); err != nil { // as if this process had died
		t.Fatal(err)
	}
	second := Start(t, Options{Nodes: 1, NoRest: true})
	gone := func() error { // another process that wants a place may be at it
		if _, err := os.Stat(first.Dir); err == nil {
			return &wrongText{first.Dir + " is left"}
		}
		if pids := marked(first.Dir); len(pids) > 0 {
			return &wrongText{fmt.Sprintf("processes of the first are left: %v", pids)}
		}
		return nil
	}
	if err = until(t.Context(), patience, gone); err != nil {
		t.Error(err)
	}
	if out, err := second.Run(t.Context(), "scontrol", "ping"); err != nil || !strings.Contains(out, "UP") {
		t.Errorf("the second says %q, %v", out, err)
	}
}
