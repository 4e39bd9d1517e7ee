// Command run tries every strategy of package adversary in many worlds, and says
// what each of them brought. It ends with 1 if one pays, or an invariant is broken.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/lab/adversary"
)

func main() {
	seeds := flag.Uint64("seeds", 10_000, "so many worlds")
	first := flag.Uint64("first", 0, "the seed of the first")
	only := flag.String("strategy", "", "these alone, with commas between them")
	workers := flag.Int("parallel", runtime.NumCPU(), "worlds at a time")
	limit := flag.Duration("for", 0, "begin no world after so long; 0: until all have been tried")
	doc := flag.String("doc", "", "a document into which the table is written, between its marks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	strategies := adversary.Strategies()
	if *only != "" {
		names := strings.Split(*only, ",")
		strategies = slices.DeleteFunc(strategies, func(s adversary.Strategy) bool { return !slices.Contains(names, s.Name) })
	}
	if len(strategies) == 0 {
		fmt.Fprintf(os.Stderr, "adversaries: there is no strategy %q\n", *only)
		os.Exit(2)
	}
	tallies, tried := try(ctx, strategies, *first, *seeds, *workers, *limit)
	if err := adversary.Write(os.Stdout, tallies); err != nil {
		fmt.Fprintln(os.Stderr, "adversaries:", err)
		os.Exit(1)
	}
	failed := false
	for i := range tallies {
		if t := &tallies[i]; t.Failures > 0 {
			failed = true
			fmt.Fprintf(os.Stdout, "FAIL %s in %d of %d worlds, seed %d: %s\n", t.Strategy.Name, t.Failures, t.Worlds, t.FirstFailed, t.FirstBecause)
		}
	}
	if failed {
		os.Exit(1)
	}
	if *doc != "" && tried > 0 {
		if err := write(*doc, tallies, *first, tried); err != nil {
			fmt.Fprintln(os.Stderr, "adversaries:", err)
			os.Exit(1)
		}
	}
}

// try shares the seeds out among workers, in their order: what was tried by the
// end of the time are the first ones.
func try(ctx context.Context, strategies []adversary.Strategy, first, seeds uint64, workers int, limit time.Duration) ([]adversary.Tally, uint64) {
	span, cancel := context.WithCancel(ctx)
	defer cancel()
	if limit > 0 {
		span, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var mu sync.Mutex
	sum := empty(strategies)
	var next, done atomic.Uint64
	var all sync.WaitGroup
	for range max(1, workers) {
		all.Go(func() {
			mine := empty(strategies)
			for span.Err() == nil {
				n := next.Add(1) - 1
				if n >= seeds {
					break
				}
				world := adversary.NewWorld(first + n)
				for i := range strategies {
					r := world.Try(&strategies[i])
					mine[i].Add(&r)
					if why := r.Failed(); why != "" { // at once: there may be an hour to go
						fmt.Fprintf(os.Stderr, "FAIL %s, seed %d: %s\n", r.Strategy, r.Seed, why)
					}
				}
				done.Add(1)
			}
			mu.Lock()
			defer mu.Unlock()
			for i := range sum {
				sum[i].Join(&mine[i])
			}
		})
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	for {
		select {
		case <-finished:
			fmt.Fprintf(os.Stderr, "%d of %d worlds, %d strategies in each\n", done.Load(), seeds, len(strategies))
			return sum, done.Load()
		case <-time.After(10 * time.Second):
			fmt.Fprintf(os.Stderr, "%d of %d worlds\n", done.Load(), seeds)
		}
	}
}

func empty(strategies []adversary.Strategy) []adversary.Tally {
	tallies := make([]adversary.Tally, len(strategies))
	for i := range strategies {
		tallies[i].Strategy = strategies[i]
	}
	return tallies
}

const (
	begin = "<!-- adversaries: written by make adversaries -->"
	end   = "<!-- end of adversaries -->"
)

// write puts the table into a document.
func write(path string, tallies []adversary.Tally, first, seeds uint64) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s: there is no place for the table (%s ... %s)", path, begin, end)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%s%s\n\nSeeds %d to %d: %d worlds for each strategy.\n\n", before, begin, first, first+seeds-1, seeds)
	if err := adversary.Write(&table, tallies); err != nil {
		return err
	}
	table.WriteString("\n" + end + after)
	return os.WriteFile(path, []byte(table.String()), 0o644)
}
