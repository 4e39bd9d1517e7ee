package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func newCancel(con *console) *cobra.Command {
	var opts liveOptions
	var many cancelMany
	cmd := &cobra.Command{
		Use:   "cancel (ID... | --all [--name PATTERN] [--state STATES])",
		Short: "Take jobs, or quotes, back",
		Long: `Take jobs back. One that runs is told to end (SIGTERM, and SIGKILL after its grace)
and is charged for what it has used; asked a second time, it is killed at once. A
quote (q12) is taken back in the same way. --all takes all of your jobs, or those of
them that --name and --state leave, and asks first.`,
		Example: `  libra cancel 12 13
  libra cancel 12-20
  libra cancel last
  libra cancel slurm:4711
  libra cancel q14
  libra cancel --all --name 'fold*' --state waiting`,
		Args:              func(_ *cobra.Command, args []string) error { return many.check(args) },
		ValidArgsFunction: opts.completeJobs(statesOf(false)...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if many.all {
				return cancelAll(cmd.Context(), con, &opts, &many)
			}
			return runCancel(cmd.Context(), con, &opts, args)
		},
	}
	opts.flags(cmd)
	many.flags(cmd)
	return cmd
}

func runCancel(ctx context.Context, con *console, opts *liveOptions, args []string) error {
	return endEach(ctx, con, opts, args, func(market *client.Client, id int64) (v1.Job, string, error) {
		job, err := market.Cancel(ctx, id)
		return job, cancellation(&job), err
	})
}

// endEach ends the jobs, and drops the quotes, that are named, and says of each what
// became of it. One that cannot be ended keeps no other from it.
func endEach(ctx context.Context, con *console, opts *liveOptions, args []string,
	end func(market *client.Client, id int64) (job v1.Job, said string, err error),
) error {
	named := make([][]jobName, len(args))
	for i, text := range args {
		if isQuote(text) {
			continue
		}
		ids, err := jobsNamed(text)
		if err != nil {
			return err
		}
		named[i] = ids
	}
	return opts.ask(ctx, con, func(ctx context.Context, market *client.Client) error {
		jobs := []v1.Job{}
		var failed []error
		for i, text := range args {
			if isQuote(text) {
				if err := market.DropQuote(ctx, text); err != nil {
					failed = append(failed, misnamed(text, err))
				} else if !opts.json {
					printf(con.out, "quote %s is void\n", text)
				}
				continue
			}
			for _, name := range named[i] {
				id, err := numberOf(ctx, market, name)
				if err != nil {
					failed = append(failed, err)
					continue
				}
				job, said, err := end(market, id)
				switch {
				case err != nil:
					failed = append(failed, err)
				case opts.json:
					jobs = append(jobs, job)
				default:
					_ = paragraph(con.out, "", said) // the job has ended, whoever reads it
				}
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

// misnamed says what to type where somebody has named a job and not its number.
func misnamed(text string, err error) error {
	if len(text) > 1 && text[0] == 'q' && text[1] >= '0' && text[1] <= '9' {
		return err
	}
	return fmt.Errorf("%w; %s is no number of a job: jobs of a name are cancelled by libra cancel --all --name %s", err, text, quoteAll([]string{text})[0])
}

// isQuote tells a quote from a job: it begins with a letter.
func isQuote(id string) bool {
	for _, word := range []string{lastJob, slurmNumber, libraNumber} {
		if strings.HasPrefix(id, word) {
			return false
		}
	}
	return id != "" && (id[0] < '0' || id[0] > '9') && id[0] != '-'
}

func cancellation(j *v1.Job) string {
	if j.State == v1.Stopping {
		return fmt.Sprintf("job %d is being stopped", j.ID)
	}
	text := fmt.Sprintf("job %d %s", j.ID, j.State.Word())
	if j.Charged != 0 {
		text += fmt.Sprintf(": %s charged", cash(j.Charged))
	}
	return text
}
