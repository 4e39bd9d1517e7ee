package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// TestDoorByOtherWays has a user get a job into Libra's partition without naming it:
// slurmctld takes the partition from a reservation, or a drained partition sends its
// jobs to another.
func TestDoorByOtherWays(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 2, Door: true, PlainDefault: true})
	ctx := t.Context()
	bob := &cheat{t, c, slurmtest.User(t, slurmtest.Bob)}
	root := func(argv ...string) {
		t.Helper()
		if out, err := c.Run(ctx, argv[0], argv[1:]...); err != nil {
			t.Fatalf("%v: %s %v", argv, out, err)
		}
	}
	reserve := func(name, partition string) {
		t.Helper()
		root("scontrol", "create", "reservation", "reservationname="+name, "starttime=now", "duration=60", "users="+bob.name,
			"nodes="+strings.Join(c.Nodes, ","), "partition="+partition, "flags=overlap,maint")
	}
	reserve("sold", slurmtest.Partition)
	reserve("free", slurmtest.PlainPartition)
	script := filepath.Join(t.TempDir(), "het.sh")
	text := "#!/bin/sh\n#SBATCH -o /dev/null -p plain\n#SBATCH hetjob\n#SBATCH --reservation=sold\ntrue\n"
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	// inside are the jobs of Libra's partition.
	inside := func() string {
		t.Helper()
		out, err := c.Run(ctx, "squeue", "-h", "-t", "all", "-p", slurmtest.Partition, "-o", "%A %T %u %v")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}

	t.Run("a reservation and no partition", func(t *testing.T) {
		token, err := c.Token(ctx, bob.name)
		if err != nil {
			t.Fatal(err)
		}
		for what, argv := range map[string][]string{
			"sbatch":        {"sbatch", "--reservation=sold", "-o", "/dev/null", "--wrap", "true"},
			"srun":          {"srun", "--reservation=sold", "true"},
			"salloc":        {"salloc", "--reservation=sold", "true"},
			"array":         {"sbatch", "--reservation=sold", "--array=1-3", "-o", "/dev/null", "--wrap", "true"},
			"held":          {"sbatch", "-H", "--reservation=sold", "-o", "/dev/null", "--wrap", "true"},
			"second of two": {"sbatch", "--reservation=free,sold", "-o", "/dev/null", "--wrap", "true"},
			"first of two":  {"sbatch", "--reservation=sold,free", "-o", "/dev/null", "--wrap", "true"},
			"named too":     {"sbatch", "-p", "plain,libra", "--reservation=sold", "-o", "/dev/null", "--wrap", "true"},
			"one of a pair": {"sbatch", script},
			"salloc a pair": {"salloc", "-p", "plain", ":", "--reservation=sold", "true"},
			"unknown":       {"sbatch", "--reservation=nobody-knows", "-o", "/dev/null", "--wrap", "true"},
		} {
			if out, ok := bob.runs(argv...); ok {
				t.Errorf("%s: %q", what, out)
			}
		}
		body := job(c, "", "", "")
		job, _ := body["job"].(map[string]any)
		delete(job, "partition")
		job["reservation"] = "sold"
		if answer := posts(t, c, token, bob.name, "/job/submit", body); jobID(answer) != 0 {
			t.Errorf("slurmrestd: %s", answer)
		}
		if left := inside(); left != "" {
			t.Errorf("jobs got in: %s", left)
		}
	})

	t.Run("other reservations are left alone", func(t *testing.T) {
		for what, argv := range map[string][]string{
			"by itself": {"sbatch", "--parsable", "--reservation=free", "-o", "/dev/null", "--wrap", "true"},
			"named":     {"sbatch", "--parsable", "-p", "plain", "--reservation=free", "-o", "/dev/null", "--wrap", "true"},
			"none":      {"sbatch", "--parsable", "-o", "/dev/null", "--wrap", "true"},
		} {
			out, ok := bob.runs(argv...)
			if !ok {
				t.Errorf("%s: %s", what, out)
				continue
			}
			bob.runs("scancel", out)
		}
	})

	t.Run("a job is not moved in", func(t *testing.T) {
		one, ok := bob.runs("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "sleep 60")
		many, ok2 := bob.runs("sbatch", "--parsable", "-H", "--array=1-3", "-o", "/dev/null", "--wrap", "sleep 60")
		if !ok || !ok2 {
			t.Fatal(one, many)
		}
		for _, change := range [][]string{
			{"jobid=" + one, "partition=libra"},
			{"jobid=" + one, "partition=plain,libra"},
			{"jobid=" + one, "reservation=sold"},
			{"jobid=" + one, "partition=", "reservation=sold"},
			{"jobid=" + many, "partition=libra"},
			{"jobid=" + many + "_2", "partition=libra"},
			{"jobid=" + many + "_2", "reservation=sold"},
		} {
			if out, ok := bob.runs(append([]string{"scontrol", "update"}, change...)...); ok {
				t.Errorf("%v: %q", change, out)
			}
		}
		bob.runs("scontrol", "release", one)
		if left := inside(); left != "" {
			t.Errorf("jobs got in: %s", left)
		}
		bob.runs("scancel", one, many)
	})

	t.Run("a drained partition sends nobody in", func(t *testing.T) {
		root("scontrol", "update", "partitionname=plain", "alternate=libra", "state=drain")
		for what, argv := range map[string][]string{
			"named":   {"sbatch", "-p", "plain", "-o", "/dev/null", "--wrap", "true"},
			"default": {"sbatch", "-o", "/dev/null", "--wrap", "true"},
			"srun":    {"srun", "-p", "plain", "true"},
		} {
			if out, ok := bob.runs(argv...); ok {
				t.Errorf("%s: %q", what, out)
			}
		}
		if left := inside(); left != "" {
			t.Errorf("jobs got in: %s", left)
		}
		root("scontrol", "update", "partitionname=plain", "state=up")
		if out, ok := bob.runs("sbatch", "-p", "plain", "-o", "/dev/null", "--wrap", "true"); !ok {
			t.Errorf("a partition that is up: %s", out)
		}
	})
}
