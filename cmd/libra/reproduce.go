package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/experiment"
)

type reproduceOptions struct {
	paper   string
	trace   string
	out     string
	seeds   int
	first   int
	reading string
	quick   bool
	bound   bool
	fresh   bool
	json    bool
}

// allPapers stands for every paper on the command line.
const allPapers = "all"

func newReproduce(con *console) *cobra.Command {
	var opts reproduceOptions
	cmd := &cobra.Command{
		Use:   "reproduce [" + strings.Join(paperNames(), "|") + "] --out DIR",
		Short: "Repeat the papers' evaluations and judge what they say",
		Long: `Repeat the evaluation of a paper, or of all of them: every figure and table as a
drawing (SVG) and as numbers (CSV), a page that shows it all (report.html), and a
verdict on every statement that the text makes about its results (claims.json).

The papers on Libra+$ and LibraSLA use the log SDSC SP2; give it with --trace.
Without it a made-up workload takes its place, and the figures say so.

Finished figures are kept in DIR: an interrupted run goes on where it was, and
another run with the same parameters and the same program uses them again, unless
--fresh is given. A statement that does not hold is a result, not a failure; what
other seeds might decide otherwise is within the noise.

` + paperHelp() + `

Where a text can be read in two ways the report has a table of the other readings,
and the statements that each gains and loses; --reading measures everything under
one of them.

` + readingHelp(),
		Example: `  # everything, in a minute or two
  libra reproduce --quick --trace SDSC-SP2-1998-4.2-cln.swf.gz --out out/quick

  # one paper at full size, with 30 seeds
  libra reproduce libra-plus --seeds 30 --trace SDSC-SP2-1998-4.2-cln.swf.gz --out out/libra-plus`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%q is one argument too many", args[1])
			}
			return nil
		},
		ValidArgsFunction: complete(paperNames()...),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paper = allPapers
			if len(args) == 1 {
				opts.paper = args[0]
			}
			if cmd.Flags().Changed("seeds") && opts.seeds < 1 {
				return usagef("--seeds: %d makes no sense (want 1 or more)", opts.seeds)
			}
			if opts.first < 1 {
				return usagef("--first-seed: seeds are numbered from 1")
			}
			return runReproduce(cmd.Context(), con, opts)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opts.trace, "trace", "t", "", "log `file` (.swf, .swf.gz) for the papers that use one")
	f.StringVarP(&opts.out, "out", "o", "", "`directory` to write to; it is made if it is not there")
	f.IntVar(&opts.seeds, "seeds", 0, "`number` of seeds of every point (default: what each paper's figures need)")
	f.IntVar(&opts.first, "first-seed", 1, "`number` of the first seed; the others follow it")
	f.StringVar(&opts.reading, "reading", "", "another `name`d reading of what the papers leave open, in place of the usual one")
	f.BoolVar(&opts.bound, "bound", false, "also draw what no policy could exceed on the workloads of libra-plus, libra-sla and ic (see libra bound)")
	f.BoolVar(&opts.quick, "quick", false, "fewer seeds and values: everything in a minute or two")
	f.BoolVar(&opts.fresh, "fresh", false, "measure everything again, whatever lies in the directory")
	f.BoolVar(&opts.json, "json", false, "print the verdicts as JSON, as in claims.json")
	completeFlag(cmd, "reading", readingNames()...)
	if err := cmd.RegisterFlagCompletionFunc("trace", completeWorkload); err != nil {
		panic(err)
	}
	return cmd
}

func runReproduce(ctx context.Context, con *console, opts reproduceOptions) error {
	papers, err := findPapers(opts.paper)
	if err != nil {
		return err
	}
	reading, err := findReading(opts.reading, papers)
	if err != nil {
		return err
	}
	if opts.out == "" {
		return usagef("--out is missing: a directory for the report")
	}
	trace, err := openTrace(opts.trace)
	if err != nil {
		return err
	}
	if trace.Made && slices.ContainsFunc(papers, func(p experiment.Paper) bool { return p.Trace }) {
		con.warn("no --trace: the papers on SDSC SP2 get a made-up workload, and their numbers cannot be those of the papers")
	}
	if about, noStat := os.Stat(opts.out); noStat == nil && !about.IsDir() {
		return fmt.Errorf("%s: is not a directory", opts.out)
	}
	store, err := experiment.OpenStore(opts.out, opts.fresh)
	if err != nil {
		return err
	}
	bars := &stageBars{con: con}
	defer bars.finish()
	report, err := experiment.Reproduce(ctx, papers, experiment.Options{
		Trace: trace, Seeds: opts.seeds, First: opts.first, Reading: reading, Quick: opts.quick, Bound: opts.bound, Store: store, Version: buildVersion(), Build: buildSum(),
		Lab: &experiment.Lab{Progress: bars.progress},
	})
	bars.finish()
	if err != nil {
		return err
	}
	if opts.json {
		return con.writeJSON(report.Claims())
	}
	return printReport(con, opts, store, report)
}

// buildSum tells builds apart that have the same version, as those of a
// developer have. A program that cannot read itself has only its version.
func buildSum() string {
	path, err := os.Executable()
	if err != nil {
		return buildVersion()
	}
	file, err := os.Open(path)
	if err != nil {
		return buildVersion()
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return buildVersion()
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func openTrace(path string) (*experiment.Trace, error) {
	if path == "" {
		return experiment.MakeTrace()
	}
	return experiment.OpenTrace(path)
}
