package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// countedSlurm counts how often it is asked for all of its jobs.
type countedSlurm struct {
	*queueSlurm

	asked int
}

func (c *countedSlurm) Jobs(ctx context.Context, partition string) ([]client.Job, error) {
	c.asked++
	return c.queueSlurm.Jobs(ctx, partition)
}

// Jobs that begin together, as after one that all have waited for, have Slurm asked for its jobs once;
// who has come since, or is told that his number is not there to be taken, asks anew.
func TestStandInsThatBeginTogether(t *testing.T) {
	b, q, _ := lined(t)
	slurm, now := &countedSlurm{queueSlurm: q}, noon
	b.slurm, b.cfg.Now = slurm, func() time.Time { return now }
	after := func(d time.Duration, job int64, asked int) {
		t.Helper()
		now = now.Add(d)
		before := slurm.asked
		if id, _, err := begins(t, b, waitingTask(job)); err != nil || len(q.adopted[id].Nodes) != 1 || slurm.asked-before != asked {
			t.Errorf("job %d began as %d, and Slurm was asked %d times: %v", job, id, slurm.asked-before, err)
		}
	}
	for job := range int64(4) {
		b.StandIn(t.Context(), waitingTask(12+job), 5, "libra")
	}
	after(time.Millisecond, 12, 1)
	after(time.Millisecond, 13, 0)
	after(listedFor, 14, 1)
	b.StandIn(t.Context(), waitingTask(20), 5, "libra")
	after(time.Millisecond, 20, 1)
	q.refuses = client.ErrRefused
	before := slurm.asked
	if id, _, err := begins(t, b, waitingTask(15)); err != nil || id == 0 || len(q.adopted[id].Nodes) != 0 || slurm.asked-before != 1 {
		t.Errorf("refused, it began as %d, and Slurm was asked %d times: %v", id, slurm.asked-before, err)
	}
}
