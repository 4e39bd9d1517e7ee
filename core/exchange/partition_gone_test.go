package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Who was kept back while its partition went, and others stayed, is not put into another: it
// ends, and is told why.
func TestAPartitionGoesWhileAJobIsKeptBack(t *testing.T) {
	f := openDivided(t, "libra", true, true)
	ask := func(partition string) int64 {
		return f.submit(alice, trade.Request{EstimateMS: 1000, DeadlineMS: 400_000, BeginMS: 60_000, Partition: partition}).Job.ID
	}
	fast, slow := ask("fast"), ask("slow")
	e := f.x.Epochs()
	rates := e[len(e)-1].Rates
	rates.Partitions = map[string]int64{"slow": 500_000, "other": 500_000}
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: "libra", Settings: epoch.Complete("libra", nil, epoch.LiveSettings()), Rates: &rates}})
	f.wait(61)
	if got := f.job(fast); got.State != trade.Rejected && got.State != trade.Cancelled || !strings.Contains(got.Detail, "partition fast is not sold any more") {
		t.Errorf("its partition is gone: %s, %q", got.State, got.Detail)
	}
	if got := f.job(slow); strings.Join(f.on(slow), " ") != "n1" {
		t.Errorf("its partition is there: %s on %v, %q", got.State, f.on(slow), got.Detail)
	}
}

// What the site gains by a job is said in the prices of its partition, as all else is.
func TestTheGainInAPartition(t *testing.T) {
	quoted := func(partition string, bid float64) *trade.Quote {
		f := openDivided(t, "mf-edf", true, false)
		return f.ask(bob, 600, trade.Request{EstimateMS: 12_000, DeadlineMS: 60_000, Budget: budget(bid), Partition: partition}).Quote
	}
	slow, fast := quoted("slow", 50), quoted("fast", 300)
	if slow == nil || fast == nil || slow.Gain <= 0 || slow.Gain > 50*int64(market.Unit) || fast.Gain != 6*slow.Gain {
		t.Errorf("in slow %+v, in fast at six times the price %+v", slow, fast)
	}
}
