package controller_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// A node that follows a market on a store that came after is as good as silent: after its
// lease it is taken for lost, and its operator is told. All that its word does is done to
// itself: the market keeps its name, and other nodes their place. One that comes for
// orders again is there again.
func TestANodeThatFollowsAnotherMarket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := controller.Default()
		cfg.Lease = 10 * time.Second
		ctx, stop := context.WithCancel(t.Context())
		c, err := controller.Start(ctx, store.NewMemory("first").Open(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { stop(); <-c.Done() }()
		hello := func(node string) {
			t.Helper()
			w, err := c.Hello(ctx, task.Hello{Node: node, Processors: 1, Rating: 1, Speed: 1, MemoryMB: 1 << 10, DiskMB: 1 << 10, Boot: "b"})
			if err != nil || *w.Leader != *c.Leader() {
				t.Fatalf("%s: %+v, %v", node, w.Leader, err)
			}
		}
		stands := func(node string) (up bool, why string) {
			nodes, err := c.Nodes(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for i := range nodes {
				if nodes[i].Node == node {
					up, why = nodes[i].Up, nodes[i].Why
				}
			}
			return up, why
		}
		entries := func() float64 {
			m, err := c.Measure(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return m["log_entries_total"]
		}
		hello("n1")
		hello("n2")
		later := task.Leader{Generation: "second", Term: 1}
		for _, r := range []task.Refusal{
			{Of: task.Leader{Generation: "first", Term: 7}, Follows: later}, // of another lead
			{Of: *c.Leader()}, // says nothing
			{Of: *c.Leader(), Follows: *c.Leader()},
		} {
			if err := c.Refused(ctx, "n1", r); err != nil || c.Notice() != "" {
				t.Errorf("%+v: %v, %s", r, err, c.Notice())
			}
		}
		if err := c.Refused(ctx, "n3", task.Refusal{Of: *c.Leader(), Follows: later}); !errors.Is(err, trade.ErrUnknown) {
			t.Errorf("a node that nobody knows: %v", err)
		}
		before := entries()
		for range 20 { // as an agent that refuses does
			hello("n1")
			if err := c.Refused(ctx, "n1", task.Refusal{Of: *c.Leader(), Follows: later}); err != nil {
				t.Fatal(err)
			}
			hello("n2")
			time.Sleep(time.Second)
		}
		if _, err := c.Report(ctx, task.Report{Node: "n1"}); !errors.Is(err, trade.ErrConflict) {
			t.Errorf("its report: %v", err)
		}
		if up, why := stands("n1"); up || !strings.Contains(why, "came after") {
			t.Errorf("it refuses, and is up %t: %s", up, why)
		}
		if up, _ := stands("n2"); !up || c.Leader().Generation != "first" {
			t.Errorf("the other is up %t, the market is %s", up, c.Leader())
		}
		if !strings.Contains(c.Notice(), "one: 1;") {
			t.Errorf("the operator is told %q", c.Notice())
		}
		if n := entries() - before; n != 1 {
			t.Errorf("%v entries of the log, for one node that is lost", n)
		}
		if _, err := c.Desired(ctx, "n1", -1, 0); !errors.Is(err, trade.ErrUnknown) {
			t.Errorf("it comes for orders: %v", err)
		}
		hello("n1")
		if up, _ := stands("n1"); !up || c.Notice() != "" {
			t.Errorf("it obeys, and is up %t: %s", up, c.Notice())
		}
		// What an agent said that is gone since is not told for ever.
		if err := c.Refused(ctx, "n1", task.Refusal{Of: *c.Leader(), Follows: later}); err != nil || c.Notice() == "" {
			t.Errorf("%v, %q", err, c.Notice())
		}
		if time.Sleep(2 * time.Minute); c.Notice() != "" {
			t.Error(c.Notice())
		}
	})
}
