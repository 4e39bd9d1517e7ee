package exchange_test

import (
	"encoding/json"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// What is named by the hour counts, to the last digit; what logs of before name by
// the second counts as it did.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		named, shown trade.Rates
		second, mb   market.Price
	}{
		{named: trade.Rates{Processor: 1_000_000, Memory: 7}, shown: trade.Rates{Processor: 1_000_000, ProcessorHour: 3_600_000_000, Memory: 7}, second: 1, mb: 7e-6},
		{named: trade.Rates{ProcessorHour: 50_000}, shown: trade.Rates{Processor: 14, ProcessorHour: 50_000}, second: market.Price(0.05) / 3600},
		{
			named: trade.Rates{Processor: 99, ProcessorHour: 3_600_000, MemoryHour: 512, DiskHour: 1},
			shown: trade.Rates{Processor: 1000, ProcessorHour: 3_600_000, Memory: 1, MemoryHour: 512, DiskHour: 1}, second: 0.001, mb: market.Price(512e-6) / 1024,
		},
	} {
		if got := c.named.Complete(); !got.Equal(c.shown) {
			t.Errorf("%+v is shown as %+v, want %+v", c.named, got, c.shown)
		}
		if b := c.named.Base(); b.Processor != c.second || b.Memory != c.mb {
			t.Errorf("%+v: %v a second, %v a MB", c.named, b.Processor, b.Memory)
		}
	}
	if text, _ := json.Marshal(trade.Rates{Processor: 1}); string(text) != `{"processor_micros_per_s":1,"memory_micros_per_mb":0,"disk_micros_per_mb":0}` {
		t.Errorf("what logs of before say: %s", text)
	}
}

// An hour costs what the rate says, under every policy that has a price.
func TestAnHourCostsTheRate(t *testing.T) {
	for _, name := range []string{"fifo", "fcfs-bf", "sjf-bf", "edf-bf", "libra", "qops", "libra-plus"} {
		x := exchange.New("test")
		set := epoch.Complete(name, map[string]string{}, epoch.LiveSettings())
		if name == "libra-plus" {
			set["beta"] = "0"
		}
		for _, c := range []trade.Command{
			{By: owner, Open: &trade.Open{Policy: name, Settings: set, Rates: trade.Rates{ProcessorHour: 50_000}}},
			{By: trade.Identity{User: "n", Role: trade.RoleNode}, Enlist: &task.Hello{Node: "n", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1000, DiskMB: 1000, Boot: "b"}},
			{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "alice"}},
			{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "alice", Amount: 1000e6}},
		} {
			if _, err := x.Do(1, c); err != nil {
				t.Fatal(err)
			}
		}
		for procs, want := range map[int]int64{1: 50_000, 4: 200_000} {
			o, err := x.Preview(alice, trade.Request{EstimateMS: 3_600_000, Processors: procs})
			if err != nil || o.Quote == nil || o.Quote.Price != want {
				t.Errorf("%s: an hour of %d processors: %+v, %v, want %d", name, procs, o.Quote, err, want)
			}
		}
	}
}
