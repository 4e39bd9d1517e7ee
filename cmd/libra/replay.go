package main

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// replayOptions are the flags of libra replay.
type replayOptions struct {
	history   string
	table     string
	from      string
	policies  []string
	nodes     int
	cluster   string
	partition []string
	last      int
	sla       string
	set       []string
	seed      uint64
	tune      string
	span      string
	svg       string
	top       int
	json      bool
	strict    bool
	store     string
	archive   string

	simulated bool // what was is to be simulated, though the history may tell it
}

func newReplay(con *console) *cobra.Command {
	var opts replayOptions
	cmd := &cobra.Command{
		Use:   "replay HISTORY",
		Short: "What would your own history have earned under another policy or price?",
		Long: `Run the jobs of the past under other policies and say what would have changed:
revenue, satisfied users (in time and within budget), who wins and who loses.

HISTORY is a workload CSV with deadlines and budgets, an SWF log or what Slurm's sacct
says (which are given them by --sla), or a job table that libra wrote; sacct:FROM..TO asks
sacct itself. Of sacct's jobs it
is known when they really ended: that is compared with, unless --from says under which
policy to simulate it; and as many processors are taken as were in use at once, unless
--nodes or --cluster says otherwise. A job table alone knows only the
jobs that ran, and no deadlines; better give the workload and, with --table, the
table of what became of it. Without a table, what was is simulated too: under the
policy of --from. The word live is the history of the running market: its jobs,
and what really became of them.

--svg draws whose deadlines were met and would have been, user by user.

--tune name finds the value of a setting that earns most, the price factor beta of
libra-plus for instance, and shows the curve.

live --strict changes nothing: it carries out every command of the market's log
again and says where this program decides otherwise than the one that wrote it,
before an upgrade for instance. Exit code 1 if it does. It reads the store itself,
whether or not the market runs, and the archive files that old parts of the log are in.`,
		Example: `  # we run backfilling; what would Libra+$ have earned?
  libra replay SDSC-SP2.swf.gz --last 5000 --policy libra-plus

  # what would last month have earned on our Slurm cluster, and whose deadlines been met?
  libra replay sacct:2026-10-01..2026-11-01 --nodes 4096 --svg october.svg

  # what happened is known; compare two policies with it
  libra replay jobs.csv --table table.csv --policy libra,libra-plus --nodes 128

  # what would the running market have earned under another price?
  libra replay live --policy libra-plus --set beta=0.3

  # would this version have decided like the one that is running?
  libra replay live --strict --store market.db

  # the best price factor, with a drawing of the curve
  libra replay jobs.csv --nodes 128 --tune beta --svg beta.svg`,
		Args:              positional("HISTORY"),
		ValidArgsFunction: completeWorkload,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.history = args[0]
			if err := opts.check(cmd.Flags().Changed); err != nil {
				return err
			}
			if opts.strict {
				return runStrict(cmd.Context(), con, opts)
			}
			return runReplay(cmd.Context(), con, opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.table, "table", "", "job table (CSV `file`) of what became of the jobs")
	f.StringVar(&opts.from, "from", "fcfs-bf", "`policy` the jobs ran under, where there is no table")
	f.StringSliceVarP(&opts.policies, "policy", "p", []string{"libra-plus"}, "other `policy` to try, or several with commas between them")
	f.IntVarP(&opts.nodes, "nodes", "n", 0, "`number` of equal nodes (default: what the header of a log says)")
	f.StringVar(&opts.cluster, "cluster", "", "`file` that describes the nodes, with their GPUs, in place of --nodes")
	simulatedPartitionFlag(f, &opts.partition)
	f.IntVar(&opts.last, "last", 0, "take only the last `number` of jobs in the file")
	f.StringVar(&opts.sla, "sla", "", "`model` of deadlines and budgets: "+strings.Join(workload.Models(), ", "))
	f.StringArrayVar(&opts.set, "set", nil, "`name=value` of a setting; may be repeated")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of the SLA model")
	f.StringVar(&opts.tune, "tune", "", "find the value of a `setting` with the best revenue")
	f.StringVar(&opts.span, "range", "0.01:10", "`from:to` where --tune looks")
	f.StringVar(&opts.svg, "svg", "", "draw whose deadlines are met, or the curve of --tune, into an SVG `file`")
	f.IntVar(&opts.top, "top", 5, "show a `number` of winners and of losers")
	f.BoolVar(&opts.strict, "strict", false, "with live: check that this program decides like the log")
	f.StringVar(&opts.store, "store", "", "with --strict: the market's store, an SQLite `file` or postgres://...")
	f.StringVar(&opts.archive, "archive", "", "with --strict: `directory` of the archive files of the log (default: beside the SQLite file)")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	for flag, offers := range map[string]cobra.CompletionFunc{
		"policy": completePolicies, "from": complete(policyNames()...), "table": completeWorkload, "sla": complete(workload.Models()...),
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, offers); err != nil {
			panic(err)
		}
	}
	return cmd
}

func (o *replayOptions) check(given func(flag string) bool) error {
	switch {
	case len(o.policies) == 0:
		return usagef("--policy is missing: one or several of %s", strings.Join(policyNames(), ", "))
	case given("last") && o.last < 1:
		return usagef("--last: %d makes no sense (want 1 or more)", o.last)
	case o.top < 0:
		return usagef("--top: %d makes no sense (want 0 or more)", o.top)
	case o.cluster != "" && given("nodes"):
		return usagef("--cluster and --nodes exclude each other: the file says how many nodes there are")
	case o.cluster != "" && o.history == liveHistory:
		return usagef("--cluster is for a history in a file: live knows the nodes of the market")
	case len(o.partition) > 0 && o.history == liveHistory:
		return usagef("--partition is for a history in a file: live knows the partitions of the market")
	case o.table != "" && given("from"):
		return usagef("--table and --from exclude each other: the table says what was")
	case o.strict && o.history != liveHistory:
		return usagef("--strict is for the log of a market: libra replay live --strict --store FILE")
	case o.strict != given("store"):
		return usagef("--strict and --store belong together: libra replay live --strict --store FILE")
	case given("archive") && !o.strict:
		return usagef("--archive goes with --strict: what else is replayed of a market is in its store")
	case o.tune == "" && given("range"):
		return usagef("--range belongs to --tune")
	}
	o.simulated = given("from")
	if given("nodes") {
		return checkNodes(o.nodes)
	}
	return nil
}

// pastRun is a history and what it is run under.
type pastRun struct {
	replayOptions
	con      *console
	settings []trial.Setting
	nodes    int
	on       *experiment.Cluster // nodes that are described; nil: plain ones
	arrivals []workload.Arrival
	lived    *replay.Course         // what was, where the market itself remembers
	ends     map[string]market.Time // of a history of Slurm's: when each job ended
	purses   *replay.Purses         // and who could pay what
	unfunded int                    // jobs it refused for lack of money
	rate     market.Price           // of a second of a processor there; 0: 1

	partitions *trade.Rates // what the partitions of the nodes cost; nil: there are none
}

// past is the history to be replayed.
func (r *pastRun) past() *replay.History {
	return &replay.History{Arrivals: r.arrivals, Nodes: r.nodes, Cluster: r.on, Rate: r.rate, Partitions: r.partitions, Purses: r.purses}
}

func runReplay(ctx context.Context, con *console, opts replayOptions) error {
	r := &pastRun{replayOptions: opts, con: con}
	contenders, err := findPolicies(opts.policies)
	if err != nil {
		return err
	}
	if opts.table == "" {
		if _, err = findPolicies([]string{opts.from}); err != nil {
			return usagef("--from: %w", err)
		}
	}
	if r.settings, err = parseSettings(opts.set); err != nil {
		return err
	}
	low, high, err := parseSpan(opts.span)
	if err != nil {
		return err
	}
	if err = r.load(ctx, contenders); err != nil {
		return err
	}
	var tuned *replay.Tuning
	if opts.tune != "" {
		if tuned, err = r.tuneSetting(ctx, contenders, low, high); err != nil {
			return err
		}
	}
	before, err := r.baseline(ctx, contenders)
	if err != nil {
		return err
	}
	answer := replayAnswer{History: opts.history, Nodes: r.nodes, Before: before.Ending, Tuned: tuned, Unfunded: r.unfunded}
	for _, c := range contenders {
		var after *replay.Course
		if after, err = r.past().Run(ctx, c.Kind.Name, c.Set); err != nil {
			return err
		}
		answer.After = append(answer.After, replay.Compare(r.arrivals, before, after))
	}
	switch {
	case opts.svg == "":
	case tuned != nil:
		err = r.drawCurve(tuned)
	default:
		err = r.drawWhose(&answer)
	}
	if err != nil {
		return err
	}
	if opts.json {
		return con.writeJSON(answer)
	}
	return r.print(&answer)
}

// baseline is what was: as the market or a table tells, or as a policy would
// have done it.
func (r *pastRun) baseline(ctx context.Context, contenders []trial.Contender) (*replay.Course, error) {
	switch {
	case r.lived != nil:
		return r.lived, nil
	case r.table != "":
		return r.readCourse()
	case r.ends != nil && !r.simulated:
		r.lived = replay.Ended(r.arrivals, r.ends)
		return r.lived, nil
	}
	from, err := findPolicies([]string{r.from})
	if err != nil {
		return nil, err
	}
	for _, c := range contenders { // settings of --set reach the baseline only where it is tried as well
		if c.Kind.Name == r.from {
			from[0].Set = c.Set
		}
	}
	return r.past().Run(ctx, r.from, from[0].Set)
}

// tuneSetting finds the best value of --tune for the first policy that has the
// setting, which keeps it.
func (r *pastRun) tuneSetting(ctx context.Context, contenders []trial.Contender, low, high float64) (*replay.Tuning, error) {
	at := slices.IndexFunc(contenders, func(c trial.Contender) bool { return replay.Tunable(c.Kind, r.tune) })
	if at < 0 {
		return nil, usagef("--tune: no policy of --policy has a number %q to set", r.tune)
	}
	c := contenders[at]
	bars := &stageBars{con: r.con}
	defer bars.finish()
	t, err := r.past().Tune(ctx, &experiment.Lab{Progress: bars.progress}, c.Kind, c.Set, r.tune, low, high)
	if err != nil {
		return nil, err
	}
	c.Set[r.tune] = strconv.FormatFloat(t.Best, 'g', -1, 64)
	return t, nil
}

// parseSpan reads from:to.
func parseSpan(text string) (low, high float64, err error) {
	from, to, found := strings.Cut(text, ":")
	low, wrong := strconv.ParseFloat(from, 64)
	high, wrong2 := strconv.ParseFloat(to, 64)
	if !found || wrong != nil || wrong2 != nil || !(low > 0) || !(high > low) || math.IsInf(high, 0) {
		return 0, 0, usagef("--range: %q is not a range (want from:to, both above 0)", text)
	}
	return low, high, nil
}
