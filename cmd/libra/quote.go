package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// quoteOptions are the flags of libra quote.
type quoteOptions struct {
	liveOptions
	terms   jobTerms
	preview bool
	curve   bool
	ttl     time.Duration
}

func newQuote(con *console) *cobra.Command {
	var opts quoteOptions
	cmd := &cobra.Command{
		Use:   "quote [flags] [-- PROGRAM ARGS... | SCRIPT ARGS...]",
		Short: "Ask what a job costs and when it would be done",
		Long: `Ask for a price and a promise. A quote that binds holds its price, and costs a little
for each minute that it kept room if it is not taken. It binds the market until it expires: a job
that is submitted on it (libra submit --quote ID) is taken at this price, with its
deadline counted from then. The program may be named now or when it is submitted.

--preview asks for a quote that binds nobody; --curve shows what the same job costs
with other deadlines, which binds nobody either.`,
		Example: `  libra quote --estimate 2m --deadline 10m
  libra quote --estimate 2m --deadline 10m -- ./simulate input.dat
  libra quote --curve --estimate 10m --procs 2
  libra quote -f job.yaml
  libra quote --preview --json job.sh`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.preview && cmd.Flags().Changed("ttl") {
				return usagef("--ttl: a preview binds nobody")
			}
			request, err := opts.terms.request(cmd, con, args)
			if err != nil {
				return err
			}
			if err := checkRequest(cmd, &request); err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				if opts.curve {
					return opts.drawCurve(ctx, con, market, request)
				}
				return opts.quoteOne(ctx, con, market, request)
			})
		},
	}
	opts.flags(cmd)
	opts.terms.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&opts.preview, "preview", false, "ask for a quote that binds nobody")
	f.BoolVar(&opts.curve, "curve", false, "show the price against the deadline")
	f.DurationVar(&opts.ttl, "ttl", 0, "how `long` the quote binds, at most 10m (default 1m)")
	return cmd
}

func (o *quoteOptions) quoteOne(ctx context.Context, con *console, market *client.Client, request v1.Request) error {
	var q v1.Quote
	var err error
	if o.preview {
		q, err = market.Preview(ctx, request)
	} else {
		q, err = market.AskQuote(ctx, request, o.ttl)
	}
	if err != nil {
		return err
	}
	con.passedOver(&request, &q.Request)
	if o.json {
		return con.writeJSON(q)
	}
	return o.printQuote(con.out, &q, request.HasProgram())
}

func (o *quoteOptions) printQuote(out io.Writer, q *v1.Quote, withProgram bool) error {
	g := &grid{left: 2}
	if q.ID != "" {
		g.add("quote", q.ID)
	}
	g.add("price", cash(q.Price))
	if q.Worked != "" {
		g.add("because", q.Worked)
	}
	addStorage(g, q.Storage)
	if q.Request.Optional != nil {
		g.add("optional", cash(q.OptionalMost)+" if all of it is executed")
	}
	if q.Gain != 0 {
		g.add("gain", cash(q.Gain)+" to the cluster")
	}
	if q.Firm && q.FinishUS != 0 {
		g.add("done by", momentAnd(q.FinishUS))
	} else {
		g.add("done by", "nothing promised before it starts")
	}
	if q.PredictedUS != 0 {
		g.add("predicted", momentAnd(q.PredictedUS))
	}
	if q.Request.DeadlineMS > 0 {
		g.add("odds", fmt.Sprintf("%s that the deadline is met", percent(q.Odds)))
	}
	where := number(int64(max(1, q.Width)), "processor")
	if q.Share > 0 {
		where += fmt.Sprintf(", needs %s of each", share(q.Share))
	}
	if p := q.Request.Partition; p != "" {
		where += ", partition " + p
	}
	if r := q.Request.Reservation; r != "" {
		where += ", reservation " + r
	}
	if qos := q.Request.QOS; qos != "" {
		where += ", QOS " + qos
	}
	g.add("on", where)
	g.add("policy", q.Policy)
	if q.Formula != "" {
		g.add("formula", q.Formula)
	}
	switch {
	case q.Binding:
		g.add("binds", untilWords(q.ExpiresUS))
		if q.Held > 0 {
			g.add("holds", cash(q.Held)+" until then")
		}
		if q.Rent > 0 {
			g.add("not taken", cash(q.Rent)+" for each minute that it kept room")
		}
	case q.ID == "":
		g.add("binds", "nobody: a preview")
	case q.NotBinding != "":
		g.add("binds", "nobody: "+q.NotBinding)
	default:
		g.add("binds", "nobody: it is priced when the job is submitted")
	}
	if err := g.write(out, ""); err != nil || q.ID == "" {
		return err
	}
	_, err := printf(out, "\ntake it with: %s\n", takeQuote(o.words(), q, withProgram))
	return err
}
