package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/lab/workload"
)

// liveHistory is the name of the history that the market itself keeps.
const liveHistory = "live"

// pages is a way to the jobs of a market, in the order of submission.
type pages func(ctx context.Context, after int64) ([]v1.Job, error)

// loadLive takes the history of the market that the context names: its jobs,
// what became of them, and its processors.
func (r *pastRun) loadLive(ctx context.Context) error {
	var with connection
	return with.with(ctx, func(ctx context.Context, c *client.Client) error {
		nodes, err := c.Nodes(ctx)
		if err != nil {
			return err
		}
		size, rating := processorsOf(nodes)
		if r.replayOptions.nodes > 0 {
			size = r.replayOptions.nodes
		}
		if size == 0 {
			return fmt.Errorf("no node has joined the market: give --nodes")
		}
		r.nodes = size
		past, err := remember(ctx, func(ctx context.Context, after int64) ([]v1.Job, error) {
			h, bad := c.History(ctx, after, 500)
			return h.Jobs, bad
		}, rating)
		if err != nil {
			return err
		}
		if r.last > 0 && len(past.arrivals) > r.last {
			from := len(past.arrivals) - r.last
			past.arrivals, past.course.Fates = past.arrivals[from:], past.course.Fates[from:]
			past.course = replay.NewCourse(past.course.Policy, "", past.course.Fates, 0)
		}
		r.arrivals, r.lived = past.arrivals, past.course
		return nil
	})
}

// processorsOf counts the processors of nodes that are up, and how fast they
// are on average.
func processorsOf(nodes []v1.NodeView) (n int, rating float64) {
	for i := range nodes {
		if nodes[i].Up {
			n += nodes[i].Processors
			rating += nodes[i].Rating * float64(nodes[i].Processors)
		}
	}
	if n == 0 {
		return 0, 1
	}
	return n, rating / float64(n)
}

// recollection is a live history as a workload, and what became of it.
type recollection struct {
	arrivals []workload.Arrival
	course   *replay.Course
}

// remember makes a workload of a market's jobs. How long a job that was refused
// would have run nobody knows: as long as it said. Jobs under way, and those
// that were cancelled, say nothing yet and are left out.
func remember(ctx context.Context, from pages, rating float64) (*recollection, error) {
	m := &recollection{}
	var fates []replay.Fate
	utility := 0.0
	var origin int64
	for after := int64(0); ; {
		jobs, err := from(ctx, after)
		if err != nil {
			return nil, err
		}
		if len(jobs) == 0 {
			break
		}
		for i := range jobs {
			j := &jobs[i]
			after = j.ID
			if !j.State.Final() || j.State == v1.Cancelled {
				continue
			}
			if origin == 0 {
				origin = j.SubmittedUS
			}
			a := arrivalOf(j, origin, rating)
			m.arrivals = append(m.arrivals, a)
			f := fateOf(j)
			fates = append(fates, f)
			if f.Satisfied && a.Job.SLA.Budget.Limited() {
				utility += float64(a.Job.SLA.Budget)
			}
		}
	}
	m.course = replay.NewCourse(replay.AsItWas, "", fates, utility)
	return m, nil
}

// arrivalOf is a job of the past as one that comes again, on processors of
// rating 1.
func arrivalOf(j *v1.Job, origin int64, rating float64) workload.Arrival {
	r := &j.Request
	each := float64(r.EstimateMS) / 1e3 / rating
	lanes := max(1, j.Width)
	if r.Array != nil {
		each *= float64((r.Array.Len() + lanes - 1) / lanes)
	}
	a := workload.Arrival{
		Job: market.Job{
			Name: strconv.FormatInt(j.ID, 10), Owner: market.Account(j.Owner), Submit: market.Time(float64(j.SubmittedUS-origin) / 1e6),
			Estimate: market.Work(each), Width: int32(max(1, max(r.Processors, j.Width))), Class: int32(r.Class),
			SLA: market.SLA{
				Deadline: market.Never, Budget: market.Unlimited, Penalty: market.Money(r.PenaltyMicros).Price(), Soft: r.Soft,
			},
		},
		Actual: market.Work(each),
	}
	if r.DeadlineMS > 0 {
		a.Job.SLA.Deadline = market.Time(float64(r.DeadlineMS) / 1e3)
	}
	if r.Budget != nil {
		a.Job.SLA.Budget = market.Money(*r.Budget).Price()
	}
	if j.Work > 0 {
		a.Actual = market.Work(float64(j.Work) / 1e3 / rating)
	}
	return a
}

// fateOf is what became of a job.
func fateOf(j *v1.Job) replay.Fate {
	if j.State != v1.Completed && j.State != v1.Failed {
		return replay.Fate{}
	}
	paid := market.Money(j.Charged - j.Penalty).Price()
	inTime := j.DueUS == 0 || j.EndedUS <= j.DueUS+time.Microsecond.Microseconds()
	return replay.Fate{Satisfied: inTime && (j.Request.Budget == nil || j.Charged-j.Optional <= *j.Request.Budget), Paid: float64(paid)}
}
