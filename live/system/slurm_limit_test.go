package system_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// What a partition of Slurm's does not allow is refused before anything is promised, with
// what would be taken; and memory that nobody asked for counts as Slurm counts it.
func slurmHasLimits(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 1, MemoryMB: 4096, Places: 16}, terms{}, 0.9)
	b.user("root", 10_000)
	ctx := t.Context()
	if out, err := b.slurm.Run(ctx, "scontrol", "update", "partitionname="+slurmtest.Partition, "maxtime=20", "maxmempercpu=1024"); err != nil {
		t.Fatal(err, out)
	}
	ask := func(change func(*v1.Request)) error {
		r := b.shell("true", time.Second)
		change(&r)
		_, err := b.owner.Submit(ctx, r, "")
		return err
	}
	refused := func(what, why, offer string, change func(*v1.Request)) {
		t.Helper()
		until(t, what+" to be refused", func() bool { // limits are looked at every other second
			var no *v1.Problem
			return errors.As(ask(change), &no) && strings.Contains(no.Detail, why) && len(no.Offers) == 1 && no.Offers[0].Change == offer
		})
	}
	refused("a late deadline", "MaxTime of partition", "deadline", func(r *v1.Request) { r.DeadlineMS = 30 * 60_000 })
	refused("much memory", "MaxMemPerCPU of partition", "memory", func(r *v1.Request) { r.MemoryMB = 2000 })

	// The rest of the time limit that a job has in Slurm is cut to what Slurm allows.
	long := b.shell(untilTold, time.Minute)
	long.DeadlineMS = 15 * 60_000
	j := submit(t, b.owner, long)
	until(t, "the job", func() bool {
		out, err := b.slurm.Run(ctx, "squeue", "-h", "-t", "R", "-o", "%l")
		return err == nil && out == "20:00"
	})
	if got := b.job(j.ID).Request.MemoryMB; got != 256 {
		t.Errorf("Slurm gives it 256 MB, and the market counts %d", got)
	}
	tell(t, b.dir)
	b.completed(j.ID)
	b.verify()
}
