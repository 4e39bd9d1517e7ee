package main

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func newRelease(con *console) *cobra.Command {
	var opts liveOptions
	cmd := &cobra.Command{
		Use:   "release JOB...",
		Short: "Let jobs begin that are on hold",
		Long: `Let jobs begin that were handed in on hold (libra submit --hold, libra sbatch -H). The
market says now what they cost and what it promises, or why it does not take them; one
that waits for others, or for its time, goes on waiting for those.`,
		Example: `  libra release 12 13`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("JOB is missing")
			}
			return nil
		},
		ValidArgsFunction: opts.completeJobs(v1.Held),
		RunE:              func(cmd *cobra.Command, args []string) error { return runRelease(cmd.Context(), con, &opts, args) },
	}
	opts.flags(cmd)
	return cmd
}

func runRelease(ctx context.Context, con *console, opts *liveOptions, args []string) error {
	for _, text := range args { // a quote is nothing that begins
		if _, err := jobsNamed(text); err != nil {
			return err
		}
	}
	return endEach(ctx, con, opts, args, func(market *client.Client, id int64) (v1.Job, string, error) {
		job, err := market.Release(ctx, id)
		return job, acceptance(&job), err
	})
}

// heldUntil is what a job waits for that is kept back.
func heldUntil(r *v1.Request, j *v1.Job) string {
	said := ""
	add := func(words string) {
		if said != "" {
			said += " and "
		}
		said += words
	}
	if ids := slices.Concat(r.After, r.AfterAny, r.AfterFailed, r.AfterEach); len(ids) > 0 {
		add("after " + jobList(ids))
	}
	if len(r.AfterBegun) > 0 {
		add("after the start of " + begunList(r.AfterBegun))
	}
	if len(r.AfterElement) > 0 {
		add("after " + partList(r.AfterElement))
	}
	if j.BeginUS > 0 {
		add("at " + momentAnd(j.BeginUS) + " at the earliest")
	}
	if j.OnHold {
		add("when you say so: libra release " + strconv.FormatInt(j.ID, 10))
	}
	if said == "" {
		return "when a node takes new jobs"
	}
	return said
}
