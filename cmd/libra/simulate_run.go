package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// stream runs the only policy on jobs as they are read.
func (s *simulation) stream(ctx context.Context, file *workload.File) (*report.Summary, error) {
	began := time.Now()
	finish := s.con.progress(s.contenders[0].Kind.Name, file.Size(), file.BytesRead)
	defer finish()
	jobs, err := s.shape(file)
	if err != nil {
		return nil, err
	}
	ahead := workload.NewReadAhead(jobs)
	defer ahead.Stop()
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
	if err = s.applyModel(arrivals); err != nil {
		return nil, err
	}
	var limits *bound.Limits
	if s.bound {
		if limits, err = s.limits(arrivals, bound.Thorough); err != nil {
			return nil, err
		}
	}
	var results []*report.Summary
	for _, c := range s.contenders {
		began := time.Now()
		jobs, err := s.shape(workload.FromSlice(arrivals))
		if err != nil {
			return nil, err
		}
		var done atomic.Int64
		finish := s.con.progress(c.Kind.Name, int64(len(arrivals)), done.Load)
		summary, err := s.runOne(ctx, c, &counting{src: jobs, done: &done}, began)
		finish()
		if err != nil {
			return nil, err
		}
		summary.Bound = limits
		results = append(results, summary)
	}
	return results, nil
}

// applyModel gives the jobs their agreements.
func (s *simulation) applyModel(arrivals []workload.Arrival) error {
	return trial.Estimates(s.estimates).Agree(s.model, s.settings, arrivals, s.seed)
}

// limits are what no policy exceeds on the jobs as they come.
func (s *simulation) limits(arrivals []workload.Arrival, effort bound.Effort) (*bound.Limits, error) {
	jobs, err := s.shape(workload.FromSlice(arrivals))
	if err != nil {
		return nil, err
	}
	limits, err := trial.Limits(jobs, s.nodes.Times(s.clusters), effort)
	return &limits, err
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
func (s *simulation) runOne(ctx context.Context, c trial.Contender, jobs workload.Source, began time.Time) (*report.Summary, error) {
	t := &trial.Trial{
		Kind: c.Kind, Set: c.Set, Nodes: s.nodes, Exact: trial.Estimates(s.estimates).Exact(c.Kind), Changes: s.changes, Until: market.Time(s.until),
		Partitions: s.partitions, Clusters: s.clusters, Choice: sim.Choice{Wish: wish.Wish(s.wish), Ask: s.ask},
	}
	jobs = &onClock{src: jobs, file: s.workload}
	var summary *report.Summary
	var err error
	if s.jobs == "" {
		summary, err = t.Run(ctx, jobs)
	} else {
		err = s.con.writeOutput(s.tablePath(c), func(out io.Writer) (failed error) {
			t.Table = out
			summary, failed = t.Run(ctx, jobs)
			return failed
		})
	}
	if err != nil {
		return nil, err
	}
	summary.WallSeconds = time.Since(began).Seconds()
	if summary.WallSeconds > 0 {
		summary.JobsPerSecond = float64(summary.Jobs) / summary.WallSeconds
	}
	return summary, checkFinite(summary)
}

// tablePath is where the job table of a policy goes: of several policies each
// has its name before the extension.
func (s *simulation) tablePath(c trial.Contender) string {
	if len(s.contenders) == 1 {
		return s.jobs
	}
	dir, base := filepath.Split(s.jobs)
	stem, extension, _ := strings.Cut(base, ".")
	if extension != "" {
		extension = "." + extension
	}
	return dir + stem + "-" + c.Kind.Name + extension
}

// onClock refuses jobs from before the clock of a run starts.
type onClock struct {
	src  workload.Source
	file string
}

func (o *onClock) Next(a *workload.Arrival) error {
	if err := o.src.Next(a); err != nil {
		return err
	}
	if a.Job.Submit < 0 {
		return fmt.Errorf("%s: job %s: submit: %v is before 0, where the clock of a run starts", o.file, a.Label(), a.Job.Submit)
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
