package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// submitOptions are the flags of libra submit.
type submitOptions struct {
	liveOptions
	terms   jobTerms
	quote   string
	key     string
	wait    bool
	confirm confirmation
}

func newSubmit(con *console) *cobra.Command {
	var opts submitOptions
	cmd := &cobra.Command{
		Use:   "submit [flags] (-- PROGRAM ARGS... | SCRIPT ARGS...)",
		Short: "Hand in a job with a deadline and a budget",
		Long: `Hand in a job: a program (after --) or a script. The market answers with a price
and a promise, or says no and what it would take instead (exit code 3; with --wait,
where exit codes are those of the job, 125). On a terminal it shows price, promise and
balance and asks before a job is handed in that costs more than --ask-above.

A script's head may say all that flags say, in #LIBRA lines (#LIBRA estimate=2m
deadline=10m budget=5), and what #SBATCH and #PBS lines say is understood too.
Flags beat #LIBRA lines, and those beat the others. - is a script on standard
input. --file reads the specification of a job: what it runs (details), what it
needs (resources), what it is worth and when it must be done (qos, optimise), and
in the segment libra all else that flags say, by their names (libra: {begin: 18:00}).

The estimate is how long the program runs with a processor to itself; without one it is
taken from your own runs of the program (libra estimate). A deadline
is a length of time (10m, 1:30:00), a time of day (14:30, at 14:30:05, tomorrow 9:00)
or a point in time (RFC 3339); a hard one unless it is --soft, which can bear a delay,
for the --penalty.

The job gets PATH, LANG, LC_ALL and TZ of this environment and what --env and
--export name; --export all hands on everything, --export none nothing.`,
		Example: `  # two minutes of work, within ten, for 5 at most
  libra submit --estimate 2m --deadline 10m --budget 5 -- ./simulate input.dat

  # a script that says so itself; wait for it and exit as it does
  libra submit --wait job.sh

  # a hundred elements, ten at a time
  libra submit -e 30s -d 1h --array 1-100%10 -- ./sweep

  # 20 s that must be done, and up to a minute more to refine the result
  libra submit -e 20s -d 2m -b 5 --optional 60s --optional-rate 0.05 \
      --optional-command 'refine --more' -- ./solve

  # a job that is specified in a file
  libra submit -f job.yaml

  # take a quote, or a counter-offer
  libra submit --quote q12a`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSubmit(cmd, con, &opts, args)
		},
	}
	opts.flags(cmd)
	opts.terms.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&opts.quote, "quote", "", "take the quote of this `ID`")
	f.StringVar(&opts.key, "key", "", "idempotency `key`: the job is handed in once, however often this is said (default: a random one)")
	f.BoolVar(&opts.wait, "wait", false, "wait for the job to end, show what it writes and its receipt, and exit with its code; with 125 if the market says no")
	opts.confirm.flags(cmd)
	return cmd
}

func runSubmit(cmd *cobra.Command, con *console, opts *submitOptions, args []string) error {
	var request v1.Request
	if opts.quote == "" || len(args) > 0 || opts.terms.given(cmd) {
		var err error
		if request, err = opts.terms.request(cmd, con, args); err != nil {
			return err
		}
	}
	if request.Hold && opts.quote != "" {
		return usagef("--hold: a quote is for a job that can begin now")
	}
	unsaid := opts.quote == "" && request.EstimateMS == 0 && request.HasProgram()
	if opts.quote == "" && !unsaid {
		if err := checkRequest(cmd, &request); err != nil {
			return err
		}
	}
	if _, err := opts.confirm.threshold(); err != nil {
		return err
	}
	err := opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
		if unsaid { // it may have run before
			fillEstimate(ctx, con, market, &request, "--estimate")
			if err := checkRequest(cmd, &request); err != nil {
				return err
			}
		}
		if opts.quote == "" && !opts.json {
			if err := opts.confirm.confirm(ctx, con, market, &request); err != nil {
				return err
			}
		}
		if opts.key != "" {
			ctx = client.WithKey(ctx, opts.key)
		}
		job, err := market.Submit(ctx, request, opts.quote)
		if err != nil {
			return err
		}
		con.passedOver(&request, &job.Request)
		if opts.wait {
			return opts.await(ctx, con, market, job)
		}
		if opts.json {
			return con.writeJSON(job)
		}
		return paragraph(con.out, "", acceptance(&job))
	})
	if no, ok := errors.AsType[*refusal](err); ok && opts.wait {
		no.code = exitNotTaken
	}
	return err
}

// acceptance says in one line what became of a submission.
func acceptance(j *v1.Job) string {
	what := fmt.Sprintf("job %d", j.ID)
	if j.Batch != "" {
		what += fmt.Sprintf(" (%s%s)", slurmNumber, j.Batch)
	}
	if a := j.Request.Array; a != nil {
		what += fmt.Sprintf(" (%s)", number(int64(a.Len()), "element"))
	}
	accepted := "accepted"
	if cluster := j.Cluster(); cluster != "" {
		accepted += " by " + cluster
	}
	price := cash(j.Price) + " for it"
	if o := j.Request.Optional; o != nil {
		price += fmt.Sprintf(" and %s a second for what it adds until then", cash(o.RateMicros))
	}
	switch {
	case j.State == v1.Held:
		return fmt.Sprintf("%s is held: it begins %s", what, heldUntil(&j.Request, j))
	case j.State == v1.Queued && j.DueUS != 0:
		return fmt.Sprintf("%s queued: %s, wanted by %s, nothing promised before it starts", what, price, momentAnd(j.DueUS))
	case j.State == v1.Queued:
		return fmt.Sprintf("%s queued: %s, nothing promised before it starts", what, price)
	case j.State.Final():
		return fmt.Sprintf("%s %s: %s", what, j.State, j.Detail)
	case j.Firm && j.PromisedUS != 0:
		return fmt.Sprintf("%s %s: %s, done by %s", what, accepted, price, momentAnd(j.PromisedUS))
	case j.DueUS != 0:
		return fmt.Sprintf("%s %s: %s, wanted by %s, nothing promised", what, accepted, price, momentAnd(j.DueUS))
	default:
		return fmt.Sprintf("%s %s: %s, without a deadline", what, accepted, price)
	}
}

// jobList names jobs in a sentence.
func jobList(ids []int64) string {
	text := "job"
	if len(ids) > 1 {
		text = "jobs"
	}
	for i, id := range ids {
		switch {
		case i == 0:
		case i == len(ids)-1:
			text += " and"
		default:
			text += ","
		}
		text += fmt.Sprintf(" %d", id)
	}
	return text
}
