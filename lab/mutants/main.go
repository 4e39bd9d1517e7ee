package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"time"
)

// options is what can be asked for.
type options struct {
	sample   int
	seed     uint64
	parallel int
	limit    time.Duration
	out      string
	list     bool
}

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "so many mutants of each package, drawn by -seed; 0: all")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
	flag.IntVar(&o.parallel, "parallel", 2, "mutants at a time")
	flag.DurationVar(&o.limit, "limit", 30*time.Second, "processor time for the tests of one mutant; one that takes longer has been noticed")
	flag.StringVar(&o.out, "out", "out/mutants", "directory for what was found")
	flag.BoolVar(&o.list, "list", false, "list the mutants, and run nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, &o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, o *options, dirs []string) error {
	if len(dirs) == 0 {
		return fmt.Errorf("which packages? (say core/exchange, say)")
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, dir := range dirs {
		p, err := load(dir)
		if err != nil {
			return err
		}
		chosen := choose(p.mutants, o.sample, o.seed)
		if o.list {
			for _, m := range chosen {
				fmt.Fprintln(out, m)
			}
			continue
		}
		found, err := p.try(ctx, out, o, work, chosen)
		if err != nil {
			return err
		}
		report(out, dir, found, len(p.mutants), o)
	}
	return nil
}

// choose draws a sample, in the order of the source.
func choose(all []mutant, n int, seed uint64) []mutant {
	if n <= 0 || n >= len(all) {
		return all
	}
	draw := rand.New(rand.NewPCG(seed, 0))
	index := draw.Perm(len(all))[:n]
	slices.Sort(index)
	chosen := make([]mutant, 0, n)
	for _, i := range index {
		chosen = append(chosen, all[i])
	}
	return chosen
}

// report says what was found, and which mutants nobody noticed.
func report(out io.Writer, dir string, found []verdict, of int, o *options) {
	killed := 0
	for _, v := range found {
		if v.Killed {
			killed++
		}
	}
	fmt.Fprintf(out, "%s: %d of %d mutants noticed: %.1f %%", dir, killed, len(found), 100*float64(killed)/float64(max(1, len(found))))
	if len(found) < of {
		fmt.Fprintf(out, " (a sample of %d, seed %d)", of, o.seed)
	}
	fmt.Fprintln(out)
	for _, v := range found {
		if !v.Killed {
			fmt.Fprintln(out, "  survived:", v.Mutant)
		}
	}
}
