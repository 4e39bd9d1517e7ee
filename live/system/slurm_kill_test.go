package system_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Everything that a market on Slurm is made of is killed in turn, and comes back:
// no job is lost, none runs twice at a time, none is billed twice.
func slurmAndLibraAreKilled(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 2}, terms{lease: time.Minute}, 0.9)
	b.user("root", 10_000)
	ctx := t.Context()
	victim := b.slurm.Nodes[0]
	for _, c := range []struct {
		name    string
		forgets bool // slurmctld, what it did in its last seconds
		kill    func()
	}{
		{"slurmctld", true, func() { b.again(t, "slurmctld") }},
		{"slurmrestd", false, func() { b.again(t, "slurmrestd") }},
		{"slurmd", false, func() { b.again(t, "slurmd "+victim) }},
		{"the controller", false, func() { b.serve.kill(); b.open() }},
		{"an agent", false, func() { w := b.agents[victim]; w.kill(); w.start(t); b.joined(w) }},
		{"slurmctld and the controller", true, func() { b.serve.kill(); b.again(t, "slurmctld"); b.open() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ids []int64
			files := map[int64]string{}
			for i := range 4 {
				file := b.at(fmt.Sprintf("beats-%d-%d", len(c.name), time.Now().UnixNano()+int64(i)))
				r := b.shell(beating(file, 6*time.Second), 8*time.Second)
				r.DeadlineMS = 120_000
				id := submit(t, b.owner, r).ID
				ids, files[id] = append(ids, id), file
			}
			until(t, "the first beats", func() bool {
				for _, file := range files {
					if len(lives(t, file)) == 0 {
						return false
					}
				}
				return true
			})
			// One that Slurm has not started yet.
			late := b.at(fmt.Sprintf("late-%d", time.Now().UnixNano()))
			r := b.shell("echo once >> "+late, 2*time.Second)
			r.DeadlineMS = 120_000
			ids = append(ids, submit(t, b.owner, r).ID)
			c.kill()
			for _, id := range ids {
				j := b.completed(id)
				if j.Charged != j.Price || j.Receipt == nil {
					t.Errorf("job %d: agreed on %d, charged %d", id, j.Price, j.Charged)
				}
				if files[id] != "" {
					var copies []string
					for attempt := range j.Attempt + 1 {
						copies = append(copies, fmt.Sprintf("%d.0.%d", id, attempt))
					}
					if c.forgets {
						startedAgain(t, files[id], copies...)
					} else {
						oneAfterTheOther(t, files[id], copies...)
					}
				}
			}
			if said := text(t, late); said != "once\n" && !(c.forgets && said == "once\nonce\n") {
				t.Errorf("the late one wrote %q", said)
			}
			until(t, "Slurm to have put all away", func() bool {
				left, err := b.slurm.Run(ctx, "squeue", "-h", "-o", "%A %T")
				return err == nil && left == ""
			})
		})
	}
	b.verify()
}

// again kills a daemon of Slurm's and starts it again.
func (b *bazaar) again(t *testing.T, daemon string) {
	t.Helper()
	if err := b.slurm.Kill(daemon); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if err := b.slurm.Restart(t.Context(), daemon); err != nil {
		t.Fatal(err)
	}
}

// Jobs that end badly, are taken back on either side, or ask for too much.
func slurmSaysNo(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 1}, terms{}, 0.9)
	b.user("root", 1000)
	ctx := t.Context()
	fails := submit(t, b.owner, b.shell("exit 7", 2*time.Second))
	sleeps := submit(t, b.owner, b.shell("sleep 60", 2*time.Second))
	scancelled := submit(t, b.owner, b.shell("sleep 60", time.Minute)) // it does not over-run, however long the others take
	if j := b.ended(fails.ID); j.State != v1.Failed || len(j.Tasks) != 1 || j.Tasks[0].Exit != 7 {
		t.Errorf("exit 7: %s %+v", j.State, j.Tasks)
	}
	until(t, "both to run", func() bool {
		out, err := b.slurm.Run(ctx, "squeue", "-h", "-t", "R", "-o", "%A")
		return err == nil && len(out) > 0 && len(splitLines(out)) == 2
	})
	if _, err := b.owner.Cancel(ctx, sleeps.ID); err != nil {
		t.Fatal(err)
	}
	if j := b.ended(sleeps.ID); j.State != v1.Cancelled {
		t.Errorf("taken back: %s", j.State)
	}
	out, err := b.slurm.Run(ctx, "squeue", "-h", "-t", "R", "-o", "%A")
	if err != nil || len(splitLines(out)) != 1 {
		t.Fatalf("running: %q, %v", out, err)
	}
	if _, err := b.slurm.Run(ctx, "scancel", out); err != nil {
		t.Fatal(err)
	}
	if j := b.ended(scancelled.ID); j.State != v1.Cancelled || j.Charged > j.Price {
		t.Errorf("taken back in Slurm: %s, charged %d of %d", j.State, j.Charged, j.Price)
	}
	b.verify()
}
