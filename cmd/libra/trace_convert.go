package main

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

type traceConvertOptions struct {
	last   int
	factor float64
	sla    string
	set    []string
	seed   uint64
	format string
}

func newTraceConvert(con *console) *cobra.Command {
	var opts traceConvertOptions
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert between SWF, CSV and job specifications, cut, stretch, and write SLAs",
		Long: `Convert a workload, an SWF log, a CSV or what Slurm's sacct --parsable2 says, to SWF, CSV or job specifications (.yaml, for a mebibyte of them),
as the name of OUT says (.gz compresses it); - is standard input or output, and sacct:FROM..TO asks sacct itself. What is written is in order of submission. From SWF to
SWF every field is kept. Deadlines and budgets have no place in SWF. Records that
do not say on how many processors or when are left out.`,
		Example: `  libra trace convert SDSC-SP2.swf.gz jobs.csv

  # the workload of the Libra+$ paper, with its deadlines and budgets
  libra trace convert --last 5000 --arrival-factor 0.5 --sla libra-plus --seed 7 SDSC-SP2.swf.gz jobs.csv.gz

  # half of the jobs urgent
  libra trace convert --sla libra-sla --set high-urgency=0.5 SDSC-SP2.swf.gz jobs.csv

  # the last ten, as specifications to be looked at, changed and simulated
  libra trace convert --last 10 jobs.csv jobs.yaml`,
		Args:              positional("IN", "OUT"),
		ValidArgsFunction: completeWorkload,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("last") && opts.last < 1 {
				return usagef("--last: %d makes no sense (want 1 or more)", opts.last)
			}
			return runTraceConvert(cmd.Context(), con, opts, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.IntVar(&opts.last, "last", 0, "take only the last `number` of jobs in the file")
	f.Float64Var(&opts.factor, "arrival-factor", 1, "multiply the gaps between submissions by a `factor`")
	f.StringVar(&opts.sla, "sla", trial.NoModel, "write deadlines and budgets of a `model`: "+strings.Join(workload.Models(), ", "))
	f.StringArrayVar(&opts.set, "set", nil, "`name=value` of a setting of the SLA model; may be repeated")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of the SLA model")
	f.StringVar(&opts.format, "format", "", "write swf, csv or yaml, whatever the `name` of OUT")
	completeFlag(cmd, "sla", workload.Models()...)
	completeFlag(cmd, "format", "swf", "csv", formatYAML)
	return cmd
}

func runTraceConvert(ctx context.Context, con *console, opts traceConvertOptions, from, to string) error {
	if !(opts.factor >= 0) || math.IsInf(opts.factor, 0) {
		return usagef("--arrival-factor: %v makes no sense (want 0 or more)", opts.factor)
	}
	format, err := formatOf(opts.format, to)
	if err != nil {
		return err
	}
	model, err := newModel(opts.sla)
	if err != nil {
		return err
	}
	if format == workload.FormatSWF && !model.None() {
		return usagef("--sla: SWF has no place for deadlines and budgets; write a .csv")
	}
	settings, err := parseSettings(opts.set)
	if err != nil {
		return err
	}
	if err = distribute(settings, nil, model); err != nil {
		return err
	}
	file, err := con.openWorkload(ctx, from)
	if err != nil {
		return err
	}
	defer file.Close()
	var jobs int
	if file.SWF() != nil && format == workload.FormatSWF {
		jobs, err = convertRecords(ctx, con, opts, file, from, to)
	} else {
		jobs, err = convertArrivals(ctx, con, opts, model, file, format, from, to)
	}
	if err != nil {
		return err
	}
	return con.sayWritten(int64(jobs), to)
}

// sayWritten tells what was done, unless standard output has the jobs.
func (c *console) sayWritten(jobs int64, to string) error {
	if to == "-" {
		return nil
	}
	_, err := printf(c.out, "%s written to %s\n", number(jobs, "job"), to)
	return err
}

// convertArrivals goes by what a simulation would see of each job.
func convertArrivals(ctx context.Context, con *console, opts traceConvertOptions, model trial.Model,
	file *workload.File, format workload.Format, from, to string,
) (int, error) {
	if s := file.Sacct(); s != nil {
		s.TellGPUs()
	}
	arrivals, err := con.loadWorkload(ctx, file, opts.last)
	if err != nil {
		return 0, err
	}
	con.warnSkipped(from, file.Skipped())
	header := workload.ConvertedHeader(arrivals)
	if s := file.Sacct(); s != nil {
		con.warnSacct(from, s.Left())
		header = s.Header()
	}
	workload.Sort(arrivals)
	if err = model.Apply(arrivals, opts.seed); err != nil {
		return 0, err
	}
	if format == workload.FormatSWF && slices.ContainsFunc(arrivals, func(a workload.Arrival) bool { return a.HasSLA() }) {
		con.warn("SWF has no place for deadlines and budgets: left out")
	}
	placed := slices.ContainsFunc(arrivals, func(a workload.Arrival) bool { return a.Placed() })
	if placed && format != workload.FormatCSV {
		con.warn("partitions, and nodes by name, have a place in a .csv alone: left out")
	}
	src, err := workload.StretchGaps(workload.FromSlice(arrivals), opts.factor)
	if err != nil {
		return 0, err
	}
	return len(arrivals), con.writeOutput(to, func(out io.Writer) error {
		return writeWorkload(ctx, out, format, header, src, placed)
	})
}

// writeWorkload writes all of a source, of which some jobs may be placed.
func writeWorkload(ctx context.Context, out io.Writer, format workload.Format, header *workload.Header, src workload.Source, placed bool) error {
	if format == workload.FormatSpec {
		return workload.Copy(ctx, &specWriter{out: out}, src)
	}
	w, err := workload.NewWriter(out, format, header, placed)
	if err != nil {
		return err
	}
	return workload.Copy(ctx, w, src)
}

// convertRecords goes from log to log and keeps all that the records say.
func convertRecords(ctx context.Context, con *console, opts traceConvertOptions, file *workload.File, from, to string) (int, error) {
	finish := con.progress("reading", file.Size(), file.BytesRead)
	log, err := workload.ReadExcerpt(ctx, file, from, opts.last)
	finish()
	if err != nil {
		return 0, err
	}
	con.warnSkipped(from, log.Skipped)
	log.Stretch(opts.factor)
	return len(log.Records), con.writeOutput(to, log.Write)
}
