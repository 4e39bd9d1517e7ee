package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/sweep"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/spec"
)

// sweepOptions are the flags of libra sweep.
type sweepOptions struct {
	policies []string
	workload string
	nodes    int
	last     int
	factor   float64
	sla      string
	set      []string
	vary     []string
	seeds    int
	shard    string
	out      string
	fresh    bool
	bound    bool
	page     string
	json     bool
}

func newSweep(con *console) *cobra.Command {
	var opts sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep --policy P[,P2...] --workload FILE --out FILE.csv",
		Short: "Run a grid of parameters and seeds, into a tidy CSV",
		Long: `Run every combination of policies, values of parameters and seeds on a workload,
on all processors, and write one line for each run.

--vary name=values goes through a parameter: of a policy, of the SLA model, or
arrival-factor or nodes. Values are a list (0.1,0.3,1) or a range (0.1:1:0.1). A
policy that does not know a parameter is run once for all of its values, and has
nothing in its column.

What is finished is kept in FILE.csv.part: an interrupted sweep goes on where it
was. --shard i/n runs one of n parts, on any machine; libra sweep merge puts the
parts together, byte for byte what a single run would have written. --page draws
every measure against the parameter that varies most. --bound adds lines for the
policy "bound": what no policy could exceed there (libra bound --quick). --json prints
the lines as objects too.`,
		Example: `  # Libra+$ under five prices and ten loads, ten seeds each
  libra sweep --policy libra-plus --workload SDSC-SP2.swf.gz --last 5000 --vary beta=0.1,0.3,0.5,1 \
    --vary arrival-factor=0.1:1:0.1 --seeds 10 --out beta.csv --page beta.html

  # the same as an array job of Slurm, then put together
  sbatch --array=1-20 --wrap 'libra sweep ... --shard $SLURM_ARRAY_TASK_ID/20 --out part-$SLURM_ARRAY_TASK_ID.csv'
  libra sweep merge --out beta.csv part-*.csv`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return runSweep(cmd.Context(), con, opts)
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&opts.policies, "policy", "p", nil, "`policy` to run, or several with commas between them")
	f.StringVarP(&opts.workload, "workload", "w", "", "workload `file`: .swf or .csv, also .gz")
	f.IntVarP(&opts.nodes, "nodes", "n", 0, "`number` of equal nodes (default: what the header of a log says)")
	f.IntVar(&opts.last, "last", 0, "take only the last `number` of jobs in the file")
	f.Float64Var(&opts.factor, "arrival-factor", 1, "multiply the gaps between submissions by a `factor`")
	f.StringVar(&opts.sla, "sla", "", "`model` of deadlines and budgets: "+strings.Join(workload.Models(), ", "))
	f.StringArrayVar(&opts.set, "set", nil, "`name=value` of a setting, the same in all runs; may be repeated")
	f.StringArrayVar(&opts.vary, "vary", nil, "`name=values` to go through; may be repeated, the last changes fastest")
	f.IntVar(&opts.seeds, "seeds", 1, "`number` of seeds, counted from 1")
	f.StringVar(&opts.shard, "shard", "", "run only part `i/n` of the runs")
	f.StringVarP(&opts.out, "out", "o", "", "write to a CSV `file`; - is standard output, which cannot be resumed")
	f.StringVar(&opts.page, "page", "", "also write an HTML `file` with a drawing of every measure")
	f.BoolVar(&opts.bound, "bound", false, "also work out what no policy could exceed, as lines of their own (see libra bound)")
	f.BoolVar(&opts.json, "json", false, "print the lines as JSON, beside the file or in its place")
	f.BoolVar(&opts.fresh, "fresh", false, "begin again, whatever an interrupted sweep has left")
	if err := cmd.RegisterFlagCompletionFunc("policy", completePolicies); err != nil {
		panic(err)
	}
	if err := cmd.RegisterFlagCompletionFunc("workload", completeWorkload); err != nil {
		panic(err)
	}
	completeFlag(cmd, "sla", workload.Models()...)
	cmd.AddCommand(newSweepMerge(con))
	return cmd
}

func (o *sweepOptions) check(given func(flag string) bool) error {
	switch {
	case len(o.policies) == 0:
		return usagef("--policy is missing: one or several of %s", strings.Join(policyNames(), ", "))
	case o.workload == "":
		return usagef("--workload is missing: a .swf or .csv file")
	case o.out == "" && !o.json:
		return usagef("--out is missing: a .csv file, or - for standard output (or --json)")
	case o.out == "-" && o.json:
		return usagef("--json and --out - exclude each other: both are for standard output")
	case o.page != "" && (o.out == "-" || o.out == "" || o.shard != ""):
		return usagef("--page: draws a whole sweep in a file (without --shard and --out -; libra sweep merge has a --page too)")
	case given("last") && o.last < 1:
		return usagef("--last: %d makes no sense (want 1 or more)", o.last)
	case !(o.factor >= 0) || math.IsInf(o.factor, 0):
		return usagef("--arrival-factor: %v makes no sense (want 0 or more)", o.factor)
	case o.seeds < 1:
		return usagef("--seeds: %d makes no sense (want 1 or more)", o.seeds)
	}
	if given("nodes") {
		return checkNodes(o.nodes)
	}
	return nil
}

func runSweep(ctx context.Context, con *console, opts sweepOptions) error {
	easeCollector(ctx)
	plan, err := planSweep(ctx, con, opts)
	if err != nil {
		return err
	}
	i, n, err := parseShard(opts.shard)
	if err != nil {
		return err
	}
	mine := plan.Shard(i, n)
	bars := &stageBars{con: con}
	defer bars.finish()
	lab := &experiment.Lab{Progress: bars.progress}
	if opts.out == "-" || opts.out == "" {
		lines := sweep.Lines{}
		if err = plan.Run(ctx, lab, mine, func(cell int, line string) error { lines[cell] = line; return nil }); err != nil {
			return err
		}
		bars.finish()
		if opts.json {
			var table bytes.Buffer
			if err = plan.Write(&table, lines); err != nil {
				return err
			}
			return con.printSweep(sweepDone{}, &table)
		}
		return con.writeOutput("-", func(to io.Writer) error { return plan.Write(to, lines) })
	}
	resumed, err := (&sweep.Journal{Out: opts.out, Fresh: opts.fresh, Write: con.writeOutput}).Run(ctx, plan, lab, mine)
	if err != nil {
		return err
	}
	bars.finish()
	before := ""
	if resumed > 0 {
		before = fmt.Sprintf(", %s of them from before", count(int64(resumed)))
	}
	if _, err = printf(con.err, "libra: wrote %s to %s%s\n", number(int64(len(mine)), "run"), opts.out, before); err != nil {
		return err
	}
	if err = con.drawSweep(opts.out, opts.page); err != nil || !opts.json {
		return err
	}
	return con.printSweepFile(sweepDone{Out: opts.out, Before: resumed})
}

// planSweep reads the workload and finds the cluster as libra simulate does,
// and lays out the runs.
func planSweep(ctx context.Context, con *console, opts sweepOptions) (*sweep.Plan, error) {
	contenders, err := findPolicies(opts.policies)
	if err != nil {
		return nil, err
	}
	settings, err := parseSettings(opts.set)
	if err != nil {
		return nil, err
	}
	axes, err := sweep.ParseAxes(opts.vary)
	if err != nil {
		return nil, usagef("--vary: %w", err)
	}
	like := &simulation{simulateOptions: simulateOptions{
		policies: opts.policies, workload: opts.workload, nodes: opts.nodes, last: opts.last, factor: opts.factor, sla: opts.sla,
	}, con: con, contenders: contenders, settings: settings}
	file, err := con.openWorkload(ctx, opts.workload)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if like.model, err = newModel(like.modelName(file)); err != nil {
		return nil, err
	}
	nodes := opts.nodes
	if !slices.ContainsFunc(axes, func(a sweep.Axis) bool { return a.Name == sweep.VaryNodes }) {
		found, none := like.findNodes(file)
		if none != nil {
			return nil, none
		}
		nodes = found.Len()
	}
	arrivals, err := con.loadWorkload(ctx, file, opts.last)
	if err != nil {
		return nil, err
	}
	con.warnSkipped(opts.workload, file.Skipped())
	workload.Sort(arrivals)
	order := &sweep.Order{
		Base: experiment.Cell{Nodes: nodes, Jobs: experiment.Jobs{
			Base: &experiment.Base{Name: opts.workload, Arrivals: arrivals}, Model: like.model.Name, Factor: opts.factor,
		}},
		Axes: axes, Seeds: opts.seeds, MaxNodes: spec.MaxNodes,
	}
	for _, c := range contenders {
		order.Kinds = append(order.Kinds, c.Kind)
	}
	order.Settings, order.Bound = settings, opts.bound
	plan, err := sweep.New(order)
	if unknown, is := errors.AsType[*sweep.UnknownError](err); is && unknown.Varied {
		return nil, usagef("--vary: %w: %s; and there are %s and %s", err, trial.Knowers(contenders, like.model), sweep.VaryFactor, sweep.VaryNodes)
	} else if is {
		return nil, usagef("--set: %w: %s", err, trial.Knowers(contenders, like.model))
	}
	if err != nil {
		return nil, usagef("%w", err)
	}
	return plan, nil
}

// parseShard reads i/n; nothing is all of it.
func parseShard(text string) (i, n int, err error) {
	if text == "" {
		return 1, 1, nil
	}
	var rest string
	if read, _ := fmt.Sscanf(text, "%d/%d%s", &i, &n, &rest); read != 2 || i < 1 || n < 1 || i > n {
		return 0, 0, usagef("--shard: %q is not a part (want i/n, 1/4 to 4/4 for instance)", text)
	}
	return i, n, nil
}

// drawSweep writes the CSV of a sweep as a page, if one is asked for.
func (con *console) drawSweep(csv, page string) error {
	if page == "" {
		return nil
	}
	file, err := os.Open(csv)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := experiment.SweepHTML(file, "Sweep "+filepath.Base(csv), buildVersion())
	if err != nil {
		return fmt.Errorf("%s: %w", csv, err)
	}
	return con.writeOutput(page, func(to io.Writer) error {
		_, err := to.Write(text)
		return err
	})
}
