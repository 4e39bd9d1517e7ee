package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/workload"
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
	page     string
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
every measure against the parameter that varies most.`,
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
	case o.out == "":
		return usagef("--out is missing: a .csv file, or - for standard output")
	case o.page != "" && (o.out == "-" || o.shard != ""):
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
	s, err := planSweep(ctx, con, opts)
	if err != nil {
		return err
	}
	mine, err := s.pick(opts.shard)
	if err != nil {
		return err
	}
	if opts.out == "-" {
		lines := map[int]string{}
		if err = s.run(ctx, con, mine, func(cell int, line string) error { lines[cell] = line; return nil }); err != nil {
			return err
		}
		return con.writeOutput("-", s.write(lines))
	}
	resumed, err := s.runInto(ctx, con, mine, opts)
	if err != nil {
		return err
	}
	before := ""
	if resumed > 0 {
		before = fmt.Sprintf(", %s of them from before", count(int64(resumed)))
	}
	if _, err = fmt.Fprintf(con.err, "libra: wrote %s to %s%s\n", number(int64(len(mine)), "run"), opts.out, before); err != nil {
		return err
	}
	return con.drawSweep(opts.out, opts.page)
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

// pick gives the numbers of the cells that belong to a shard: every n-th, so
// that shards take about as long as each other.
func (s *sweep) pick(shard string) ([]int, error) {
	first, of := 1, 1
	if shard != "" {
		var rest string
		if n, _ := fmt.Sscanf(shard, "%d/%d%s", &first, &of, &rest); n != 2 || first < 1 || of < 1 || first > of {
			return nil, usagef("--shard: %q is not a part (want i/n, 1/4 to 4/4 for instance)", shard)
		}
	}
	var mine []int
	for cell := first - 1; cell < len(s.cells); cell += of {
		mine = append(mine, cell)
	}
	return slices.Clip(mine), nil
}
