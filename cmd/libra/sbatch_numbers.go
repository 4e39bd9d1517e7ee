package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/directive"
)

// sbatchNumbers are those that sbatch prints and takes: of the batch system that runs the
// jobs of a market, where one does, so that they mean the same to its own commands.
type sbatchNumbers struct {
	market *client.Client
	batch  bool // one does
}

// follow lets a request wait for jobs that were printed before.
func (n *sbatchNumbers) follow(ctx context.Context, r *v1.Request, printed directive.Follows) error {
	if n.batch {
		for _, number := range printed.Numbers() {
			id, err := jobInSlurm(ctx, n.market, *number)
			if err != nil && n.waited(ctx, *number) {
				id, err = *number, nil
			}
			if err != nil {
				return fmt.Errorf("--dependency: %w (one that waited in the market is %s12)", err, libraNumber)
			}
			*number = id
		}
	}
	printed.Into(r)
	return nil
}

// waited reports whether a number that Slurm knows nothing of is the market's, of a job of which
// libra:12 was printed: scripts that chain jobs take the digits of what sbatch prints.
func (n *sbatchNumbers) waited(ctx context.Context, number int64) bool {
	job, err := n.market.Job(ctx, number)
	if err != nil {
		return false
	}
	me, err := n.market.Whoami(ctx)
	r := &job.Request
	return err == nil && job.Owner == me.User && (r.Follows() || r.BeginMS > 0 || r.Hold)
}

// alone lets a request wait for the end of all jobs of its user that have its name, as
// --dependency=singleton means it.
func (n *sbatchNumbers) alone(ctx context.Context, r *v1.Request) error {
	me, err := n.market.Whoami(ctx)
	if err != nil {
		return err
	}
	query := v1.JobQuery{Owner: me.User, Name: r.Name, States: []v1.State{"live"}, Limit: 500}
	for {
		page, err := n.market.Jobs(ctx, query)
		if err != nil {
			return err
		}
		for i := range page.Jobs {
			if page.Jobs[i].Request.Name == r.Name {
				r.AfterAny = append(r.AfterAny, page.Jobs[i].ID)
			}
		}
		if page.Next == 0 {
			return nil
		}
		query.Before = page.Next
	}
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
