package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/model"
	"github.com/libra-market/libra/live/store"
)

// bench is a market before a Slurm in memory, whose nodes n1 and n2 have four processors each.
type bench struct {
	*testing.T
	onSlurm
	slurm *model.Slurm
}

// openBench starts one under a policy, with money for some users.
func openBench(t *testing.T, policy string, before func(*model.Slurm), users ...string) *bench {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "libra.db"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	setup := controller.Default()
	setup.Open.Policy, setup.Open.Settings, setup.Open.Rates.Processor = policy, rules.Live().Map(), int64(market.Unit)
	c, err := controller.Start(ctx, st, setup)
	if err != nil {
		t.Fatal(err)
	}
	f := model.New(1, "n1", "n2")
	if f.Forgets = false; before != nil {
		before(f)
	}
	if err = c.Watch(ctx, true); err != nil {
		t.Fatal(err)
	}
	var doors slurmDoors
	b, err := slurm.New(ctx, slurm.Config{Partition: "libra", Control: slurm.None, Doors: &doors, Now: time.Now, Log: slog.New(slog.DiscardHandler)}, behindSlurm{c}, f, st)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Slurm.Partition = "libra"
	m := &bench{t, onSlurm{front.Market{Controller: c}, b, &cfg, nil}, f}
	doors.market = m.onSlurm
	ended := make(chan struct{})
	go f.Run(ctx)
	go func() { b.Run(ctx); close(ended) }()
	t.Cleanup(func() {
		stop()
		<-ended
		<-c.Done()
		_ = st.Close()
	})
	for _, user := range users {
		m.do("owner", trade.Command{Money: &trade.MoneyCommand{Op: "open", To: user, User: user}})
		m.do("owner", trade.Command{Money: &trade.MoneyCommand{Op: "grant", To: user, Amount: int64(1e6 * market.Unit)}})
	}
	m.await("both nodes are in the market, and open", func() bool {
		nodes, err := c.Nodes(t.Context())
		return err == nil && len(nodes) == 2 && nodes[0].Up && nodes[1].Up && !nodes[0].Closed && !nodes[1].Closed
	})
	return m
}

// await waits until something is so.
func (m *bench) await(what string, so func() bool) {
	m.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			m.Fatalf("it is not so that %s", what)
		}
	}
}

// do does what somebody says.
func (m *bench) do(user string, c trade.Command) api.Outcome {
	m.Helper()
	c.By = trade.Identity{User: user, Role: trade.RoleUser}
	if user == "owner" {
		c.By.Role = trade.RoleOwner
	}
	o, _, err := m.Do(m.Context(), c, api.Key{})
	if err != nil {
		m.Fatalf("%s: %v", user, err)
	}
	return o
}

// withLicenses is an environment that asks for some.
func withLicenses(some string) []string { return []string{task.Licenses + "=" + some} }
