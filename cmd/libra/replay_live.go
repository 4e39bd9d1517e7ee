package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/lab/trial"
)

// liveHistory is the name of the history that the market itself keeps.
const liveHistory = "live"

// loadLive takes the history of the market that the context names: its jobs,
// what became of them, and its nodes and partitions.
//
// What is tried is tried on the market's terms: at its rates, and by its rules,
// where --set does not name others.
func (r *pastRun) loadLive(ctx context.Context, contenders []trial.Contender) error {
	var with connection
	return with.with(ctx, func(ctx context.Context, c *client.Client) error {
		nodes, err := c.Nodes(ctx)
		if err != nil {
			return err
		}
		epochs, err := c.Epochs(ctx)
		if err != nil {
			return err
		}
		var force v1.EpochView
		if len(epochs) > 0 {
			force = epochs[len(epochs)-1]
			r.onTermsOf(&force, contenders)
		}
		ground := replay.GroundOf(nodes, force.Rates)
		if n := r.replayOptions.nodes; n > 0 {
			if ground.Partitions != nil {
				return usagef("--nodes: the market has partitions (%s), and a number does not say whose nodes they are", strings.Join(ground.Partitions.Names(), ", "))
			}
			ground = ground.Plain(n)
		}
		if ground.Processors == 0 {
			return fmt.Errorf("no node has joined the market: give --nodes")
		}
		r.nodes, r.on, r.partitions = ground.Processors, ground.Cluster, ground.Partitions
		past, err := replay.Remember(ctx, func(ctx context.Context, after int64) ([]v1.Job, error) {
			h, bad := c.History(ctx, after, 500)
			return h.Jobs, bad
		}, ground)
		if err != nil {
			return err
		}
		past = past.Last(r.last)
		r.arrivals, r.lived, r.unfunded = past.Arrivals, past.Course, past.Unfunded
		accounts, err := c.Accounts(ctx, "")
		if err != nil {
			return err
		}
		r.purses = past.Purses(accounts)
		return nil
	})
}

// onTermsOf takes over how a market counts: not its policy, nor what that weighs.
func (r *pastRun) onTermsOf(e *v1.EpochView, contenders []trial.Contender) {
	r.rate = trade.Rates(e.Rates).Base().Processor
	counts := epoch.LiveSettings()
	for _, s := range e.Settings {
		if _, does := counts[s.Name]; !does {
			continue
		}
		for _, c := range contenders {
			if c.Knows(s.Name) {
				c.Set[s.Name] = s.Value
			}
		}
	}
}
