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
	short    bool          // the estimate is less than it takes
	within   time.Duration // its deadline, from when it is handed in
	budget   float64       // for each second of the estimate
	done     string        // the file that says when it was

	handed time.Time
	taken  bool
	id     int64  // in the market
	became string // what the market says of it
}

// draw draws jobs of 6 to 24 s, two fifths of which are estimated up to 1.8 times as long, due after 1.4 to 8
// times the estimate. A part of them is then estimated too short, and due when it was before.
func (p *plan) draw(dir string) []*job {
	r, less := rand.New(rand.NewPCG(p.seed, 1)), rand.New(rand.NewPCG(p.seed, 2))
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
		if which, by := less.Float64(), 0.05+0.2*less.Float64(); which < p.short {
			jobs[i].short, jobs[i].estimate = true, time.Duration(float64(takes)*(1-by))
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
			open = open || j.taken && err != nil && !w.over(ctx, j)
		}
	}
	return ctx.Err()
}

// count says what became of them.
func count(jobs []*job) string {
	taken, met, short, shortMet := 0, 0, 0, 0
	for _, j := range jobs {
		if j.taken {
			taken++
		}
		if j.short {
			short++
		}
		if done := j.doneAt(); !done.IsZero() && !done.After(j.due()) {
			met++
			if j.short {
				shortMet++
			}
		}
	}
	said := fmt.Sprintf("%d of %d jobs in time, %d taken", met, len(jobs), taken)
	if short > 0 {
		said += fmt.Sprintf("; of %d with estimates too short, %d in time", short, shortMet)
	}
	return said
}

func (j *job) due() time.Time { return j.handed.Add(j.within) }

// doneAt is when it was done, as it says itself; zero: it was not.
func (j *job) doneAt() time.Time {
	at, err := os.Stat(j.done)
	if err != nil {
		return time.Time{}
	}
	return at.ModTime()
}

// line says all of a job, times in seconds from when it was handed in.
func (j *job) line() string {
	done := "never"
	if at := j.doneAt(); !at.IsZero() {
		done = fmt.Sprintf("%.1f", at.Sub(j.handed).Seconds())
	}
	return fmt.Sprintf("job %d at %.1f takes %.1f said %.1f due %.1f done %s taken %v %s",
		j.number, j.at.Seconds(), j.takes.Seconds(), j.estimate.Seconds(), j.within.Seconds(), done, j.taken, j.became)
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
