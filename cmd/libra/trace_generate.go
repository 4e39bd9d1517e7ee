package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/trial"
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
` + settingsHelp(new(workload.Lublin).Knobs()) + `
batch   sequential jobs with deadlines and budgets, of the paper on Libra
` + settingsHelp(new(workload.Batch).Knobs()),
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
		return writeWorkload(ctx, out, format, header, &counting{src: src, done: &done}, false)
	})
	finish()
	if err != nil {
		return err
	}
	return con.sayWritten(opts.jobs, opts.out)
}

func generateLublin(opts traceGenerateOptions, settings []trial.Setting) (workload.Source, *workload.Header, error) {
	m := workload.NewLublin()
	m.Jobs, m.Nodes = opts.jobs, opts.nodes
	if trial.IsSet(settings, "mean-gap") && !trial.IsSet(settings, "load") {
		m.Load = 0 // the one takes the place of the other
	}
	if err := turnKnobs(m.Knobs(), settings, opts.model); err != nil {
		return nil, nil, err
	}
	src, err := m.Source(opts.seed)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return src, m.Header(), nil
}

func generateBatch(opts traceGenerateOptions, settings []trial.Setting) (workload.Source, *workload.Header, error) {
	b := workload.FirstBatch()
	b.Jobs = int(opts.jobs)
	if err := turnKnobs(b.Knobs(), settings, opts.model); err != nil {
		return nil, nil, err
	}
	arrivals, err := b.Generate(opts.seed)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	return workload.FromSlice(arrivals), workload.ConvertedHeader(arrivals), nil
}

// turnKnobs gives the values of --set to a model.
func turnKnobs(knobs []workload.Knob, settings []trial.Setting, model string) error {
	for _, s := range settings {
		if err := workload.Turn(knobs, model, s.Name, s.Value); err != nil {
			return usagef("--set: %w", err)
		}
	}
	return nil
}

func settingsHelp(knobs []workload.Knob) string {
	var b strings.Builder
	for _, k := range knobs {
		fmt.Fprintf(&b, "          %-15s %s\n", k.Name, k.Meaning)
	}
	return b.String()
}
