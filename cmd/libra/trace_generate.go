package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/workload"
)

type traceGenerateOptions struct {
	model  string
	jobs   int64
	nodes  int
	seed   uint64
	set    []string
	out    string
	format string
}

// The models that make up workloads.
const (
	modelLublin = "lublin"
	modelBatch  = "batch"
)

func newTraceGenerate(con *console) *cobra.Command {
	var opts traceGenerateOptions
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Make up a workload",
		Long: `Make up a workload. The same model, settings and seed give the same jobs.

lublin  parallel jobs after Lublin and Feitelson (2003), with users' estimates and
        no deadlines or budgets (libra trace convert --sla gives them)
` + settingsHelp(lublinKnobs(new(workload.Lublin))) + `
batch   sequential jobs with deadlines and budgets, of the paper on Libra
` + settingsHelp(batchKnobs(new(workload.Batch))),
		Example: `  libra trace generate --jobs 100000 --nodes 256 --set load=0.9 --out busy.swf.gz
  libra trace generate --model batch --jobs 200 --out batch.csv
  libra trace generate --jobs 5000 | libra simulate --policy fcfs-bf --workload -`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runTraceGenerate(cmd.Context(), con, opts) },
	}
	f := cmd.Flags()
	f.StringVar(&opts.model, "model", modelLublin, "`model` that makes the jobs: lublin, batch")
	f.Int64Var(&opts.jobs, "jobs", 10_000, "`number` of jobs")
	f.IntVar(&opts.nodes, "nodes", 128, "`number` of nodes, the widest job there can be (the jobs of batch have one)")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of all that is random")
	f.StringArrayVar(&opts.set, "set", nil, "`name=value` of a setting of the model; may be repeated")
	f.StringVarP(&opts.out, "out", "o", "-", "write to a `file`, compressed if it ends in .gz; - is standard output")
	f.StringVar(&opts.format, "format", "", "write swf, csv or yaml (default: by the `name` of the file; else swf, csv for batch)")
	completeFlag(cmd, "model", modelLublin, modelBatch)
	completeFlag(cmd, "format", "swf", "csv", formatYAML)
	return cmd
}

func runTraceGenerate(ctx context.Context, con *console, opts traceGenerateOptions) error {
	if opts.jobs < 0 {
		return usagef("--jobs: %d makes no sense (want 0 or more)", opts.jobs)
	}
	settings, err := parseSettings(opts.set)
	if err != nil {
		return err
	}
	if opts.out == "-" && opts.format == "" {
		opts.format = "swf"
		if opts.model == modelBatch {
			opts.format = "csv"
		}
	}
	format, err := formatOf(opts.format, opts.out)
	if err != nil {
		return err
	}
	var src workload.Source
	var header *workload.Header
	switch opts.model {
	case modelLublin:
		src, header, err = generateLublin(opts, settings)
	case modelBatch:
		src, header, err = generateBatch(opts, settings)
		if err == nil && format == workload.FormatSWF {
			con.warn("SWF has no place for deadlines and budgets: left out")
		}
	default:
		err = usagef("--model: %q is not one of lublin, batch", opts.model)
	}
	if err != nil {
		return err
	}
	var done atomic.Int64
	finish := con.progress("generating", opts.jobs, done.Load)
	err = con.writeOutput(opts.out, func(out io.Writer) error {
		return writeWorkload(ctx, out, format, header, &counting{src: src, done: &done})
	})
	finish()
	if err != nil {
		return err
	}
	return con.sayWritten(opts.jobs, opts.out)
}

func generateLublin(opts traceGenerateOptions, settings []setting) (workload.Source, *workload.Header, error) {
	m := workload.NewLublin()
	m.Jobs, m.Nodes = opts.jobs, opts.nodes
	if isSet(settings, "mean-gap") && !isSet(settings, "load") {
		m.Load = 0 // the one takes the place of the other
	}
	if err := turnKnobs(lublinKnobs(&m), settings, opts.model); err != nil {
		return nil, nil, err
	}
	src, err := m.Source(opts.seed)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return src, m.Header(), nil
}

func generateBatch(opts traceGenerateOptions, settings []setting) (workload.Source, *workload.Header, error) {
	b := workload.FirstBatch()
	b.Jobs = int(opts.jobs)
	if err := turnKnobs(batchKnobs(&b), settings, opts.model); err != nil {
		return nil, nil, err
	}
	arrivals, err := b.Generate(opts.seed)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return workload.FromSlice(arrivals), workload.ConvertedHeader(arrivals), nil
}

// knob is a setting of a model: a number, or a whole one.
type knob struct {
	name    string
	meaning string
	real    *float64
	whole   *int
}

func lublinKnobs(m *workload.Lublin) []knob {
	return []knob{
		{name: "load", real: &m.Load, meaning: "work per processor and second (0.7)"},
		{name: "mean-gap", real: &m.MeanGap, meaning: "seconds between arrivals, in place of load"},
		{name: "underestimates", real: &m.Underestimates, meaning: "share of jobs that run longer than asked for (0.08)"},
		{name: "users", whole: &m.Users, meaning: "number of users (64)"},
	}
}

func batchKnobs(b *workload.Batch) []knob {
	return []knob{
		{name: "last-arrival", whole: &b.LastArrival, meaning: "arrivals from 1 to this second (102)"},
		{name: "shortest", whole: &b.ShortestMI, meaning: "shortest job, million instructions (1000)"},
		{name: "longest", whole: &b.LongestMI, meaning: "longest job (10900)"},
		{name: "step", whole: &b.StepMI, meaning: "lengths go in steps (100)"},
		{name: "rating", real: &b.Rating, meaning: "MIPS of a node (90)"},
		{name: "last-deadline", whole: &b.LastDeadline, meaning: "deadlines from 1 to this, in seconds (1200)"},
		{name: "budget", whole: &b.Budget, meaning: "budget of most jobs (1000)"},
		{name: "largest-budget", whole: &b.LargestBudget, meaning: "the others have up to this (12000)"},
		{name: "plain-share", real: &b.PlainShare, meaning: "share of the jobs with the budget of most (0.8)"},
	}
}

func turnKnobs(knobs []knob, settings []setting, model string) error {
	for _, s := range settings {
		i := slices.IndexFunc(knobs, func(k knob) bool { return k.name == s.name })
		if i < 0 {
			var names []string
			for _, k := range knobs {
				names = append(names, k.name)
			}
			return usagef("--set: model %s has no setting %q (it has %s)", model, s.name, strings.Join(names, ", "))
		}
		var err error
		if k := knobs[i]; k.whole != nil {
			*k.whole, err = strconv.Atoi(s.value)
		} else {
			*k.real, err = strconv.ParseFloat(s.value, 64)
		}
		if err != nil {
			return usagef("--set: %s: %q is not a number that fits", s.name, s.value)
		}
	}
	return nil
}

func settingsHelp(knobs []knob) string {
	var b strings.Builder
	for _, k := range knobs {
		fmt.Fprintf(&b, "          %-15s %s\n", k.name, k.meaning)
	}
	return b.String()
}
