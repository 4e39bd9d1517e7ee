package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/workload"
)

func newTraceInfo(con *console) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Say what is in a workload",
		Long: `Say what is in a workload: what its header states, how many jobs it has, how they
arrive and how much they ask for, which fields are missing, and whether it is in
order of submission. Jobs are read as a simulation reads them: processors as
requested, runtimes of at least 1 s.`,
		Example: `  libra trace info SDSC-SP2.swf.gz
  libra trace info --json jobs.csv
  libra trace convert --last 5000 --format swf SDSC-SP2.swf.gz - | libra trace info -`,
		Args:              positional("FILE"),
		ValidArgsFunction: completeWorkload,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTraceInfo(cmd.Context(), con, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func runTraceInfo(ctx context.Context, con *console, path string, asJSON bool) error {
	file, err := con.openWorkload(ctx, path)
	if err != nil {
		return err
	}
	defer file.Close()
	finish := con.progress("reading", file.Size(), file.BytesRead)
	facts, err := workload.Survey(ctx, file, path)
	finish()
	if err != nil {
		return err
	}
	if asJSON {
		return con.writeJSON(facts)
	}
	return printTraceInfo(con.out, facts)
}

func printTraceInfo(out io.Writer, f *workload.Facts) error {
	g := &grid{left: 2}
	g.add("file", f.File)
	g.add("format", f.Format)
	for _, h := range f.Header {
		g.add(h.Name, h.Value)
	}
	g.add("jobs", count(f.Jobs))
	if f.Skipped > 0 {
		g.add("  left out", count(f.Skipped)+" (they do not say on how many processors or when)")
	}
	if f.NeverRan > 0 {
		g.add("  never ran", count(f.NeverRan))
	}
	if f.Users > 0 {
		g.add("users", count(f.Users))
	}
	g.add("submitted", fmt.Sprintf("%s to %s s, over %s days", unpadded(f.FirstSubmit), unpadded(f.LastSubmit), grouped(f.Span/86400, 1)))
	g.add("mean inter-arrival", grouped(f.MeanInterArrival, 2)+" s")
	g.add("mean runtime", grouped(f.MeanRuntime, 2)+" s")
	g.add("mean estimate", grouped(f.MeanEstimate, 2)+" s")
	g.add("mean processors", fmt.Sprintf("%s, at most %s", grouped(f.MeanProcs, 2), count(int64(f.MaxProcs))))
	if f.Processors > 0 {
		g.add("offered load", fmt.Sprintf("%s of %s processors", grouped(f.OfferedLoad, 3), count(int64(f.Processors))))
	} else {
		g.add("offered load", grouped(f.OfferedLoad, 2)+" processors (the file does not say how many there are)")
	}
	g.add("with a deadline", percentOf(f.WithDeadline, f.Jobs))
	g.add("with a budget", percentOf(f.WithBudget, f.Jobs))
	order := "by submission"
	if !f.Sorted {
		order = fmt.Sprintf("not by submission: %s back, the first in line %d", number(f.StepsBack, "step"), f.FirstStepBack)
	}
	g.add("order", order)
	if len(f.Missing) == 0 {
		g.add("missing fields", "none")
	}
	for i, m := range f.Missing {
		label := ""
		if i == 0 {
			label = "missing fields"
		}
		g.add(label, fmt.Sprintf("%s: %s", m.Field, percentOf(m.Records, f.Jobs+f.Skipped)))
	}
	return g.write(out, "")
}
