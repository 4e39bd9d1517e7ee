package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Plain sbatch in a priced partition: one that says what it may cost is bought and runs
// under the number that sbatch printed; one that does not is told its price, and runs when
// its user takes it; nobody else changes it, and what cannot be had is told why.
func TestPlainSbatch(t *testing.T) {
	slurmtest.Require(t)
	alice, bob := slurmtest.User(t, slurmtest.Alice), slurmtest.User(t, slurmtest.Bob)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 1, Door: true, DoorOffers: true, GPUs: []string{"1"}})
	m := openSlurmMarketWith(t, cluster, func(c *slurmSettings) { c.Offer = true }, alice)
	m.hire(t, 0.9)
	m.awaitNodes(t)
	file := filepath.Join(m.dir, "job.sh")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n#SBATCH -t 1 -o out-%j\n#LIBRA deadline=5m\necho $FLAVOUR $SLURM_JOB_ID $(id -un)\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	flavour := "plain"
	sbatch := func(user string, args ...string) int64 {
		t.Helper()
		argv := append(append(strings.Fields("FLAVOUR="+flavour), "sbatch", "--parsable", "--partition="+slurmtest.Partition, "--chdir="+m.dir), args...)
		out, err := cluster.RunAs(t.Context(), user, "env", append(argv, file)...)
		var id int64
		if _, wrong := fmt.Sscan(lastLine(out), &id); err != nil || wrong != nil {
			t.Fatalf("sbatch: %v: %q", err, out)
		}
		return id
	}
	remark := func(id int64) string {
		out, _ := cluster.RunAs(t.Context(), alice, "squeue", "--noheader", "--states=all", fmt.Sprintf("--jobs=%d", id), "--Format=admin_comment:400")
		return strings.TrimSpace(out)
	}
	ends := func(id int64) v1.Job {
		t.Helper()
		var found v1.Job
		m.until(t, fmt.Sprintf("job %d to end", id), func() bool {
			page, err := m.market.Jobs(t.Context(), v1.JobQuery{Name: fmt.Sprintf("slurm-%d", id), Limit: 1})
			if err == nil && len(page) == 1 {
				found = page[0]
			}
			return found.ID != 0 && found.State.Final()
		})
		return found
	}

	// 1. It says what it may cost, and is bought as it comes.
	first := sbatch(alice, "--comment=libra:budget=1000")
	if j := ends(first); j.State != v1.Completed || j.Charged <= 0 || j.Owner != alice {
		t.Errorf("%+v", j)
	}
	if text, err := os.ReadFile(filepath.Join(m.dir, fmt.Sprintf("out-%d", first))); err != nil || string(text) != fmt.Sprintf("plain %d %s\n", first, alice) {
		t.Errorf("%q %v", text, err)
	}

	// 2. It does not, and is told the price. Another user cannot take it, nor can its own
	// let go of it; its own can take it.
	second := sbatch(alice)
	m.until(t, "a price", func() bool { return strings.Contains(remark(second), "comment=libra:budget=") })
	t.Log(remark(second))
	for _, c := range []struct {
		user string
		argv []string
	}{
		{bob, []string{"scontrol", "update", fmt.Sprintf("jobid=%d", second), "comment=libra:budget=1000"}},
		{alice, []string{"scontrol", "release", fmt.Sprint(second)}},
		{alice, []string{"scontrol", "update", fmt.Sprintf("jobid=%d", second), "timelimit=100"}},
	} {
		if out, err := cluster.RunAs(t.Context(), c.user, c.argv[0], c.argv[1:]...); err == nil {
			t.Errorf("%s may %v: %s", c.user, c.argv, out)
		}
	}
	_, budget, _ := strings.Cut(remark(second), "comment=")
	if out, err := cluster.RunAs(t.Context(), alice, "scontrol", "update", fmt.Sprintf("jobid=%d", second), "comment="+budget); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if j := ends(second); j.State != v1.Completed {
		t.Errorf("%+v", j)
	}
	if out, err := cluster.RunAs(t.Context(), alice, "scontrol", "update", fmt.Sprintf("jobid=%d", second), "comment=libra:budget=1"); err == nil {
		t.Errorf("the comment of a job that was bought can be changed: %s", out)
	}

	// 3. What cannot be had is said, and nothing runs.
	for args, want := range map[string]string{
		"--comment=libra:budget=0.000001": "refused", "--comment=libra:budget=10 --constraint=none-such": "", "--comment=libra:budget=10 --dependency=afterany:1": "dependency",
		"--comment=libra:budget=soon": "budget", "--comment=libra:budget=1000 --gres=gpu:2": "refused", "--comment=libra:budget=1000 -n 1 --gpus-per-task=1": "devices",
	} {
		out, err := cluster.RunAs(t.Context(), alice, "sbatch", append(append([]string{"--parsable", "--partition=" + slurmtest.Partition, "--chdir=" + m.dir}, strings.Fields(args)...), file)...)
		if err != nil { // Slurm itself says no
			continue
		}
		var id int64
		_, _ = fmt.Sscan(lastLine(out), &id)
		m.until(t, "a word on "+args, func() bool { return strings.Contains(remark(id), want) && remark(id) != "libra: waits for its price" })
		t.Logf("%s: %s", args, remark(id))
	}
	// 4. What a user always says can be in the environment.
	flavour = "plain LIBRA_TERMS=budget=1000;penalty=0.1"
	if j := ends(sbatch(alice)); j.State != v1.Completed || j.Request.PenaltyMicros != 100_000 {
		t.Errorf("%+v", j)
	}
	// 5. It has what Slurm knows of it and the market can promise: GPUs, licences, nodes by name, and
	// a time to begin, before which nothing is bought.
	flavour = "plain"
	wants := sbatch(alice, "--comment=libra:budget=1000", "--gres=gpu:1", "-L", "fluent", "-w", cluster.Nodes[0], "--begin=now+10")
	m.until(t, "a word that it waits", func() bool {
		return strings.Contains(remark(wants), "begins no sooner than") || strings.Contains(remark(wants), "bought")
	})
	if j, err := m.market.Job(t.Context(), ends(wants).ID); err != nil || j.State != v1.Completed || j.Request.GPUs != 1 || !slices.Equal(j.Request.Nodelist, cluster.Nodes[:1]) || j.Request.BeginMS == 0 || !slices.Contains(j.Request.Env, task.Licenses+"=fluent:1") && !slices.Contains(j.Request.Env, task.Licenses+"=fluent") {
		t.Errorf("%v: %+v", err, j)
	}
	// One that cannot be had when its time has come is told so.
	vain := sbatch(alice, "--comment=libra:budget=0.000001", "--begin=now+5")
	m.until(t, "a word that it is refused", func() bool { return strings.Contains(remark(vain), "refused") })
	// 6. Who has no money is told so.
	third := sbatch(bob, "--comment=libra:budget=10")
	m.until(t, "a word to bob", func() bool { return strings.Contains(remark(third), "bound to no account") })
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
