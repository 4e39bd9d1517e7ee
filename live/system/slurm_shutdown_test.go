package system_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// A node of Slurm's is shut down in order and started again, and so is all of Slurm: what
// ran there is begun again or goes on, at the price promised. What really ends by a signal
// has failed, and what Slurm refuses owes nothing.
func aNodeIsShutDown(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 2}, terms{lease: time.Minute}, 0.9)
	b.user("root", 10_000)
	ctx := t.Context()
	begins := func(long time.Duration) (id int64, file string) {
		t.Helper()
		file = b.at(fmt.Sprintf("beats-%d", time.Now().UnixNano()))
		r := b.shell(beating(file, long), long+2*time.Second)
		r.DeadlineMS = 300_000
		id = submit(t, b.owner, r).ID
		until(t, "the first beats", func() bool { return len(lives(t, file)) > 0 })
		return id, file
	}
	asPromised := func(id int64, file string, attempts int) {
		t.Helper()
		j := b.completed(id)
		if j.Charged != j.Price || j.Attempt != attempts-1 {
			t.Errorf("job %d: attempt %d, agreed on %d, charged %d", id, j.Attempt, j.Price, j.Charged)
		}
		var copies []string
		for attempt := range attempts {
			copies = append(copies, fmt.Sprintf("%d.0.%d", id, attempt))
		}
		oneAfterTheOther(t, file, copies...)
	}

	id, file := begins(30 * time.Second)
	node := b.job(id).Places[0].Node
	if err := b.slurm.ShutDown(node); err != nil {
		t.Fatal(err)
	}
	if err := b.slurm.Restart(ctx, "slurmd "+node); err != nil {
		t.Fatal(err)
	}
	asPromised(id, file, 2)

	id, file = begins(8 * time.Second)
	if out, err := b.slurm.Run(ctx, "scontrol", "shutdown"); err != nil {
		t.Fatal(err, out)
	}
	daemons := []string{"slurmctld", "slurmd " + b.slurm.Nodes[0], "slurmd " + b.slurm.Nodes[1]}
	for _, daemon := range daemons {
		if err := b.slurm.Stop(daemon); err != nil {
			t.Fatal(err)
		}
	}
	for _, daemon := range daemons {
		if err := b.slurm.Restart(ctx, daemon); err != nil {
			t.Fatal(err)
		}
	}
	asPromised(id, file, 1)

	dies := submit(t, b.owner, b.shell("sleep 1; kill -TERM $$", 5*time.Second)).ID
	if j := b.ended(dies); j.State != v1.Failed || j.Tasks[0].Signal != "SIGTERM" || j.Attempt != 0 || j.Charged == 0 {
		t.Errorf("ended by itself: %s, attempt %d, charged %d, %+v", j.State, j.Attempt, j.Charged, j.Tasks)
	}

	if out, err := b.slurm.Run(ctx, "scontrol", "update", "partitionname="+slurmtest.Partition, "state=inactive"); err != nil {
		t.Fatal(err, out)
	}
	refused := submit(t, b.owner, b.shell("true", 5*time.Second)).ID
	if j := b.ended(refused); j.State == v1.Completed || j.Charged != 0 || j.Held != 0 {
		t.Errorf("refused by Slurm: %s %q, charged %d, held %d", j.State, j.Detail, j.Charged, j.Held)
	}
	b.verify()
}
