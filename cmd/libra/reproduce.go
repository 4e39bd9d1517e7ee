package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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

func paperNames() []string {
	var names []string
	for _, p := range experiment.Papers() {
		names = append(names, p.Name)
	}
	return append(names, allPapers)
}

func paperHelp() string {
	g := &grid{left: 2}
	for _, p := range experiment.Papers() {
		g.add(p.Name, p.Title)
	}
	return inHelp(g)
}

// inHelp is a table as help shows it.
func inHelp(g *grid) string {
	var b strings.Builder
	_ = g.write(&b, "  ") // a builder takes everything
	return strings.TrimRight(b.String(), "\n")
}

// findPapers gives the papers of a name.
func findPapers(name string) ([]experiment.Paper, error) {
	if name == allPapers {
		return experiment.Papers(), nil
	}
	for _, p := range experiment.Papers() {
		if p.Name == name {
			return []experiment.Paper{p}, nil
		}
	}
	return nil, usagef("unknown paper %q (want one of %s)", name, strings.Join(paperNames(), ", "))
}

func readingNames() []string {
	var names []string
	for _, r := range experiment.Readings() {
		names = append(names, r.Name)
	}
	return names
}

// findReading gives the reading of a name, if it is one of the papers'.
func findReading(name string, papers []experiment.Paper) (*experiment.Reading, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no name is the usual reading
	}
	for _, r := range experiment.Readings() {
		if r.Name != name {
			continue
		}
		if !slices.ContainsFunc(papers, func(p experiment.Paper) bool { return slices.Contains(r.Papers, p.Name) }) {
			return nil, usagef("--reading %s is one of %s alone", name, strings.Join(r.Papers, ", "))
		}
		return &r, nil
	}
	return nil, usagef("unknown reading %q (want one of %s)", name, strings.Join(readingNames(), ", "))
}

func readingHelp() string {
	g := &grid{left: 2}
	for _, r := range experiment.Readings() {
		g.add(r.Name, r.Title)
	}
	return inHelp(g)
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

func printReport(con *console, opts reproduceOptions, store *experiment.Store, report *experiment.Report) error {
	g := &grid{left: 1}
	g.add("paper", "figures", "statements", "hold", "do not", "within the noise", "no evidence")
	for i := range report.Parts {
		p := &report.Parts[i]
		s := p.Score()
		g.add(p.Name, count(int64(len(p.Shown()))), count(int64(len(p.Claims))), count(int64(s.Held)), count(int64(s.Failed)), count(int64(s.InNoise)), count(int64(s.Aside)))
	}
	if err := g.write(con.out, ""); err != nil {
		return err
	}
	if err := printReadings(con, report.Readings); err != nil {
		return err
	}
	if store.Reused > 0 {
		printf(con.err, "libra: figures measured before were used again: %s (--fresh measures them anew)\n", number(int64(store.Reused), "set"))
	}
	_, err := printf(con.out, "\n%s\n", filepath.Join(opts.out, "report.html"))
	return err
}

// printReadings shows what other readings do, in numbers.
func printReadings(con *console, list []experiment.Difference) error {
	if len(list) == 0 {
		return nil
	}
	g := &grid{left: 2}
	g.add("reading", "paper", "hold", "do not", "usually hold", "do not", "better", "worse")
	for i := range list {
		d := &list[i]
		g.add(d.Reading, d.Paper, count(int64(d.Held)), count(int64(d.Failed)), count(int64(d.UsualHeld)), count(int64(d.UsualFailed)), count(int64(len(d.Gained))), count(int64(len(d.Lost))))
	}
	if _, err := printf(con.out, "\n"); err != nil {
		return err
	}
	return g.write(con.out, "")
}

// stageBars shows one progress bar after the other.
type stageBars struct {
	con   *console
	mu    sync.Mutex
	stage string
	done  int64
	end   func()
}

func (b *stageBars) progress(stage string, done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = done
	if stage == b.stage {
		return
	}
	b.clear()
	b.stage = stage
	b.end = b.con.progress(stage, total, func() int64 {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.done
	})
}

// clear ends the bar that is shown. The painter asks for progress while it is
// being stopped, so the lock must be free meanwhile.
func (b *stageBars) clear() {
	if b.end != nil {
		end := b.end
		b.end = nil
		b.mu.Unlock()
		end()
		b.mu.Lock()
	}
	b.stage = ""
}

func (b *stageBars) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}
