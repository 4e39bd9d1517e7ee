package plugin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// eventually waits for something that a real Slurm does in its own time.
func eventually(t *testing.T, what string, so func() error) {
	t.Helper()
	err := so()
	for end := time.Now().Add(3 * time.Minute); err != nil; err = so() {
		if time.Now().After(end) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func number(file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// A job whose group the agent has made runs in it from its first instruction, with
// all that it starts; a job without one is left where it is.
func TestSpank(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 1, NoRest: true})
	ctx := t.Context()
	node := c.Nodes[0]
	run := func(argv ...string) string {
		t.Helper()
		out, err := c.Run(ctx, argv[0], argv[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := filepath.Join(c.Dir, "log", "groups")
	script := "cat /proc/self/cgroup; setsid cat /proc/self/cgroup; srun --overlap cat /proc/self/cgroup; echo end"
	submit := func(extra ...string) string {
		return run(append(append([]string{"sbatch", "--parsable", "-H", "-p", "libra"}, extra...), "-o", out, "--wrap", script)...)
	}
	var places []string
	eachPlace := func(id string) []string {
		places = nil
		for _, controller := range []string{"cpu", "cpuacct"} {
			places = append(places, filepath.Join("/sys/fs/cgroup", controller, "libra", node, "slurm_"+id))
		}
		return places
	}
	said := func() string {
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	ours := submit()
	for _, dir := range eachPlace(ours) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run("scontrol", "release", ours)
	eventually(t, "the job ends", func() error {
		if text, err := os.ReadFile(out); err != nil || !strings.HasSuffix(string(text), "end\n") {
			return fmt.Errorf("it said %q: %w", text, err)
		}
		return nil
	})
	if got := strings.Count(said(), "/libra/"+node+"/slurm_"+ours+"\n"); got != 6 {
		t.Errorf("script, child and step are in our two groups %d times, want 6:\n%s", got, said())
	}
	if used, err := number(filepath.Join(places[1], "cpuacct.usage")); err != nil || used <= 0 {
		t.Errorf("the group has counted %d ns, %v", used, err)
	}

	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	theirs := submit()
	run("scontrol", "release", theirs)
	eventually(t, "the job without a group ends", func() error {
		text, err := os.ReadFile(out)
		if err == nil && !strings.HasSuffix(string(text), "end\n") {
			err = errors.New("not yet")
		}
		return err
	})
	if strings.Contains(said(), "libra/") {
		t.Errorf("a job that is not Libra's is in our groups:\n%s", said())
	}
	for _, dir := range eachPlace(theirs) {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s was made", dir)
		}
	}
}

// What a user has Slurm run after the tasks of a step is in the group from its first
// instruction, too: nobody else is to find it there before it has had time for nothing.
func TestSpankAfterTasks(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 1, NoRest: true})
	run := func(argv ...string) string {
		t.Helper()
		out, err := c.Run(t.Context(), argv[0], argv[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	dir := filepath.Join(c.Dir, "log")
	for name, text := range map[string]string{
		"before": "#!/bin/sh\ncat /proc/self/cgroup >" + dir + "/said-before\n",
		"after":  "#!/bin/sh\ncat /proc/self/cgroup >>" + dir + "/said-after\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	id := run("sbatch", "--parsable", "-H", "-p", "libra", "-o", out, "--wrap",
		"srun -n 2 -O --overlap --task-prolog="+dir+"/before --task-epilog="+dir+"/after true; echo end")
	place := "/libra/" + c.Nodes[0] + "/slurm_" + id
	for _, controller := range []string{"cpu", "cpuacct"} {
		if err := os.MkdirAll("/sys/fs/cgroup/"+controller+place, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run("scontrol", "release", id)
	eventually(t, "the job ends", func() error {
		if text, err := os.ReadFile(out); err != nil || !strings.HasSuffix(string(text), "end\n") {
			return fmt.Errorf("it said %q: %w", text, err)
		}
		return nil
	})
	for name, want := range map[string]int{"said-before": 2, "said-after": 4} {
		said, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(said), place+"\n"); got != want {
			t.Errorf("%s: in our two groups %d times, want %d:\n%s", name, got, want, said)
		}
	}
}

// Where the kernel has one hierarchy, that one is used. No such kernel runs Slurm
// here: the place is a directory that looks like one.
func TestSpankV2(t *testing.T) {
	slurmtest.Require(t)
	root := t.TempDir()
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 1, NoRest: true, PluginArgs: "root=" + root + " tree=libra"})
	ctx := t.Context()
	id, err := c.Run(ctx, "sbatch", "--parsable", "-H", "-p", "libra", "-o", "/dev/null", "--wrap", "true")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "libra", c.Nodes[0], "slurm_"+id)
	procs := filepath.Join(dir, "cgroup.procs")
	if err = errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(procs, nil, 0o644), os.WriteFile(filepath.Join(root, "cgroup.controllers"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err = c.Run(ctx, "scontrol", "release", id); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the task enters", func() error {
		text, err := os.ReadFile(procs)
		if err == nil && string(text) != "0" {
			err = fmt.Errorf("the group's file says %q", text)
		}
		return err
	})
}
