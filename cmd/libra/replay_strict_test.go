package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// A log that this program wrote is decided alike, and the command says so.
func TestReplayLiveStrict(t *testing.T) {
	file := filepath.Join(t.TempDir(), "market.db")
	st, err := store.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c, err := controller.Start(ctx, st, controller.Default())
	if err != nil {
		t.Fatal(err)
	}
	by := trade.Identity{User: "root", Role: trade.RoleOwner}
	for _, op := range []string{"open", "grant"} {
		money := &trade.MoneyCommand{Op: op, To: "lab/alice", Amount: 1_000_000}
		if op == "open" {
			money.Amount, money.User = 0, "alice"
		}
		if _, _, err = c.Do(ctx, trade.Command{By: by, Money: money}, trade.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	<-c.Done()
	if err = st.Close(); err != nil {
		t.Fatal(err)
	}
	if out := mustLibra(t, "replay", "live", "--strict", "--store", file); !strings.Contains(out, "4 decided alike") {
		t.Error(out)
	}
	for _, wrong := range [][]string{
		{"replay", "live", "--strict"},
		{"replay", "jobs.csv", "--strict", "--store", file},
		{"replay", "live", "--store", file},
	} {
		if r := libra(t, wrong...); r.code != exitUsage || !strings.Contains(r.err, "--store FILE") {
			t.Errorf("%v: %d %s", wrong, r.code, r.err)
		}
	}
}
