package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// job is one of those that are compared. Its times are those of a node that it has to itself.
type job struct {
	number   int
	at       time.Duration // after the first
	takes    time.Duration
	estimate time.Duration
	within   time.Duration // its deadline, from when it is handed in
	budget   float64       // for each second of the estimate
	done     string        // the file that says when it was

	handed time.Time
	taken  bool
}

// draw draws jobs of 6 to 24 s, two fifths of which are estimated up to 1.8 times as long, due after 1.4 to 8
// times the estimate.
func (p *plan) draw(dir string) []*job {
	r := rand.New(rand.NewPCG(p.seed, 1))
	at, jobs := time.Duration(0), make([]*job, p.jobs)
	for i := range jobs {
		at += time.Duration(r.ExpFloat64() * float64(p.gap))
		takes := time.Duration((6 + 18*r.Float64()) * float64(time.Second))
		estimate := takes
		if r.Float64() < 0.4 {
			estimate = time.Duration(float64(takes) * (1 + 0.8*r.Float64()))
		}
		slack := []float64{1.4, 2, 3, 5, 8}[r.IntN(5)]
		jobs[i] = &job{
			number: i, at: at, takes: takes, estimate: estimate, within: time.Duration(slack*float64(estimate)) + 2*time.Second,
			budget: 2 + 6*r.Float64(), done: filepath.Join(dir, fmt.Sprintf("done.%d", i)),
		}
	}
	return jobs
}

// patience is how long is waited beyond the last deadline.
const patience = 20 * time.Second

// submit hands all in, each at its time, and waits until all deadlines have passed or all are done.
func submit(ctx context.Context, w way, jobs []*job) error {
	begun := time.Now()
	var all sync.WaitGroup
	failed := make(chan error, len(jobs))
	for _, j := range jobs {
		all.Go(func() {
			select {
			case <-time.After(time.Until(begun.Add(j.at))):
			case <-ctx.Done():
				return
			}
			j.handed = time.Now()
			taken, err := w.hand(ctx, j)
			if err != nil {
				failed <- fmt.Errorf("job %d: %w", j.number, err)
			}
			j.taken = taken
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	last := begun
	for _, j := range jobs {
		if due := j.handed.Add(j.within + patience); due.After(last) {
			last = due
		}
	}
	for open := true; open && time.Now().Before(last); {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		open = false
		for _, j := range jobs {
			_, err := os.Stat(j.done)
			open = open || j.taken && err != nil
		}
	}
	return ctx.Err()
}

// count says what became of them.
func count(jobs []*job) string {
	taken, met := 0, 0
	for _, j := range jobs {
		if j.taken {
			taken++
		}
		if at, err := os.Stat(j.done); err == nil && !at.ModTime().After(j.handed.Add(j.within)) {
			met++
		}
	}
	return fmt.Sprintf("%d of %d jobs in time, %d taken", met, len(jobs), taken)
}

// compute is the program of a job: so much processor time, in a control group if it is to be held to what a node has.
func compute(much time.Duration, group, done string) error {
	if group != "" {
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte("0"), 0); err != nil {
			return err
		}
	}
	for x := 1.0; ; {
		for range 100_000 {
			x *= 1.0000001
		}
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			return err
		}
		if time.Duration(used.Utime.Nano()+used.Stime.Nano()) >= much {
			break
		}
	}
	if done == "" {
		return nil
	}
	return os.WriteFile(done, nil, 0o644)
}
