package main

import (
	"context"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/plain"
)

// jobsOptions are the flags of libra jobs.
type jobsOptions struct {
	liveOptions
	states []string
	all    bool
	user   string
	name   string
	below  string
	limit  int
	watch  bool
	look   jobsLook
}

// Words for several states at once.
const (
	liveStates    = "live"
	endedStates   = "ended"
	waitingStates = "waiting"
)

// waits reports whether a job in a state has yet to begin.
func waits(s v1.State) bool { return s == v1.Held || s == v1.Queued }

func newJobs(con *console) *cobra.Command {
	var opts jobsOptions
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List your jobs, newest first",
		Long: `List jobs, newest first: your own, or with --all everybody's, which is for the
owner of the cluster. Progress is of the estimate, and whole when a job has completed,
however little it took; "due in" counts down to the deadline, and says of a job that
has ended whether it was in time; the penalty of a late job grows until it ends.
--limit leaves the newest, or with --sort-by the first in that order of all of them.`,
		Example: `  libra jobs
  libra jobs --state live --watch
  libra jobs --state failed,stopped --limit 100 --json
  libra jobs --all --user bob
  libra jobs --state waiting
  libra jobs --sort-by=-price --limit 5 --format job,name,price,cost
  libra jobs -o csv --limit 1000 > jobs.csv
  libra cancel $(libra jobs --name fold --state live -o name)`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			query, err := opts.query()
			if err != nil {
				return err
			}
			if opts.json {
				opts.look.form = asJSON
			}
			if err = jobColumns.check(&opts.look.look); err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				return opts.run(ctx, con, market, query)
			})
		},
	}
	opts.flags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&opts.states, "state", nil, "only jobs in these `states`: "+strings.Join(stateWords(), ", "))
	f.BoolVar(&opts.all, "all", false, "everybody's jobs (owner of the cluster)")
	f.StringVar(&opts.user, "user", "", "only jobs of this `user` (owner of the cluster)")
	f.StringVar(&opts.name, "name", "", "only jobs of this `name`, * being whatever is there (fold*)")
	f.StringVar(&opts.below, "account", "", "only jobs paid by the account of this `path`, or one below it")
	f.IntVar(&opts.limit, "limit", 20, "at most this `number` of jobs")
	f.BoolVar(&opts.watch, "watch", false, "show it again and again")
	completeFlag(cmd, "state", stateWords()...)
	opts.look.flags(cmd)
	return cmd
}

// stateWords are all states, and words for several at once.
func stateWords() []string {
	words := []string{liveStates, endedStates}
	for _, s := range v1.States() {
		words = append(words, s.Word())
	}
	return append(words, waitingStates)
}

func (o *jobsOptions) query() (v1.JobQuery, error) {
	q := v1.JobQuery{Owner: o.user, Account: o.below}
	if o.limit < 1 {
		return q, usagef("--limit: %d makes no sense (want 1 or more)", o.limit)
	}
	for _, word := range o.states {
		n := len(q.States)
		for _, s := range v1.States() {
			if word == string(s) || word == s.Word() || word == liveStates && !s.Final() || word == waitingStates && waits(s) || word == endedStates && s.Final() {
				q.States = append(q.States, s)
			}
		}
		if len(q.States) == n {
			return q, notOneOf("state", word, stateWords())
		}
	}
	return q, nil
}

func (o *jobsOptions) run(ctx context.Context, con *console, market *client.Client, query v1.JobQuery) error {
	if !o.all && query.Owner == "" {
		me, err := market.Whoami(ctx)
		if err != nil {
			return err
		}
		query.Owner = me.User
	}
	show := func(ctx context.Context, out io.Writer) error {
		most := o.limit
		if o.look.sortBy != "" {
			most = math.MaxInt
		}
		page, err := jobPattern(o.name).list(ctx, market, query, most)
		if err == nil {
			err = o.look.cut(&page, o.limit)
		}
		if err != nil {
			return err
		}
		return o.look.print(out, con.colours(), page, o.all)
	}
	if o.watch {
		return con.watch(ctx, market, show)
	}
	return show(ctx, con.out)
}

// jobPage is as many jobs as a server gives at a time.
const jobPage = 500

// listJobs reads as many jobs as are wanted, page by page.
func listJobs(ctx context.Context, market *client.Client, query v1.JobQuery, limit int) (v1.JobPage, error) {
	all := v1.JobPage{Jobs: []v1.Job{}}
	for {
		query.Limit = min(limit-len(all.Jobs), jobPage)
		page, err := market.Jobs(ctx, query)
		if err != nil {
			return all, err
		}
		all.Jobs = append(all.Jobs, page.Jobs...)
		all.Next = page.Next
		if page.Next == 0 || len(all.Jobs) >= limit {
			return all, nil
		}
		query.Before = page.Next
	}
}

// clipped keeps a name from filling a line.
func clipped(name string, most int) string { return clipColumns(plain.Text(name), most) }

func shareOf(j *v1.Job) string {
	if j.State.Final() || j.StartedUS == 0 {
		return "-"
	}
	return share(j.Share)
}

// dueIn counts down to the deadline, and says afterwards how that went.
func dueIn(j *v1.Job) string {
	switch {
	case j.DueUS == 0 || j.State == v1.Rejected:
		return "-"
	case !j.State.Final():
		left := fromNow(j.DueUS)
		if left < 0 {
			return lasting(-left) + " late"
		}
		return lasting(left)
	case j.State == v1.Completed && j.EndedUS > j.DueUS:
		return lasting(time.Duration(j.EndedUS-j.DueUS)*time.Microsecond) + " late"
	case j.State == v1.Completed:
		return "in time"
	default:
		return "-"
	}
}

func penaltyOf(j *v1.Job) string {
	if j.Penalty == 0 {
		return "-"
	}
	return bare(j.Penalty)
}

func lookOf(j *v1.Job) string {
	late := j.DueUS != 0 && fromNow(j.DueUS) < 0
	switch j.State {
	case v1.Running:
		if late {
			return badLook
		}
		return fineLook
	case v1.Held, v1.Queued, v1.Stopping:
		return waitLook
	case v1.Failed, v1.Rejected, v1.Stopped, v1.Expired, v1.Lost:
		return badLook
	default:
		return pastLook
	}
}
