package main

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/live/web"
)

// How much of the past a what-if looks at.
const (
	whatIfSpan = 7 * 24 * time.Hour
	whatIfJobs = 20_000
)

// whatIf replays the last week under other levers, and under those in force: the
// difference is what the levers do.
func (s *service) whatIf(ctx context.Context, name string, set map[string]string, rates v1.Rates) (web.WhatIfResult, error) {
	nodes, err := s.market.Nodes(ctx)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	epochs, err := s.market.Epochs(ctx)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	force := epochs[len(epochs)-1]
	ground := replay.GroundOf(nodes, force.Rates)
	if ground.Processors == 0 {
		return web.WhatIfResult{}, fmt.Errorf("%w: no node has joined yet", trade.ErrConflict)
	}
	now := time.Now()
	since := now.Add(-whatIfSpan).UnixMicro()
	brought := int64(0)
	past, err := replay.Remember(ctx, addingUp(s.recent(since), &brought), ground)
	if err != nil {
		return web.WhatIfResult{}, err
	}
	accounts, err := s.market.Accounts(ctx, "")
	if err != nil {
		return web.WhatIfResult{}, err
	}
	history := replay.History{Arrivals: past.Arrivals, Nodes: ground.Processors, Cluster: ground.Cluster, Purses: past.Purses(accounts)}
	f, err := history.Foresee(ctx,
		replay.Levers{Policy: force.Policy, Set: settingsMap(force.Settings), Rate: trade.Rates(force.Rates).Base().Processor, Partitions: ground.Partitions},
		replay.Levers{
			Policy: name, Set: epoch.Complete(name, set, counts(force.Settings)), Rate: trade.Rates(rates).Base().Processor,
			Partitions: ground.Under(rates),
		})
	if err != nil {
		return web.WhatIfResult{}, err
	}
	return web.WhatIfResult{
		FromUS: since, ToUS: now.UnixMicro(), Jobs: len(past.Arrivals),
		Revenue: foreseen(f.Revenue), RevenueBefore: foreseen(f.RevenueBefore), Brought: brought, Accepted: f.Accepted, AcceptedBefore: f.AcceptedBefore,
		Kept: f.Kept, KeptBefore: f.KeptBefore, UsersBetter: f.Better, UsersWorse: f.Worse, LeftOut: past.Unfunded + f.Unpaid,
	}, nil
}

// foreseen is an amount of a forecast; one beyond all money is not told.
func foreseen(p market.Price) int64 {
	m, err := p.Money()
	if err != nil {
		return 0
	}
	return int64(m)
}

// recent are the jobs submitted since a time, but no more than a what-if can
// replay while somebody waits.
func (s *service) recent(since int64) replay.Pages {
	seen := 0
	return func(ctx context.Context, after int64) ([]v1.Job, error) {
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

// addingUp adds up what jobs brought that have ended, penalties taken off.
func addingUp(pages replay.Pages, brought *int64) replay.Pages {
	return func(ctx context.Context, after int64) ([]v1.Job, error) {
		jobs, err := pages(ctx, after)
		for i := range jobs {
			if jobs[i].State.Final() {
				*brought += jobs[i].Charged - jobs[i].Penalty
			}
		}
		return jobs, err
	}
}

// counts are the settings of how a market counts, which hold under every policy.
func counts(settings []v1.Setting) map[string]string {
	set := epoch.LiveSettings()
	in := settingsMap(settings)
	maps.DeleteFunc(set, func(name, _ string) bool { _, named := in[name]; return !named })
	for name := range set {
		set[name] = in[name]
	}
	return set
}

func settingsMap(settings []v1.Setting) map[string]string {
	set := map[string]string{}
	for _, s := range settings {
		set[s.Name] = s.Value
	}
	return set
}
