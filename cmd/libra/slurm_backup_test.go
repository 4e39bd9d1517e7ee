package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// The first slurmctld is killed while a paid job runs, and the second takes over: the job
// goes on, what is bought meanwhile runs when Slurm answers, and each is billed once; so
// too when what was killed had not written down that the job had started. When the first
// is back, the market goes on with it.
func TestSlurmBackupTakesOver(t *testing.T) {
	slurmtest.Require(t)
	alice := slurmtest.User(t, slurmtest.Alice)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 3, Backup: true})
	m := openSlurmMarket(t, cluster, "libra", "agents", alice)
	m.hire(t, 0.9)
	m.awaitNodes(t)
	made := 0
	// One that is run twice at a time fails, and each time leaves a line.
	submit := func(seconds int) v1.Job {
		t.Helper()
		made++
		script := fmt.Sprintf("echo x >> runs-%d; exec flock --nonblock --conflict-exit-code 9 lock-%[1]d sleep %d", made, seconds)
		o, _, err := m.market.Do(t.Context(), trade.Command{By: trade.Identity{User: alice, Role: trade.RoleUser}, Submit: &trade.Submit{Request: trade.Request{
			Argv: []string{"sh", "-c", script}, Dir: m.dir, EstimateMS: 40_000, DeadlineMS: 400_000,
		}}}, api.Key{})
		if err != nil || o.Job == nil {
			t.Fatalf("%+v, %v", o.Refusal, err)
		}
		return *o.Job
	}
	job := func(id int64) v1.Job {
		t.Helper()
		j, err := m.market.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	ran := func(n int) int {
		text, _ := os.ReadFile(filepath.Join(m.dir, fmt.Sprintf("runs-%d", n))) // none: it has not begun
		return strings.Count(string(text), "x")
	}
	charged := int64(0)
	ends := func(id int64, n, most int) {
		t.Helper()
		m.within(t, 3*time.Minute, fmt.Sprintf("job %d to end", id), func() bool { return job(id).State.Final() })
		j := job(id)
		if j.State != v1.Completed || j.Charged <= 0 || ran(n) > most {
			t.Errorf("job %d: %s %s, %d charged, attempt %d, begun %d times, want %d at most", id, j.State, j.Detail, j.Charged, j.Attempt, ran(n), most)
		}
		charged += j.Charged
	}

	// 1. Slurm has written down that it runs.
	first := submit(20)
	m.until(t, "it to run", func() bool { return ran(1) > 0 })
	asked := time.Now()
	if out, err := cluster.Run(t.Context(), "scontrol", "update", "jobid="+job(first.ID).Batch, "admincomment=to be saved"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !cluster.Saved(asked, time.Minute) {
		t.Fatal("slurmctld saves nothing")
	}
	if err := cluster.Kill("slurmctld"); err != nil {
		t.Fatal(err)
	}
	second := submit(1) // while nobody is there
	ends(first.ID, 1, 1)
	if j := job(first.ID); j.Attempt != 0 {
		t.Errorf("what ran was begun again: %+v", j)
	}
	ends(second.ID, 2, 1)
	if out, err := cluster.Run(t.Context(), "scontrol", "ping"); err != nil || !strings.Contains(out, "is DOWN") {
		t.Errorf("the first is back by itself: %v, %s", err, out)
	}

	// 2. The first is back, and takes the lead; then it is killed before it has written
	// down what it had begun.
	if err := cluster.Restart(t.Context(), "slurmctld"); err != nil {
		t.Fatal(err)
	}
	third := submit(10)
	m.until(t, "it to run", func() bool { return ran(3) > 0 })
	if err := cluster.Kill("slurmctld"); err != nil {
		t.Fatal(err)
	}
	ends(third.ID, 3, 3)
	ends(submit(1).ID, 4, 1) // perhaps elsewhere: Slurm drains a node that was to begin a number twice

	a, err := m.market.Accounts(t.Context(), "lab/"+alice)
	if err != nil || len(a) != 1 || a[0].Held != 0 || a[0].Spent != charged {
		t.Errorf("the account: %+v, charged %d, %v", a, charged, err)
	}
}
