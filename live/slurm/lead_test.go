package slurm

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/model"
)

// A backend whose controller does not lead for a while hands nothing in, asks again now and
// then and not without a pause, and hands it in when it may. Seed 622398 of the world.
func TestWhoDoesNotLeadWaits(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, _ context.Context) {
		var away atomic.Bool
		var asked atomic.Int64
		th.leads = func() error {
			if n := asked.Add(1); away.Load() && n < 10_000 {
				return errors.New("somebody else leads")
			}
			return nil
		}
		th.restart(0)
		time.Sleep(5 * time.Second)
		away.Store(true)
		asked.Store(0)
		th.market.submit(1, 1, model.Program{Takes: time.Second}, false)
		time.Sleep(20 * time.Second)
		if n := asked.Load(); n == 0 || n > 200 || th.slurm.Count() != 0 {
			t.Errorf("asked %d times in 20 s whether it leads, and %d jobs are in Slurm", n, th.slurm.Count())
		}
		away.Store(false)
		time.Sleep(time.Minute)
	})
}
