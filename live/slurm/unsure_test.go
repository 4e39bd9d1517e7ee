package slurm

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
)

// unsureFleet is a market whose store does not always say whether it has written: what
// it is told of a node takes effect, and the answer is an error, a while later.
type unsureFleet struct {
	*fakeMarket

	late atomic.Int64 // how much later; 0: it says so
}

func (f *unsureFleet) answer(ctx context.Context, err error) error {
	if late := time.Duration(f.late.Load()); late > 0 {
		pause(ctx, late)
		return trade.ErrUnavailable
	}
	return err
}

func (f *unsureFleet) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	w, err := f.fakeMarket.Hello(ctx, h)
	return w, f.answer(ctx, err)
}

func (f *unsureFleet) Lose(ctx context.Context, node, why string) error {
	return f.answer(ctx, f.fakeMarket.Lose(ctx, node, why))
}

func (f *unsureFleet) Turn(ctx context.Context, node string, door trade.Door, why string, ahead int64) error {
	return f.answer(ctx, f.fakeMarket.Turn(ctx, node, door, why, ahead))
}

// takes is whether the market sells a node.
func (th *theater) takes(node string) bool {
	th.market.mu.Lock()
	defer th.market.mu.Unlock()
	n := th.market.nodes[node]
	return n.up && !n.closed
}

// What a market was told of a node while its store did not say what it wrote, it may
// have heard: it is told what is so then. Seed 300680 of the world.
func TestWhatAMarketMayHaveHeardOfANode(t *testing.T) {
	const late = time.Minute
	t.Run("a drain that is over", func(t *testing.T) {
		play(t, 1, func(t *testing.T, th *theater, _ context.Context) {
			th.change(func(f *model.Slurm) { f.Drains["n1"] = true })
			th.fleet.late.Store(int64(late))
			time.Sleep(10 * time.Second)
			if th.takes("n1") {
				t.Fatal("nobody told that it drains: nothing was tested")
			}
			th.change(func(f *model.Slurm) { f.Drains["n1"] = false })
			th.fleet.late.Store(0)
			time.Sleep(2 * time.Minute)
			if !th.takes("n1") {
				t.Error("the drain is over, and it is not sold")
			}
		})
	})
	t.Run("a loss that is over", func(t *testing.T) {
		play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
			th.fleet.late.Store(int64(late))
			th.slurm.FailNode(ctx, "n1", 25*time.Second)
			if th.takes("n1") {
				t.Fatal("nobody told that it is gone: nothing was tested")
			}
			th.fleet.late.Store(0)
			time.Sleep(2 * time.Minute)
			if !th.takes("n1") {
				t.Error("it is back, and it is not sold")
			}
		})
	})
	t.Run("a return that is over", func(t *testing.T) {
		play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
			th.slurm.FailNode(ctx, "n1", 30*time.Second)
			th.fleet.late.Store(int64(late))
			time.Sleep(15 * time.Second)
			if !th.takes("n1") {
				t.Fatal("nobody told that it is back: nothing was tested")
			}
			go th.slurm.FailNode(ctx, "n1", 3*time.Minute)
			th.fleet.late.Store(0)
			time.Sleep(2 * time.Minute)
			if th.takes("n1") {
				t.Error("it is gone again, and it is sold")
			}
			time.Sleep(3 * time.Minute)
			if !th.takes("n1") {
				t.Error("it is back again, and it is not sold")
			}
		})
	})
}
