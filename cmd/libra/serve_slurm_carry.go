package main

import (
	"context"
	"errors"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/limit"
)

// carried refuses what Slurm cannot carry out.
func carried(r *trade.Request) error { return errors.Join(wholeJob(r), licensed(r), reserved(r)) }

// licensed refuses licences that make no sense.
func licensed(r *trade.Request) error {
	if _, err := task.LicensesOf(r.Env); err != nil {
		return &trade.FieldError{Field: "env", Want: "in " + task.Licenses + " " + err.Error()}
	}
	return nil
}

// recallLicenses has the licences of jobs under way kept for them from the start on.
func recallLicenses(ctx context.Context, m front.Market, b *slurm.Backend) error {
	if !b.Licensed(ctx) {
		return nil
	}
	const page = 1000
	for before := int64(0); ; {
		jobs, err := m.Jobs(ctx, v1.JobQuery{States: []v1.State{v1.Running, v1.Stopping}, Before: before, Limit: page})
		if err != nil || len(jobs) == 0 {
			return err
		}
		for i := range jobs {
			if j, bad := m.Job(ctx, jobs[i].ID); bad == nil { // a list does not say all of it
				b.Recall(j.ID, j.Owner, j.Request.Env, atATime(&j))
			}
		}
		before = jobs[len(jobs)-1].ID
	}
}

// atATime is how many elements of an array that runs there are beside each other; 0: it is none.
func atATime(j *v1.Job) int {
	if j.Request.Array == nil {
		return 0
	}
	return j.Width / max(1, j.Request.Threads)
}

// letGoLicenses keeps the licences no longer of jobs that have ended before their orders came, as
// on a node that never came back.
func letGoLicenses(ctx context.Context, m front.Market, b *slurm.Backend) {
	for _, id := range b.Recalled() {
		if j, err := m.Job(ctx, id); err == nil && j.State.Final() {
			b.LetGo(id)
		}
	}
}

// reserved refuses a reservation for what begins nobody knows when: whether it lasts as long.
func reserved(r *trade.Request) error {
	if r.Reservation != "" && (r.Hold || len(r.Follows()) > 0) {
		return &trade.FieldError{Field: "reservation", Want: "none with a job on hold, or after others: whether it lasts until the job is done is known of one that begins when it is taken, or at a time (--begin)"}
	}
	return nil
}

// nameQOS changes the QOS that a command names.
func nameQOS(c *trade.Command, to func(string) string) {
	switch {
	case c.Submit != nil:
		c.Submit.Request.QOS = to(c.Submit.Request.QOS)
	case c.Quote != nil:
		c.Quote.Request.QOS = to(c.Quote.Request.QOS)
	}
}

// noSuchQOS refuses a QOS that a job names and may not have as what it is, a mistake of who names it: to
// sbatch it is one.
func noSuchQOS(over *limit.Excess) error {
	if over == nil || over.Field != limit.NamesQOS {
		return nil
	}
	return &trade.FieldError{Field: limit.NamesQOS, Want: over.Detail}
}

// wholeJob refuses an optional part: nobody on a Slurm node could tell it from
// the rest.
func wholeJob(r *trade.Request) error {
	if r.Optional != nil {
		return &trade.FieldError{Field: "optional", Want: "nothing: jobs with an optional part do not run on Slurm"}
	}
	return nil
}
