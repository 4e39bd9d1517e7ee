package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// plan is what is run.
type plan struct {
	ways     string
	seed     uint64
	jobs     int
	gap      time.Duration
	nodes    int
	capacity float64
	margin   float64
	short    float64
	penalty  float64
	report   time.Duration
	table    bool
	libra    string
}

func main() {
	var p plan
	flag.StringVar(&p.ways, "ways", "plain,edf,libra-plus,going-rate", "plain: Slurm alone; edf: Slurm alone, with priorities by deadline; any policy of the market, also with settings: going-rate:further=0.4:part=0.6")
	flag.Uint64Var(&p.seed, "seed", 1, "by which jobs are drawn")
	flag.IntVar(&p.jobs, "jobs", 24, "how many")
	flag.DurationVar(&p.gap, "gap", 3*time.Second, "between two of them, on the average; with less than 5s and the rest as it is there is more to do than can be")
	flag.IntVar(&p.nodes, "nodes", 3, "emulated nodes, of one processor each")
	flag.Float64Var(&p.capacity, "capacity", 0.4, "what each has of a processor of this host, 0.3 at the least")
	flag.Float64Var(&p.margin, "margin", 1.2, "how many times what a job is expected to need is said to the market: below 1 estimates are too short")
	flag.Float64Var(&p.short, "short", 0, "the part of the jobs that say 5 to 25 % less than they need, and no margin")
	flag.Float64Var(&p.penalty, "penalty", 0, "what the market pays for a second of delay, as a part of what the job offers for one of its estimate")
	flag.DurationVar(&p.report, "report", 250*time.Millisecond, "how often nodes report to the market: a market waits three reports before it is sure of anything, which jobs of seconds have not")
	flag.BoolVar(&p.table, "table", false, "also say what became of every job, to standard error")
	flag.StringVar(&p.libra, "libra", "bin/libra", "the program of the market (make build)")
	burn := flag.Duration("burn", 0, "compute for so much processor time, as a job does, and nothing else")
	group, done := flag.String("group", "", "with -burn: in this control group"), flag.String("done", "", "with -burn: write down when it is done")
	flag.Parse()
	var err error
	if *burn > 0 {
		err = compute(*burn, *group, *done)
	} else {
		err = run(&p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// way hands jobs in, and lets go of what it has set up.
type way interface {
	hand(ctx context.Context, j *job) (taken bool, err error)
	// over reports whether a job has ended that has not said that it was done.
	over(ctx context.Context, j *job) bool
	// check says what is not true of what is said about the jobs, and notes of each what is.
	check(ctx context.Context, jobs []*job) (wrong []string, err error)
	end()
}

func run(p *plan) error {
	if missing := slurmtest.Missing(); missing != "" {
		return fmt.Errorf("this machine can have no slurm: it lacks %s", missing)
	}
	if p.capacity < 0.3 {
		return fmt.Errorf("capacity %v: a market takes no node whose processor is four times as fast as what it has of it; want 0.3 or more", p.capacity)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for name := range strings.SplitSeq(p.ways, ",") {
		said, err := p.try(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(os.Stdout, said)
	}
	return nil
}

// try runs all jobs one way, on a Slurm of its own.
func (p *plan) try(ctx context.Context, name string) (said string, err error) {
	c, err := slurmtest.Up(ctx, slurmtest.Options{Nodes: p.nodes})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var w way = &alone{p: p, c: c, byDeadline: name == "edf", begun: time.Now()}
	if name != "plain" && name != "edf" {
		if w, err = openMarket(ctx, p, c, name); err != nil {
			return "", err
		}
	}
	defer w.end()
	jobs := p.draw(c.Dir)
	if err = submit(ctx, w, jobs); err != nil {
		return "", err
	}
	said = name + ": " + count(jobs)
	wrong, err := w.check(ctx, jobs)
	if p.table {
		for _, j := range jobs {
			fmt.Fprintf(os.Stderr, "%s: %s\n", name, j.line())
		}
	}
	for _, what := range wrong {
		said += "\n\t" + what
	}
	return said, err
}
