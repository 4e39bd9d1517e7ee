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
	f := newFloor()
	f.prices.Runs = "slurm"
	open(t, f, v1.RoleUser)
	t.Setenv("SBATCH_TIMELIMIT", "7")
	t.Setenv("SBATCH_JOB_NAME", "around")
	bin := t.TempDir()
	path := filepath.Join(bin, "on-the-path")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n#SBATCH -J file -n 2\necho $SLURM_JOB_ID\n"), 0o755); err != nil {
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
