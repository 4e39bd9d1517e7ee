package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// While slurmdbd is away, also after a restart of the market, jobs are held against what it said last: the default
// QOS of the market's own cluster, and that which is named. Who has no default one, and may not have normal, is
// refused as by sbatch.
func TestSlurmQOSWhileSlurmdbdIsAway(t *testing.T) {
	slurmtest.RequireAccounting(t)
	alice, bob := slurmtest.User(t, slurmtest.Alice), slurmtest.User(t, slurmtest.Bob)
	cluster, c, slurm := accounted(t,
		"add cluster other", "add qos high MaxJobsPU=1 MaxWall=20", "add qos wide MaxWall=40", "add qos secret", "add account physics cluster="+slurmtest.ClusterName+",other",
		"add user "+alice+" account=physics cluster="+slurmtest.ClusterName+" qos=normal,high,wide defaultqos=high",
		"add user "+alice+" account=physics cluster=other qos=normal,secret defaultqos=secret",
		"add user "+bob+" account=physics cluster="+slurmtest.ClusterName+" qos=high,wide",
	)
	m := serveSlurmMarket(t, cluster, c, alice, bob)
	m.hire(t, 0.9)
	m.awaitNodes(t)
	hand := func(user string, args ...string) (string, error) {
		t.Helper()
		out, err := m.say(t, user, append([]string{"sbatch", "--parsable", "-t", "1", "-D", m.dir, "-o", "out-%j"}, args...)...)
		return strings.TrimSpace(out), err
	}
	refused := func(says, user string, args ...string) {
		t.Helper()
		if out, err := hand(user, args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %q, %v, want %q", args, out, err, says)
		}
	}
	ends := func(id string) { // in the market: it has its limits until then
		t.Helper()
		m.until(t, id+" to end", func() bool {
			out, err := m.say(t, alice, "job", "slurm:"+id)
			return err == nil && strings.Contains(out, "completed")
		})
	}
	runs := func(qos string, args ...string) {
		t.Helper()
		id, err := hand(alice, args...)
		if err != nil {
			t.Errorf("%v: %v", args, err)
			return
		}
		ends(id)
		if is := slurm("scontrol", "show", "job", id, "--oneliner"); !strings.Contains(is, " QOS="+qos+" ") {
			t.Errorf("%v: it ran as %s", args, is)
		}
	}
	const soon, late = "--deadline=now+15minutes", "--deadline=now+30minutes"
	all := func() {
		t.Helper()
		m.until(t, "what has ended to be known", func() bool { // a market that was restored asks Slurm first
			_, err := m.say(t, alice, "quote", "--preview", "--estimate", "10s", "--deadline", "15m")
			return err == nil
		})
		runs("high", soon, "--wrap", "true")
		refused("MaxWall of QOS high", alice, late, "--wrap", "true")
		runs("wide", late, "--qos=wide", "--wrap", "true")
		refused("Invalid qos specification", alice, soon, "--qos=secret", "--wrap", "true")
		refused("by its name: high, wide; there is no default one", bob, soon, "--wrap", "true")
		if out, err := cluster.RunAs(t.Context(), bob, "sbatch", "-t", "1", "-p", slurmtest.PlainPartition, "--wrap", "true"); err == nil || !strings.Contains(out+err.Error(), "Invalid qos specification") {
			t.Errorf("sbatch says %v: %s", err, out)
		}
		if first, err := hand(alice, soon, "--wrap", "sleep 8"); err != nil {
			t.Error(err)
		} else { // a chain goes on under MaxJobsPU=1, and who would begin now is refused
			refused("MaxJobsPU=1 of user "+alice+" in QOS high", alice, soon, "--wrap", "true")
			held, wrong := hand(alice, soon, "--hold", "--wrap", "true")
			if wrong != nil {
				t.Fatal(wrong)
			}
			if out, no := m.say(t, alice, "release", "slurm:"+held); no == nil || !strings.Contains(no.Error()+out, "it stays on hold: Slurm would keep it waiting: MaxJobsPU=1") {
				t.Errorf("released: %s, %v", out, no)
			}
			runs("high", soon, "-d", "afterany:"+first, "--wrap", "true")
			if out, no := m.say(t, alice, "release", "slurm:"+held); no != nil {
				t.Errorf("released: %s, %v", out, no)
			}
			ends(held)
		}
	}
	all()
	if err := cluster.Stop("slurmdbd"); err != nil {
		t.Fatal(err)
	}
	all()
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
	all()

	// A quote is not taken by who may not have its QOS any more.
	if err := cluster.Restart(t.Context(), "slurmdbd"); err != nil {
		t.Fatal(err)
	}
	quoted, err := m.say(t, alice, "quote", "--qos=wide", "--estimate", "10s", "--deadline", "20m", "--json")
	if err != nil {
		t.Fatal(quoted, err)
	}
	var quote struct{ ID string }
	if err := json.Unmarshal([]byte(quoted), &quote); err != nil || quote.ID == "" {
		t.Fatal(quoted, err)
	}
	slurm("sacctmgr", "--immediate", "modify", "user", alice, "where", "cluster="+slurmtest.ClusterName, "set", "qos-=wide")
	m.until(t, "the market to know", func() bool {
		_, no := hand(alice, soon, "--qos=wide", "--hold", "--wrap", "true")
		return no != nil && strings.Contains(no.Error(), "and not wide (Invalid qos")
	})
	if out, no := m.say(t, alice, "submit", "--quote", quote.ID, "--", "true"); no == nil || !strings.Contains(no.Error(), "and not wide (Invalid qos") {
		t.Errorf("taken: %s, %v", out, no)
	}

	// What Slurm lets wait in a partition that is closed waits in the market, and runs under its number.
	for _, state := range []string{"DOWN", "DRAIN", "INACTIVE"} {
		slurm("scontrol", "update", "partitionname="+slurmtest.Partition, "state="+state)
		m.until(t, "the market to know", func() bool {
			_, err := hand(bob, soon, "--qos=wide", "--wrap", "true") // what is taken until then has none of alice's room
			return err != nil && strings.Contains(err.Error(), state)
		})
		id, err := hand(alice, soon, "--hold", "--wrap", "true")
		taken, _ := cluster.RunAs(t.Context(), alice, "sbatch", "--parsable", "--hold", "-t", "1", "-p", slurmtest.Partition, "-D", m.dir, "--wrap", "true")
		fmt.Fprintf(t.Output(), "%s: %q, %v; by sbatch %q\n", state, id, err, taken)
		if (err == nil) != (state == "DOWN") {
			t.Errorf("%s: %q, %v", state, id, err)
		}
		if err != nil {
			continue
		}
		if q := slurm("squeue", "-h", "-j", id, "-O", "state"); q != "PENDING" {
			t.Errorf("%s: %s is %s in Slurm", state, id, q)
		}
		if out, err := m.say(t, alice, "release", "slurm:"+id); err != nil {
			t.Errorf("%s: %s, %v", state, out, err)
		}
		slurm("scontrol", "update", "partitionname="+slurmtest.Partition, "state=UP")
		ends(id)
	}
}
