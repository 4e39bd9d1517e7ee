package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Jobs whose time comes while a limit of Slurm's is full, be it of the market's or of Slurm's own jobs, wait in the
// market, also one that is started anew and while slurmctld is away, and run one after the other when there is room. One whose deadline
// has passed by then is refused with the limit.
func TestSlurmWaitsForALimit(t *testing.T) {
	slurmtest.RequireAccounting(t)
	alice := slurmtest.User(t, slurmtest.Alice)
	cluster, c, slurm := accounted(t,
		"add qos one MaxJobsPU=1", "add account physics cluster="+slurmtest.ClusterName,
		"add user "+alice+" account=physics cluster="+slurmtest.ClusterName+" qos=one defaultqos=one",
	)
	m := serveSlurmMarket(t, cluster, c, alice)
	m.hire(t, 0.9)
	m.awaitNodes(t)
	hand := func(args ...string) string {
		t.Helper()
		out, err := m.say(t, alice, append([]string{"sbatch", "--parsable", "-t", "1", "-D", m.dir, "-o", "out-%j"}, args...)...)
		if err != nil {
			t.Fatalf("%v: %s, %v", args, out, err)
		}
		return strings.TrimSpace(out)
	}
	says := func(id, what string) {
		t.Helper()
		last := ""
		defer func() {
			if t.Failed() {
				t.Log(last)
			}
		}()
		m.until(t, id+" to say "+what, func() bool {
			out, err := m.say(t, alice, "job", "slurm:"+id)
			last = out
			if !strings.Contains(what, "rejected") && strings.Contains(out, "rejected") {
				t.Fatalf("%s is refused: %s", id, out)
			}
			return err == nil && strings.Contains(out, what)
		})
	}
	const soon = "--deadline=now+15minutes"
	full := "room within MaxJobsPU=1 of user " + alice + " in QOS one"

	// 1. Of the market's own.
	first := hand(soon, "--wrap", "sleep 600")
	says(first, "running")
	begins := hand(soon, "-b", "now+2", "--wrap", "true")
	after := hand(soon, "-d", "after:"+first, "--wrap", "true")
	late := hand("-t", "0:5", "--deadline=now+45", "-b", "now+2", "--wrap", "true")
	for _, id := range []string{begins, after} {
		says(id, full)
		if q := slurm("squeue", "-h", "-j", id, "-O", "state"); q != "PENDING" {
			t.Errorf("%s is %s in Slurm", id, q)
		}
	}
	says(late, "it waited for "+full) // when its deadline has passed
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	s, err := startService(t.Context(), c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() })
	m = &slurmMarket{service: s, slurm: cluster, dir: m.dir}
	m.awaitNodes(t)
	says(begins, full)
	slurm("scancel", first)
	says(begins, "completed")
	says(after, "completed")

	// 2. Of Slurm's: it is asked before somebody is let in.
	plain, err := cluster.RunAs(t.Context(), alice, "sbatch", "--parsable", "-t", "10", "-p", slurmtest.PlainPartition, "-D", m.dir, "--wrap", "sleep 600")
	if err != nil {
		t.Fatal(plain, err)
	}
	m.until(t, "Slurm to begin it", func() bool {
		return slurm("squeue", "-h", "-j", strings.TrimSpace(plain), "-O", "state") == "RUNNING"
	})
	follows := hand(soon, "-d", "afterok:"+after, "--wrap", "true") // which has ended
	says(follows, full)
	slurm("scancel", strings.TrimSpace(plain))
	says(follows, "completed")

	// 3. Slurm is away when the time comes.
	away := hand(soon, "-b", "now+4", "--wrap", "true")
	if err := cluster.Stop("slurmctld"); err != nil {
		t.Fatal(err)
	}
	m.until(t, "its time", func() bool {
		out, err := m.say(t, alice, "explain", "slurm:"+away)
		return err == nil && !strings.Contains(out, "its time to begin")
	})
	if err := cluster.Restart(t.Context(), "slurmctld"); err != nil {
		t.Fatal(err)
	}
	says(away, "completed")
}
