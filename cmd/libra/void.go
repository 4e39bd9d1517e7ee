package main

import (
	"context"
	"errors"

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
	numbers := make([]int64, len(args))
	for i, text := range args {
		id, err := jobNumber(text)
		if err != nil {
			return err
		}
		numbers[i] = id
	}
	return opts.ask(ctx, con, func(ctx context.Context, market *client.Client) error {
		jobs := []v1.Job{}
		var failed []error
		for _, id := range numbers {
			job, err := market.Void(ctx, id, reason)
			switch {
			case err != nil:
				failed = append(failed, err)
			case opts.json:
				jobs = append(jobs, job)
			default:
				printf(con.out, "job %d is void: %s\n", job.ID, job.Detail)
			}
		}
		if opts.json {
			if err := con.writeJSON(jobs); err != nil {
				return err
			}
		}
		return errors.Join(failed...)
	})
}
