package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// sbatchNumbers are those that sbatch prints and takes: of the batch system that runs the
// jobs of a market, where one does, so that they mean the same to its own commands.
type sbatchNumbers struct {
	market *client.Client
	batch  bool // one does
}

// follow lets a request wait for jobs that were printed before.
func (n *sbatchNumbers) follow(ctx context.Context, r *v1.Request, printed []int64) error {
	for _, number := range printed {
		id := number
		if n.batch {
			var err error
			if id, err = jobInSlurm(ctx, n.market, number); err != nil {
				return fmt.Errorf("--dependency: %w (one that waited in the market is %s12)", err, libraNumber)
			}
		}
		r.After = append(r.After, id)
	}
	return nil
}

// How long a job that has its processors may take to be in Slurm, and how often to look.
const (
	handedOn  = 15 * time.Second // after a start the market looks first whether Slurm has it already
	lookAgain = 50 * time.Millisecond
)

// await is what is printed of a job that was handed in, once it is known: its number in the
// batch system, or where that does not know it yet libra: and the market's.
func (n *sbatchNumbers) await(ctx context.Context, job *v1.Job) string {
	if !n.batch {
		return strconv.FormatInt(job.ID, 10)
	}
	patience := time.NewTimer(handedOn)
	defer patience.Stop()
	unknown := fmt.Sprintf("%s%d", libraNumber, job.ID)
	for {
		now, err := n.market.Job(ctx, job.ID)
		if err != nil {
			return unknown // it is in the market, whatever is wrong since
		}
		now.Request.Script = ""
		if *job = now; job.Batch != "" {
			return job.Batch
		}
		if job.State != v1.Running {
			return unknown // it waits, or has ended before Slurm heard of it
		}
		select {
		case <-time.After(lookAgain):
		case <-patience.C:
			return unknown
		case <-ctx.Done():
			return unknown
		}
	}
}
