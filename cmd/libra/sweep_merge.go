package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/sweep"
)

func newSweepMerge(con *console) *cobra.Command {
	out, page, asObjects := "", "", false
	cmd := &cobra.Command{
		Use:   "merge --out FILE.csv PART.csv...",
		Short: "Put the parts of a sweep together",
		Long: `Put together what libra sweep --shard wrote: the file is byte for byte what a single
run would have written. Parts of different sweeps, and parts that are missing, are
mistakes.`,
		Example: "  libra sweep merge --out all.csv part-1.csv part-2.csv part-3.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("PART is missing: the files that libra sweep --shard wrote")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out is missing: a .csv file, or - for standard output")
			}
			if page != "" && out == "-" {
				return usagef("--page: needs a file in --out")
			}
			if asObjects && out == "-" {
				return usagef("--json and --out - exclude each other: both are for standard output")
			}
			if err := runSweepMerge(con, out, args); err != nil {
				return err
			}
			if err := con.drawSweep(out, page); err != nil || !asObjects {
				return err
			}
			return con.printSweepFile(sweepDone{Out: out})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to a CSV `file`; - is standard output")
	cmd.Flags().StringVar(&page, "page", "", "also write an HTML `file` with a drawing of every measure")
	cmd.Flags().BoolVar(&asObjects, "json", false, "print the lines as JSON too")
	return cmd
}

func runSweepMerge(con *console, out string, parts []string) error {
	var m sweep.Merge
	for _, part := range parts {
		text, err := os.ReadFile(part)
		if err == nil {
			err = m.Add(part, string(text))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	return con.writeOutput(out, m.Write)
}
