package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Which job of plain sbatch is bought is for the market to say: who names one of their own
// would pay for little and get what that asks for.
func TestNobodyNamesAJobOfPlainSbatch(t *testing.T) {
	m := onSlurm{config: slurmDefaults("none")}
	r := trade.Request{Argv: []string{"true"}, Env: []string{"A=b", slurm.GuestVariable + "=7"}}
	for _, c := range []trade.Command{{Submit: &trade.Submit{Request: r}}, {Quote: &trade.AskQuote{Request: r}}} {
		_, _, err := m.Do(t.Context(), c, api.Key{})
		var wrong *trade.FieldError
		if !errors.As(err, &wrong) || wrong.Field != "env" {
			t.Errorf("%s: %v", c.Kind(), err)
		}
	}
}

// What is bought of a job of plain sbatch is what it asked for: its user changes nothing
// beside the comment, and what would have Slurm give it more, or begin it when it likes,
// is not sold.
func TestPlainSbatchGetsWhatItPaysFor(t *testing.T) {
	slurmtest.Require(t)
	alice := slurmtest.User(t, slurmtest.Alice)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 1, CPUs: 4, Door: true, DoorOffers: true, GPUs: []string{"1"}})
	m := openSlurmMarketWith(t, cluster, func(c *slurmSettings) { c.Offer = true }, alice)
	m.hire(t, 0.9)
	m.awaitNodes(t)
	file := filepath.Join(m.dir, "job.sh")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n#SBATCH -t 1 -o /dev/null\n#LIBRA deadline=5m\ntrue\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	sbatch := func(args ...string) int64 {
		t.Helper()
		argv := append([]string{"--parsable", "--partition=" + slurmtest.Partition, "--chdir=" + m.dir}, args...)
		out, err := cluster.RunAs(t.Context(), alice, "sbatch", append(argv, file)...)
		var id int64
		if _, wrong := fmt.Sscan(lastLine(out), &id); err != nil || wrong != nil {
			t.Fatalf("sbatch %v: %v: %q", args, err, out)
		}
		return id
	}
	remark := func(id int64) string {
		out, _ := cluster.Run(t.Context(), "squeue", "--noheader", "--states=all", fmt.Sprintf("--jobs=%d", id), "--Format=state,admin_comment:400")
		return strings.TrimSpace(out)
	}

	// 1. One processor is bought, and all of a node named to be it.
	large := sbatch("-c", "4", "--gres=gpu:1")
	m.until(t, "a word", func() bool { return strings.Contains(remark(large), "it asks for 4 processors") })
	if out, err := m.say(t, alice, "sbatch", "-t", "1", "--budget", "1000", "--export="+slurm.GuestVariable+"="+fmt.Sprint(large), "--wrap", "true"); err == nil {
		t.Errorf("sold: %s", out)
	}
	if !strings.HasPrefix(remark(large), "PENDING") {
		t.Errorf("it runs: %s", remark(large))
	}

	// 2. Something else is changed together with the comment.
	id := sbatch()
	for _, change := range []string{
		"gres=gpu:1", "trespernode=gres:gpu:1", "numcpus=4", "numtasks=3", "cpuspertask=3", "minmemorynode=4000", "minmemorycpu=4000", "mintmpdisknode=4",
		"timelimit=2", "starttime=now+1hour", "dependency=afterany:1", "requeue=1", "name=hello", "stdout=/tmp/other", "workdir=/tmp", "wckey=x", "account=x", "qos=x",
		"switches=2", "numnodes=2", "nodelist=" + cluster.Nodes[0], "delayboot=4", "partition=plain", "priority=5",
	} {
		if out, err := cluster.RunAs(t.Context(), alice, "scontrol", "update", fmt.Sprintf("jobid=%d", id), "comment=for-the-paper", change); err == nil {
			t.Errorf("%s is changed: %s", change, out)
		}
	}
	if out, err := cluster.RunAs(t.Context(), alice, "scontrol", "update", fmt.Sprintf("jobid=%d", id), "comment=libra:budget=1000"); err != nil {
		t.Errorf("the comment alone: %v: %s", err, out)
	}
	m.until(t, "it to run", func() bool {
		page, err := m.market.Jobs(t.Context(), v1.JobQuery{Name: fmt.Sprintf("slurm-%d", id), Limit: 1})
		return err == nil && len(page) == 1 && page[0].State == v1.Completed
	})

	// 3. What asks for more than is seen.
	for option, want := range map[string]string{
		"--exclusive": "a node to itself", "--mincpus=3": "more processors of a node", "--begin=now+1hour": "taken as job", "--partition=plain,libra": "several partitions",
	} {
		id := sbatch("--comment=libra:budget=1000", option)
		m.until(t, "a word on "+option, func() bool { return strings.Contains(remark(id), want) })
	}
}
