package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/web"
)

// How much of the past a what-if looks at.
const (
	whatIfSpan = 7 * 24 * time.Hour
	whatIfJobs = 20_000
)

// whatIf replays the last week under other levers, and under those in force: the
// difference is what the levers do.
func (s *service) whatIf(ctx context.Context, name string, set map[string]string, rates exchange.Rates) (web.WhatIfResult, error) {
	nodes, err := s.market.Nodes(ctx)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	size, rating := processorsOf(nodes)
	if size == 0 {
		return web.WhatIfResult{}, fmt.Errorf("%w: no node has joined yet", exchange.ErrConflict)
	}
	now := time.Now()
	since := now.Add(-whatIfSpan).UnixMicro()
	past, err := remember(ctx, s.recent(since), rating)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	epochs, err := s.market.Epochs(ctx)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	force := epochs[len(epochs)-1]
	before, err := replayed(ctx, past.arrivals, size, force.Policy, settingsMap(force.Settings), force.Rates)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	after, err := replayed(ctx, past.arrivals, size, name, set, rates)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	r := web.WhatIfResult{
		FromUS: since, ToUS: now.UnixMicro(), Jobs: len(past.arrivals),
		Revenue: after.revenue(), RevenueBefore: before.revenue(), Accepted: after.accepted, AcceptedBefore: before.accepted,
		Kept: after.satisfied(), KeptBefore: before.satisfied(),
	}
	r.UsersBetter, r.UsersWorse = whoGains(past.arrivals, before, after)
	return r, nil
}

// recent are the jobs submitted since a time, but no more than a what-if can
// replay while somebody waits.
func (s *service) recent(since int64) pages {
	seen := 0
	return func(ctx context.Context, after int64) ([]exchange.Job, error) {
		if seen >= whatIfJobs {
			return nil, nil
		}
		if after == 0 {
			first, err := s.market.FirstSince(ctx, since)
			if err != nil {
				return nil, err
			}
			after = first - 1
		}
		jobs, err := s.market.History(ctx, after, 1000)
		seen += len(jobs)
		return jobs, err
	}
}

// trial is a replay in sums and job by job.
type trial struct {
	fates    []fate
	accepted int
}

func (t *trial) revenue() int64 {
	total := 0.0
	for i := range t.fates {
		total += t.fates[i].paid
	}
	m, err := market.Price(total).Money()
	if err != nil {
		return 0
	}
	return int64(m)
}

func (t *trial) satisfied() int {
	n := 0
	for i := range t.fates {
		if t.fates[i].satisfied {
			n++
		}
	}
	return n
}

// replayed runs jobs of the past on so many processors of rating 1.
func replayed(ctx context.Context, arrivals []workload.Arrival, size int, name string, set map[string]string, rates exchange.Rates) (*trial, error) {
	kind, err := policy.Find(name)
	if err != nil {
		return nil, err
	}
	var settings experiment.Settings
	for _, s := range kind.Settings() {
		value, given := set[s.Name]
		if !given {
			value = s.Value()
		}
		if s.Name == "pbase" { // a replay has nodes that cost 1
			if base, wrong := strconv.ParseFloat(value, 64); wrong == nil {
				value = strconv.FormatFloat(base*float64(market.Money(rates.Processor).Price()), 'g', -1, 64)
			}
		}
		settings = settings.Set(s.Name, value)
	}
	t := &trial{fates: make([]fate, len(arrivals))}
	cell := experiment.Cell{Policy: name, Set: settings, Nodes: size, Jobs: experiment.Jobs{Factor: 1}}
	_, err = cell.RunOn(ctx, arrivals, func(rec *market.Record) {
		if rec.Kind != market.Completed {
			return
		}
		t.accepted++
		f := &t.fates[rec.Job]
		f.satisfied = !rec.Finish.After(rec.Spec.Due()) && rec.Price.Within(rec.Spec.SLA.Budget)
		if rec.Price.Limited() {
			f.paid = float64(rec.Price)
		}
	})
	return t, err
}

// whoGains counts the users for whom more jobs are satisfied, or as many for
// less money, and those for whom it is the other way round.
func whoGains(arrivals []workload.Arrival, before, after *trial) (better, worse int) {
	type sum struct {
		jobs int
		paid float64
	}
	change := map[market.Account]*sum{}
	for i := range arrivals {
		s := change[arrivals[i].Job.Owner]
		if s == nil {
			s = &sum{}
			change[arrivals[i].Job.Owner] = s
		}
		if after.fates[i].satisfied {
			s.jobs++
		}
		if before.fates[i].satisfied {
			s.jobs--
		}
		s.paid += after.fates[i].paid - before.fates[i].paid
	}
	const noticeable = 1e-6
	for _, s := range change {
		switch {
		case s.jobs > 0 || s.jobs == 0 && s.paid < -noticeable:
			better++
		case s.jobs < 0 || s.paid > noticeable:
			worse++
		}
	}
	return better, worse
}

func settingsMap(settings []exchange.Setting) map[string]string {
	set := map[string]string{}
	for _, s := range settings {
		set[s.Name] = s.Value
	}
	return set
}
