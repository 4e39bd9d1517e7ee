package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// stream runs the only policy on jobs as they are read.
func (s *simulation) stream(ctx context.Context, file *workload.File) (*report.Summary, error) {
	began := time.Now()
	finish := s.con.progress(s.contenders[0].kind.Name, file.Size(), file.BytesRead)
	defer finish()
	jobs, err := s.shape(file)
	if err != nil {
		return nil, err
	}
	ahead := newReadAhead(jobs)
	defer ahead.stop()
	return s.runOne(ctx, s.contenders[0], ahead, began)
}

// runLoaded runs every policy on the same jobs.
func (s *simulation) runLoaded(ctx context.Context, file *workload.File, toldUnsorted bool) ([]*report.Summary, error) {
	arrivals, err := s.con.loadWorkload(ctx, file, s.last)
	if err != nil {
		return nil, err
	}
	if !workload.Sorted(arrivals) {
		if !toldUnsorted {
			s.con.warn("%s: not in order of submission; sorted", s.workload)
		}
		workload.Sort(arrivals)
	}
	if err := s.applyModel(arrivals); err != nil {
		return nil, err
	}
	var results []*report.Summary
	for _, c := range s.contenders {
		began := time.Now()
		jobs, err := s.shape(workload.FromSlice(arrivals))
		if err != nil {
			return nil, err
		}
		var done atomic.Int64
		finish := s.con.progress(c.kind.Name, int64(len(arrivals)), done.Load)
		summary, err := s.runOne(ctx, c, &counting{src: jobs, done: &done}, began)
		finish()
		if err != nil {
			return nil, err
		}
		results = append(results, summary)
	}
	return results, nil
}

// applyModel gives the jobs their agreements. The model writes estimates too;
// who asks for the given ones gets those of the file back, unless he also says
// how inaccurate the model is to be.
func (s *simulation) applyModel(arrivals []workload.Arrival) error {
	keep := s.estimates == estimatesGiven && !isSet(s.settings, inaccuracy)
	var given []market.Work
	if keep {
		given = make([]market.Work, len(arrivals))
		for i := range arrivals {
			given[i] = arrivals[i].Job.Estimate
		}
	}
	err := s.model.Apply(arrivals, s.seed)
	for i := range given {
		arrivals[i].Job.Estimate = given[i]
	}
	return err
}

// shape stretches the gaps and makes sure of the order.
func (s *simulation) shape(jobs workload.Source) (workload.Source, error) {
	if s.factor == 1 {
		return workload.InOrder(jobs), nil
	}
	stretched, err := workload.StretchGaps(jobs, s.factor)
	if err != nil {
		return nil, err
	}
	return workload.InOrder(stretched), nil
}

// runOne runs one policy, which began at a time, and sums up.
func (s *simulation) runOne(ctx context.Context, c contender, jobs workload.Source, began time.Time) (*report.Summary, error) {
	p, err := c.kind.New(c.set)
	if err != nil {
		return nil, err
	}
	world, err := cluster.New(s.nodes, p)
	if err != nil {
		return nil, err
	}
	jobs = &tailored{src: jobs, file: s.workload, exact: s.exact(c.kind), named: s.jobs != ""}
	summary := report.NewSummary(c.kind.Name, processors(s.nodes))
	options := sim.Options{See: summary.See, Changes: s.changes, Until: market.Time(s.until)}
	if s.jobs == "" {
		err = sim.Run(ctx, world, jobs, options)
	} else {
		err = s.runWithTable(ctx, c, world, jobs, options)
	}
	if err != nil {
		return nil, err
	}
	summary.Close()
	summary.WallSeconds = time.Since(began).Seconds()
	if summary.WallSeconds > 0 {
		summary.JobsPerSecond = float64(summary.Jobs) / summary.WallSeconds
	}
	return summary, checkFinite(summary)
}

// runWithTable also writes the job table, all of it or none.
func (s *simulation) runWithTable(ctx context.Context, c contender, w sim.World, jobs workload.Source, o sim.Options) error {
	return s.con.writeOutput(s.tablePath(c), func(out io.Writer) error {
		if _, err := io.WriteString(out, report.Header); err != nil {
			return err
		}
		var line []byte
		table := report.NewTable(nodeOf(s.nodes), func(r *report.Row) error {
			r.Priced = r.Priced && r.Cost.Limited()
			line = r.AppendCSV(line[:0])
			_, err := out.Write(line)
			return err
		})
		summarize := o.See
		o.See = func(r *market.Record) {
			table.See(r)
			summarize(r)
		}
		if err := sim.Run(ctx, w, jobs, o); err != nil {
			return err
		}
		return table.Close()
	})
}

// tablePath is where the job table of a policy goes: of several policies each
// has its name before the extension.
func (s *simulation) tablePath(c contender) string {
	if len(s.contenders) == 1 {
		return s.jobs
	}
	dir, base := filepath.Split(s.jobs)
	stem, extension, _ := strings.Cut(base, ".")
	if extension != "" {
		extension = "." + extension
	}
	return dir + stem + "-" + c.kind.Name + extension
}

// tailored makes jobs fit a policy and the tables that are wanted.
type tailored struct {
	src   workload.Source
	file  string
	exact bool // estimates are real runtimes
	named bool // every job has a name, for the job table
}

func (t *tailored) Next(a *workload.Arrival) error {
	if err := t.src.Next(a); err != nil {
		return err
	}
	if a.Job.Submit < 0 {
		return fmt.Errorf("%s: job %s: submit: %v is before 0, where the clock of a run starts", t.file, a.Label(), a.Job.Submit)
	}
	if t.exact {
		a.Job.Estimate = a.Actual
	}
	if t.named {
		a.Job.Name = a.Label()
	}
	return nil
}

// counting counts the jobs that pass, for a progress bar.
type counting struct {
	src  workload.Source
	done *atomic.Int64
}

func (c *counting) Next(a *workload.Arrival) error {
	c.done.Add(1)
	return c.src.Next(a)
}
