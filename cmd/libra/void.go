package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func newVoid(con *console) *cobra.Command {
	var opts liveOptions
	var reason string
	cmd := &cobra.Command{
		Use:   "void JOB...",
		Short: "End jobs for nothing, whatever state they are in",
		Long: `End jobs whatever state they are in, as the owner of the market: nothing is charged, what
was held goes back to whoever pays, and their nodes are told to stop them. Nobody is
waited for, so that a job ends that no node answers for. The receipt and the log say
who voided a job, and why.`,
		Example: `  libra void 12 --reason "the file server lost its input"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("JOB is missing")
			}
			return nil
		},
		ValidArgsFunction: opts.completeJobs(statesOf(false)...),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVoid(cmd.Context(), con, &opts, reason, args)
		},
	}
	opts.flags(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the user and the books")
	return cmd
}

func runVoid(ctx context.Context, con *console, opts *liveOptions, reason string, args []string) error {
	for _, text := range args { // a quote is dropped by cancel
		if _, err := jobsNamed(text); err != nil {
			return err
		}
	}
	return endEach(ctx, con, opts, args, func(market *client.Client, id int64) (v1.Job, string, error) {
		job, err := market.Void(ctx, id, reason)
		return job, fmt.Sprintf("job %d is void: %s", job.ID, job.Detail), err
	})
}
