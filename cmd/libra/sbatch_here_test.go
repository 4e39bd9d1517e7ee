package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

// What sbatch takes from where it is called libra sbatch takes too.
func TestSbatchLooksAround(t *testing.T) {
	f := &slurmFloor{floor: newFloor()}
	f.prices.Runs = "slurm"
	open(t, f, v1.RoleUser)
	t.Setenv("SBATCH_TIMELIMIT", "7")
	t.Setenv("SBATCH_JOB_NAME", "around")
	bin := t.TempDir()
	path := filepath.Join(bin, "on-the-path")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n#SBATCH -J file -n 2\necho $SLURM_JOBID\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	r := libra(t, "sbatch", "on-the-path", "argument")
	if r.code != exitOK || strings.Contains(r.err, "warning") {
		t.Fatalf("%+v", r)
	}
	got := f.last(t).Submit.Request
	if got.Name != "around" || got.EstimateMS != 7*60_000 || !slices.Equal(got.Argv, []string{"argument"}) || !slices.Contains(got.Env, "LIBRA_SCRIPT="+path) {
		t.Errorf("the market was asked for %+v", got)
	}
	for _, name := range []string{task.Umask + "=0", task.Limits + "NOFILE=", task.Limits + "STACK="} {
		if !slices.ContainsFunc(got.Env, func(e string) bool { return strings.HasPrefix(e, name) }) {
			t.Errorf("%s is not in %q", name, got.Env)
		}
	}
	f.prices.Runs = ""
	r = libra(t, "sbatch", "on-the-path")
	if got = f.last(t).Submit.Request; r.code != exitOK || len(got.Env) != len(task.WithoutPassed(got.Env)) || !strings.Contains(r.err, "is set by Slurm alone") {
		t.Errorf("to a market with agents: %+v: %+v", r, got.Env)
	}
}

// Who does not say how long a job runs has what its market takes then, is told so, and may be
// quiet about it.
func TestSbatchWithoutATime(t *testing.T) {
	f := newFloor()
	f.prices.UsualMS = 90 * 60_000
	open(t, f, v1.RoleUser)
	for _, said := range [][]string{nil, {"-t", "UNLIMITED"}, {"--time=0"}} {
		r := libra(t, append(append([]string{"sbatch"}, said...), "--wrap", "true")...)
		if got := f.last(t).Submit.Request.EstimateMS; r.code != exitOK || got != 90*60_000 || !strings.Contains(r.err, "is taken to need 1h30m") {
			t.Errorf("%q: %d ms, %+v", said, got, r)
		}
	}
	f.prices.UsualIn = map[string]int64{"fast": 10 * 60_000}
	for partition, want := range map[string]int64{"fast": 10 * 60_000, "other": 90 * 60_000} {
		r := libra(t, "sbatch", "-p", partition, "--wrap", "true")
		if got := f.last(t).Submit.Request.EstimateMS; r.code != exitOK || got != want {
			t.Errorf("in partition %s: %d ms, %+v", partition, got, r)
		}
	}
	if r := libra(t, "sbatch", "-Q", "--wrap", "true"); r.code != exitOK || r.err != "" || r.out != "" {
		t.Errorf("quiet: %+v", r)
	}
	if r := libra(t, "sbatch", "-Q", "--parsable", "--wrap", "true"); r.code != exitOK || r.err != "" || r.out != "" {
		t.Errorf("quiet, and parsable: %+v", r)
	}
	f.prices.UsualMS = 0
	if r := libra(t, "sbatch", "--wrap", "true"); r.code != exitFailure || !strings.Contains(r.err, "-t is missing") {
		t.Errorf("of a market that takes none: %+v", r)
	}
}

// What a job hands in says no more in its output than with sbatch.
func TestSbatchInAJob(t *testing.T) {
	open(t, newFloor(), v1.RoleUser)
	if r := libra(t, "sbatch", "-t", "1", "--wrap", "true"); r.code != exitOK || !strings.Contains(r.err, "accepted") {
		t.Fatalf("by hand: %+v", r)
	}
	t.Setenv("SLURM_JOB_ID", "4711")
	if r := libra(t, "sbatch", "-t", "1", "--wrap", "true"); r.code != exitOK || r.err != "" || !strings.HasPrefix(r.out, "Submitted batch job ") {
		t.Errorf("in a job: %+v", r)
	}
}

// What a script says of how it is handed in counts, and the shell has started sbatch.
func TestSbatchAsTheScriptSays(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("_", "/somewhere/libra")
	script := file(t, "job.sh", "#!/bin/sh\n#SBATCH -t 1 --parsable\n")
	if r := libra(t, "sbatch", script); r.code != exitOK || r.err != "" || strings.Trim(r.out, "0123456789") != "\n" {
		t.Errorf("%+v", r)
	}
	if got := f.last(t).Submit.Request.Env; !slices.Contains(got, "_="+filepath.Join(bin, "sbatch")) {
		t.Errorf("told %q", got)
	}
	if err := os.Remove(filepath.Join(bin, "sbatch")); err != nil {
		t.Fatal(err)
	}
	libra(t, "sbatch", script)
	if got := f.last(t).Submit.Request.Env; !slices.Contains(got, "_=/somewhere/libra") {
		t.Errorf("without one, told %q", got)
	}
}
