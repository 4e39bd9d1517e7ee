package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/spec"
)

// simulateOptions are the flags of libra simulate.
type simulateOptions struct {
	policies  []string
	workload  string
	nodes     int
	cluster   string
	gpus      int
	gpuRate   float64
	partition []string
	clusters  int
	wish      string
	ask       int
	last      int
	factor    float64
	sla       string
	set       []string
	seed      uint64
	estimates string
	failures  string
	until     float64
	jobs      string
	bound     bool
	json      bool
}

func newSimulate(con *console) *cobra.Command {
	var opts simulateOptions
	cmd := &cobra.Command{
		Use:   "simulate --policy P[,P2...] --workload FILE",
		Short: "Replay a workload under one or several policies",
		Long: `Replay a workload under a policy and sum up what became of its jobs. Several
policies get the same workload and are compared, one line each.

The workload is an SWF log or a workload CSV, plain or compressed with gzip; - is
standard input. A log has no deadlines and budgets: it is given them by a model
of the papers (--sla), libra-sla for the policy libra-sla and libra-plus for all
others; --sla none runs it as it is. A CSV has its own, which --sla replaces.

A workload can also be a YAML or JSON file of job specifications, as libra submit
--file takes them. A segment simulation may say when a job is submitted and how
long it really runs (submit and runtime, in seconds); otherwise all come at once
and run as long as they say.

Nodes of --cluster may be in partitions; a job is in the one that its column partition
names, or in the first of --partition, which says what prices are times in each.

--clusters puts several clusters, each of the nodes given, behind a broker: it asks
them about a job as it comes, and hands it to the best by --wish of those that would
take it; a refusal goes to the next. Nodes are counted through all clusters, in
--jobs and --failures.

--set changes a setting of the policy or of the SLA model, whichever knows the
name; libra policies lists them all. Speed (wall_seconds, jobs_per_second) is that
of the run alone, with reading where the workload is streamed: one policy, no SLA
model, no --last.`,
		Example: `  # the setting of the Libra+$ paper
  libra simulate --policy libra-plus --nodes 128 --workload SDSC-SP2.swf.gz --last 5000 --arrival-factor 0.5

  # compare policies, with dearer peaks for the one that knows beta
  libra simulate --policy edf-bf,libra,libra-plus --workload SDSC-SP2.swf.gz --last 5000 --set beta=0.3

  # your own jobs, with a table of what became of each
  libra simulate --policy libra --nodes 16 --workload jobs.csv --jobs table.csv --json

  # jobs that are specified in a file
  libra simulate --policy libra --nodes 4 --workload jobs.yaml

  # and what nobody could exceed
  libra simulate --policy edf-bf,libra-plus --workload SDSC-SP2.swf.gz --last 5000 --bound

  # a thousand clusters of 128 nodes behind a broker, each job asking eight of them
  libra simulate --policy libra --workload jobs.csv --nodes 128 --clusters 1000 --wish cheapest --ask 8

  # a log as it is: no deadlines, no budgets
  libra simulate --policy fcfs-bf --workload KTH-SP2.swf.gz --sla none`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%q: give the workload with --workload", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return runSimulate(cmd.Context(), con, opts)
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&opts.policies, "policy", "p", nil, "`policy` to run, or several with commas between them")
	f.StringVarP(&opts.workload, "workload", "w", "", "workload `file`: .swf or .csv, also .gz, .yaml or .json, or - for standard input")
	f.IntVarP(&opts.nodes, "nodes", "n", 0, "`number` of equal nodes (default: what the header of a log says)")
	f.StringVar(&opts.cluster, "cluster", "", "`file` that describes the nodes, in place of --nodes")
	f.IntVar(&opts.gpus, "gpus-per-node", 0, "`number` of GPUs that each of the --nodes has")
	f.Float64Var(&opts.gpuRate, "gpu-rate", 1, "`price` of one GPU for a second, of the --gpus-per-node")
	simulatedPartitionFlag(f, &opts.partition)
	f.IntVar(&opts.clusters, "clusters", 1, "`number` of such clusters, behind a broker")
	f.StringVar(&opts.wish, "wish", string(wish.Cheapest), "which of several clusters gets a job: `wish` is "+wishes())
	f.IntVar(&opts.ask, "ask", 0, "ask only so many clusters about a job, a different `number` of them each time (default: all)")
	f.IntVar(&opts.last, "last", 0, "take only the last `number` of jobs in the file")
	f.Float64Var(&opts.factor, "arrival-factor", 1, "multiply the gaps between submissions by a `factor`")
	f.StringVar(&opts.sla, "sla", "", "`model` of deadlines and budgets: "+strings.Join(workload.Models(), ", "))
	f.StringArrayVar(&opts.set, "set", nil, "`name=value` of a setting; may be repeated")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of the SLA model")
	f.StringVar(&opts.estimates, "estimates", "",
		"`kind` of estimates: given (by the file), exact (default: exact for libra-sla, else the SLA model's or the file's)")
	f.StringVar(&opts.failures, "failures", "", "CSV `file` of nodes that fail and come back: time,node,event (down or up)")
	f.Float64Var(&opts.until, "until", 0, "end the run at a `time` in seconds, on the clock of the workload")
	f.StringVar(&opts.jobs, "jobs", "", "write the job table to a CSV `file`; of several policies, one file each")
	f.BoolVar(&opts.bound, "bound", false, "also work out what no policy could exceed on these jobs (see libra bound)")
	f.BoolVar(&opts.json, "json", false, "print the summary as JSON; of several policies, an array")
	if err := cmd.RegisterFlagCompletionFunc("policy", completePolicies); err != nil {
		panic(err)
	}
	if err := cmd.RegisterFlagCompletionFunc("workload", completeWorkload); err != nil {
		panic(err)
	}
	completeFlag(cmd, "wish", strings.Split(wishes(), ", ")...)
	completeFlag(cmd, "sla", workload.Models()...)
	completeFlag(cmd, "estimates", string(trial.GivenEstimates), string(trial.ExactEstimates))
	return cmd
}

// maxClusters is as many as a run can have, of one node each.
const maxClusters = spec.MaxNodes

// wishes lists what can be wished for.
func wishes() string {
	var names []string
	for _, w := range wish.All() {
		names = append(names, string(w))
	}
	return strings.Join(names, ", ")
}

// check finds what is wrong with the flags before any file is opened.
func (o *simulateOptions) check(given func(flag string) bool) error {
	switch {
	case len(o.policies) == 0:
		return usagef("--policy is missing: one or several of %s", strings.Join(policyNames(), ", "))
	case o.workload == "":
		return usagef("--workload is missing: a .swf or .csv file, or - for standard input")
	case given("nodes") && o.cluster != "":
		return usagef("--nodes and --cluster exclude each other")
	case (given("gpus-per-node") || given("gpu-rate")) && o.cluster != "":
		return usagef("--cluster says what GPUs nodes have, and what they cost (gpus, prices.gpus)")
	case given("gpu-rate") && !given("gpus-per-node"):
		return usagef("--gpu-rate is the price of GPUs that nodes have: give --gpus-per-node")
	case o.gpus < 0 || o.gpus > market.MaxGPUs:
		return usagef("--gpus-per-node: %d makes no sense (want 0 to %d)", o.gpus, market.MaxGPUs)
	case !(o.gpuRate >= 0) || math.IsInf(o.gpuRate, 0):
		return usagef("--gpu-rate: %v makes no sense (want 0 or more)", o.gpuRate)
	case o.clusters < 1 || o.clusters > maxClusters:
		return usagef("--clusters: %d makes no sense (want 1 to %d)", o.clusters, maxClusters)
	case !slices.Contains(wish.All(), wish.Wish(o.wish)):
		return usagef("--wish: %q is not one of %s", o.wish, wishes())
	case given("ask") && o.ask < 1:
		return usagef("--ask: %d makes no sense (want 1 or more)", o.ask)
	case (given("ask") || given("wish")) && o.clusters == 1:
		return usagef("--ask and --wish choose among several clusters: give --clusters")
	case given("last") && o.last < 1:
		return usagef("--last: %d makes no sense (want 1 or more)", o.last)
	case !(o.factor >= 0) || math.IsInf(o.factor, 0):
		return usagef("--arrival-factor: %v makes no sense (want 0 or more)", o.factor)
	case given("until") && (!(o.until > 0) || math.IsInf(o.until, 0)):
		return usagef("--until: %v makes no sense (want more than 0)", o.until)
	case !trial.Estimates(o.estimates).Valid():
		return usagef("--estimates: %q is not one of given, exact", o.estimates)
	case o.jobs == "-" || o.jobs == "/dev/stdout":
		return usagef("--jobs: the summary has standard output; give a file")
	}
	if given("nodes") {
		return checkNodes(o.nodes)
	}
	return nil
}

// simulation is one workload and all that it is run under.
type simulation struct {
	simulateOptions
	con        *console
	contenders []trial.Contender
	settings   []trial.Setting
	model      trial.Model
	nodes      market.Nodes
	partitions *trade.Rates // nil: there are none
	changes    []sim.NodeChange
}

func runSimulate(ctx context.Context, con *console, opts simulateOptions) error {
	easeCollector(ctx)
	s := &simulation{simulateOptions: opts, con: con}
	var err error
	if s.contenders, err = findPolicies(opts.policies); err != nil {
		return err
	}
	if s.settings, err = parseSettings(opts.set); err != nil {
		return err
	}
	file, err := con.openWorkload(ctx, opts.workload)
	if err != nil {
		return err
	}
	defer file.Close()
	if err = s.prepare(file); err != nil {
		return err
	}
	results, err := s.run(ctx, file)
	if err != nil {
		return err
	}
	con.warnSkipped(opts.workload, file.Skipped())
	return s.print(results)
}

// prepare settles what hangs on the format of the workload and on other files.
func (s *simulation) prepare(file *workload.File) (err error) {
	if s.model, err = newModel(s.modelName(file)); err != nil {
		return err
	}
	if err = distribute(s.settings, s.contenders, s.model); err != nil {
		return err
	}
	if err = s.checkInaccuracy(); err != nil {
		return err
	}
	if s.nodes, err = s.findNodes(file); err != nil {
		return err
	}
	if s.partitions, err = simulatedPartitions(s.partition, s.nodes); err != nil {
		return err
	}
	if s.failures != "" {
		s.changes, err = readFailures(s.failures, s.nodes.Len()*s.clusters)
	}
	return err
}

// modelName is the SLA model asked for, or the usual one.
func (s *simulation) modelName(file *workload.File) string {
	if s.sla != "" {
		return s.sla
	}
	return trial.UsualModel(file.Format(), s.contenders[0].Kind)
}

// checkInaccuracy looks for estimates asked to be two things at once.
func (s *simulation) checkInaccuracy() error {
	if !trial.IsSet(s.settings, trial.Inaccuracy) {
		return nil
	}
	if trial.Estimates(s.estimates) == trial.ExactEstimates {
		return usagef("--set inaccuracy and --estimates exact exclude each other")
	}
	for _, c := range s.contenders {
		if trial.Estimates(s.estimates).Exact(c.Kind) {
			s.con.warn("%s takes estimates to be exact, inaccuracy does not reach it (--estimates given changes that)", c.Kind.Name)
		}
	}
	return nil
}

// run streams the workload if nobody needs all of it at once, and loads it
// otherwise, or if it turns out to be out of order.
func (s *simulation) run(ctx context.Context, file *workload.File) ([]*report.Summary, error) {
	if len(s.contenders) == 1 && s.model.None() && s.last == 0 && s.workload != "-" && !s.bound && !file.Begins() {
		summary, err := s.stream(ctx, file)
		if _, unsorted := errors.AsType[*workload.OutOfOrderError](err); !unsorted {
			return []*report.Summary{summary}, err
		}
		s.con.warn("%s: %v; sorting the workload first", s.workload, err)
		again, err := s.con.openWorkload(ctx, s.workload)
		if err != nil {
			return nil, err
		}
		defer again.Close()
		return s.runLoaded(ctx, again, true)
	}
	return s.runLoaded(ctx, file, file.Begins())
}
