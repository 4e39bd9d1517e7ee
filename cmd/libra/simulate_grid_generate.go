package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	imprecise "github.com/libra-market/libra/lab/grid"
)

type simulateGridGenerateOptions struct {
	workload imprecise.Workload
	laxity   string
	seed     uint64
	out      string
}

func newSimulateGridGenerate(con *console) *cobra.Command {
	opts := simulateGridGenerateOptions{workload: imprecise.Figure5(0.4)}
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Make up applications as the paper does",
		Long: `Make up applications as the paper does (section 4). The same options and
seed give the same applications; other laxities and rates change nothing else in
them.`,
		Example: `  # Figure 5: one laxity for all
  libra simulate-grid generate --laxity 0.4 --out apps.csv

  # Figure 6: laxities from 10 to 50 %, a low rate for optional work
  libra simulate-grid generate --laxity 0.1..0.5 --k 0.05 --out apps.csv

  libra simulate-grid generate | libra simulate-grid --policy mf-hbf --workload -`,
		Args: positional(),
		RunE: func(*cobra.Command, []string) error { return runSimulateGridGenerate(con, opts) },
	}
	f := cmd.Flags()
	w := &opts.workload
	f.IntVar(&w.Applications, "applications", w.Applications, "`number` of applications")
	f.StringVar(&opts.laxity, "laxity", "0.4", "by how much deadlines exceed the time for both parts at 1000 MIPS: a `share`, or from..to")
	f.Float64Var(&w.K, "k", w.K, "budget `rate`: a million MI of optional work pay about k times bm")
	f.Float64Var(&w.MeanGap, "mean-gap", w.MeanGap, "mean `seconds` between arrivals")
	f.Uint64Var(&opts.seed, "seed", 1, "`seed` of all that is random")
	f.StringVarP(&opts.out, "out", "o", "-", "write to a `file`, compressed if it ends in .gz; - is standard output")
	return cmd
}

func runSimulateGridGenerate(con *console, opts simulateGridGenerateOptions) error {
	w := opts.workload
	var err error
	if w.LaxityFrom, w.LaxityTo, err = parseRange(opts.laxity); err != nil {
		return usagef("--laxity: %w", err)
	}
	apps, err := w.Generate(opts.seed)
	if err != nil {
		return &usageError{err}
	}
	err = con.writeOutput(opts.out, func(out io.Writer) error { return imprecise.WriteApplications(out, apps) })
	if err != nil || opts.out == "-" {
		return err
	}
	_, err = printf(con.out, "%s written to %s\n", number(int64(len(apps)), "application"), opts.out)
	return err
}

// parseRange reads a number, or two as from..to.
func parseRange(text string) (from, to float64, err error) {
	least, most, both := strings.Cut(text, "..")
	if !both {
		most = least
	}
	from, err = strconv.ParseFloat(least, 64)
	if err == nil {
		to, err = strconv.ParseFloat(most, 64)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%q is not a number, nor two as from..to", text)
	}
	return from, to, nil
}
