package controller

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// What was said of many tasks is taken in piece by piece: whoever asks for something
// meanwhile waits for one piece and not for all, and all of it is in within the second.
func TestReadingsAreTakenInPieceByPiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c, err := Start(ctx, store.NewMemory("m").Open(), Default())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { stop(); <-c.Done() }()
		if _, err := c.Hello(ctx, task.Hello{Node: "n1", Processors: 8, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b"}); err != nil {
			t.Fatal(err)
		}
		do := func(cmd trade.Command) {
			t.Helper()
			if o, _, err := c.Do(ctx, cmd, trade.Key{}); err != nil || o.Refusal != nil {
				t.Fatal(err, o.Refusal)
			}
		}
		owner := trade.Identity{User: "owner", Role: trade.RoleOwner}
		do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/alice", User: "alice"}})
		do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: int64(1e9 * market.Unit)}})
		const jobs = 10 * atOnce
		r := task.Report{Node: "n1"}
		for i := range jobs {
			do(trade.Command{By: trade.Identity{User: "alice", Role: trade.RoleUser}, Submit: &trade.Submit{
				Request: trade.Request{Argv: []string{"true"}, EstimateMS: 60_000, DeadlineMS: 1e9},
			}})
			r.Tasks = append(r.Tasks, task.Status{Key: task.Key{Job: int64(i + 1)}, State: task.Running, CPUUS: 1})
		}
		if _, err := c.Report(ctx, r); err != nil {
			t.Fatal(err)
		}
		left := func() int {
			synctest.Wait()
			c.fleet.mu.Lock()
			defer c.fleet.mu.Unlock()
			return len(c.fleet.said)
		}
		if n := left(); n != jobs {
			t.Fatalf("%d tasks were heard of, want %d", n, jobs)
		}
		for last, passed := jobs, time.Duration(0); last > 0; passed += time.Millisecond {
			if passed > 2*time.Second {
				t.Fatalf("after %v nobody has taken in what was said of %d tasks", passed, last)
			}
			time.Sleep(time.Millisecond)
			now := left()
			if last-now > atOnce {
				t.Fatalf("%d tasks were taken in at once", last-now)
			}
			last = now
		}
	})
}
