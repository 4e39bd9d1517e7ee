package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// A job that names a QOS has it in a real Slurm, from when it waits there until it has ended, again where it is
// begun again, and after a restart of the market; the limits of that are looked at, and a QOS that is another's is
// refused as sbatch refuses it.
func TestSlurmQOS(t *testing.T) {
	slurmtest.RequireAccounting(t)
	alice, bob := slurmtest.User(t, slurmtest.Alice), slurmtest.User(t, slurmtest.Bob)
	cluster, c, slurm := accounted(t,
		"add qos high MaxJobsPU=1 MaxWall=20", "add qos long Flags=PartitionTimeLimit", "add qos wide MaxJobsPU=3", "add qos secret",
		"add qos thin MaxTRESPerNode=cpu=1", "add qos billed GrpTRES=billing=3", "add qos brief MaxTRESRunMinsPU=cpu=5",
		"add account physics cluster="+slurmtest.ClusterName,
		"add user "+alice+" account=physics cluster="+slurmtest.ClusterName+" qos=normal,high,long,wide,thin,billed,brief defaultqos=normal",
		"add user "+bob+" account=physics cluster="+slurmtest.ClusterName,
	)
	slurm("scontrol", "update", "partitionname="+slurmtest.Partition, "maxtime=30")
	m := serveSlurmMarket(t, cluster, c, alice, bob)
	hand := func(m *slurmMarket, user string, args ...string) (string, error) {
		t.Helper()
		out, err := m.say(t, user, append([]string{"sbatch", "--parsable", "-t", "1", "-D", m.dir, "-o", "out-%j"}, args...)...)
		return strings.TrimSpace(out), err
	}
	m.hire(t, 0.9)
	m.awaitNodes(t)
	qosOf := func(id string) string { return slurm("sacct", "-n", "-X", "-P", "-j", id, "-o", "qos,state") }
	ends := func(m *slurmMarket, id, as string) {
		t.Helper()
		m.until(t, id+" to be "+as, func() bool { return qosOf(id) == as })
	}
	refused := func(m *slurmMarket, code int, says, user string, args ...string) {
		t.Helper()
		out, err := hand(m, user, args...)
		coded, _ := errors.AsType[*sbatchError](err)
		no, _ := errors.AsType[*refusal](err)
		if got := map[bool]int{true: exitFailure, false: 0}[coded != nil] + map[bool]int{true: exitRefused, false: 0}[no != nil]; err == nil || got != code || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %q, %v (%d), want %q and %d", args, out, err, got, says, code)
		}
	}
	taken := func(m *slurmMarket, args ...string) string {
		t.Helper()
		id, err := hand(m, alice, args...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return id
	}

	// 1. It runs under it, is told so as by sbatch, and is counted by it alone.
	const soon = "--deadline=now+15minutes"
	first := taken(m, soon, "--qos=HIGH", "--wrap", "env | grep QOS; sleep 20")
	m.until(t, "it to run", func() bool {
		return slurm("squeue", "-h", "-j", first, "-O", "qos,state") == "high                RUNNING"
	})
	refused(m, exitRefused, "MaxJobsPU=1 of user "+alice+" in QOS high", alice, soon, "--qos=high", "--wrap", "true")
	plain := taken(m, soon, "--wrap", "env | grep QOS")
	ends(m, plain, "normal|COMPLETED")
	array := taken(m, soon, "--qos=wide", "-a", "1-2", "--wrap", "env | grep QOS")
	ends(m, array+"_2", "wide|COMPLETED")
	before, err := cluster.RunAs(t.Context(), alice, "sbatch", "--parsable", "-W", "-p", slurmtest.PlainPartition, "-q", "wide", "-t", "1", "-D", m.dir, "-o", "plain", "--mem=64", "--wrap", "env | grep QOS")
	if err != nil {
		t.Fatalf("%v: %s", err, before)
	}
	as, _ := os.ReadFile(filepath.Join(m.dir, "plain"))
	if got, err := os.ReadFile(filepath.Join(m.dir, "out-"+array+"_2")); err != nil || string(got) != string(as) || !strings.Contains(string(as), "SLURM_JOB_QOS=wide") {
		t.Errorf("it is told %q, and by sbatch %q, %v", got, as, err)
	}

	// 2. What it may not have, and what the QOS allows.
	refused(m, exitFailure, "Invalid qos specification", alice, soon, "--qos=secret", "--wrap", "true")
	refused(m, exitFailure, "Invalid qos specification", alice, soon, "--qos=nosuch", "--wrap", "true")
	refused(m, exitFailure, "Invalid qos specification", bob, soon, "--qos=high", "--wrap", "true")
	if out, err := cluster.RunAs(t.Context(), bob, "sbatch", "-q", "high", "-t", "1", "--wrap", "true"); err == nil || !strings.Contains(out+err.Error(), "Invalid qos specification") {
		t.Errorf("sbatch says %v: %s", err, out)
	}
	refused(m, exitRefused, "MaxWall of QOS high", alice, "--deadline=now+25minutes", "--qos=high", "--wrap", "true")
	refused(m, exitRefused, "MaxTime of partition", alice, "--deadline=now+50minutes", "--wrap", "true")
	ends(m, taken(m, "--deadline=now+50minutes", "--qos=long", "--wrap", "true"), "long|COMPLETED")
	refused(m, exitRefused, "MaxTRESPerNode of QOS thin", alice, soon, "--qos=thin", "-n", "2", "-N", "1", "--wrap", "true")
	slurm("scontrol", "update", "partitionname="+slurmtest.Partition, "tresbillingweights=CPU=2")
	m.until(t, "another bill to be known", func() bool {
		_, err := hand(m, alice, soon, "--qos=billed", "-c", "2", "--wrap", "true")
		return err != nil && strings.Contains(err.Error(), "GrpTRES billing=3 of QOS billed")
	})
	ends(m, taken(m, soon, "--qos=billed", "--wrap", "true"), "billed|COMPLETED")
	// Older releases take such a limit, and hold nobody against it.
	if out, err := hand(m, alice, soon, "--qos=brief", "--wrap", "true"); slurm("sinfo", "--version") < "slurm-wlm 24.11" == (err != nil) {
		t.Errorf("more time than its QOS lets a user have: %q, %v", out, err)
	} else if err == nil {
		ends(m, out, "brief|COMPLETED")
	} else if !strings.Contains(err.Error(), "MaxTRESRunMinsPU cpu=5 of user "+alice+" in QOS brief") {
		t.Error(err)
	}
	ends(m, taken(m, "--deadline=now+4minutes", "--qos=brief", "--wrap", "true"), "brief|COMPLETED")

	// 3. One that waits has it, through a restart of the market, and so has one that is begun again.
	waits := taken(m, soon, "--qos=wide", "--hold", "--wrap", "env | grep QOS; sleep 1")
	if got := slurm("squeue", "-h", "-j", waits, "-O", "qos"); got != "wide" {
		t.Errorf("what waits is in QOS %q", got)
	}
	ends(m, first, "high|COMPLETED")
	second := taken(m, soon, "--qos=high", "--wrap", "echo; sleep 15")
	m.until(t, "it to begin", func() bool { _, err := os.Stat(filepath.Join(m.dir, "out-"+second)); return err == nil })
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	s, err := startService(t.Context(), c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() })
	again := &slurmMarket{service: s, slurm: cluster, dir: m.dir}
	again.awaitNodes(t)
	refused(again, exitRefused, "MaxJobsPU=1 of user "+alice+" in QOS high", alice, soon, "--qos=high", "--wrap", "true")
	slurm("scontrol", "update", "jobid="+second, "requeue=1")
	slurm("scontrol", "requeue", second)
	again.until(t, "it to be begun again", func() bool {
		out := slurm("squeue", "-h", "-t", "running,completing", "-O", "jobid,qos,state")
		return strings.Contains(out, "high                RUNNING") && !strings.HasPrefix(out, second+" ")
	})
	if _, err := again.say(t, alice, "release", "slurm:"+waits); err != nil {
		t.Fatal(err)
	}
	ends(again, waits, "wide|COMPLETED")
	if out, err := again.say(t, alice, "job", "slurm:"+waits); err != nil || !strings.Contains(out, "QOS") || !strings.Contains(out, "wide") {
		t.Errorf("%s, %v", out, err)
	}
	if text, err := os.ReadFile(filepath.Join(m.dir, "out-"+waits)); err != nil || !strings.Contains(string(text), "SLURM_JOB_QOS=wide") {
		t.Errorf("%q, %v", text, err)
	}

	// 4. A QOS that is taken from its user while a job waits: it ends, and owes nothing.
	gone := taken(again, soon, "--qos=wide", "--hold", "--wrap", "true")
	slurm("sacctmgr", "--immediate", "modify", "user", alice, "set", "qos-=wide")
	if _, err := again.say(t, alice, "release", "slurm:"+gone); err != nil {
		t.Logf("refused at once: %v", err)
	}
	again.until(t, "it to be refused", func() bool {
		out, err := again.say(t, alice, "job", "slurm:"+gone)
		return err == nil && strings.Contains(out, "InvalidQOS") && strings.Contains(out, "0.00 cr")
	})
}

// Without accounting Slurm takes the name of any QOS and gives the job none, from sbatch and from the market.
func TestSlurmQOSWithoutAccounting(t *testing.T) {
	slurmtest.Require(t)
	alice := slurmtest.User(t, slurmtest.Alice)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 1})
	m := openSlurmMarket(t, cluster, "libra", "agents", alice)
	m.hire(t, 0.9)
	m.awaitNodes(t)
	const tell = "echo \"[$SLURM_JOB_QOS]\""
	if out, err := cluster.RunAs(t.Context(), alice, "sbatch", "-W", "-q", "high", "-p", slurmtest.PlainPartition, "-t", "1", "-D", m.dir, "-o", "plain", "--mem=64", "--wrap", tell); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := m.say(t, alice, "sbatch", "--parsable", "-W", "-q", "high", "-t", "1", "--deadline=now+9minutes", "-D", m.dir, "-o", "libra", "--wrap", tell)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	as, wrong := os.ReadFile(filepath.Join(m.dir, "plain"))
	if got, err := os.ReadFile(filepath.Join(m.dir, "libra")); err != nil || wrong != nil || string(got) != string(as) {
		t.Errorf("it is told %q, and by sbatch %q: %v %v", got, as, err, wrong)
	}
	fmt.Fprintf(t.Output(), "QOS without accounting: %s", as)
}
