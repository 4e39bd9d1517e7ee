package exchange_test

import (
	"syscall"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// BenchmarkArrival is one more submission to a live market under libra in which
// 10,000 jobs share 64 processors: each arrival changes the shares of some 156. The
// market alone is measured, in processor time, without the log and the API.
func BenchmarkArrival(b *testing.B) {
	f := &floor{TB: b, x: exchange.New("bench"), now: 1_700_000_000 * second, all: map[int64]trade.Job{}}
	f.do(trade.Command{By: owner, Open: &trade.Open{Policy: "libra", Settings: epoch.Complete("libra", nil, epoch.LiveSettings()), Rates: trade.Rates{Processor: 1_000_000}}})
	f.enlist("n1", 64)
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/alice", User: "alice"}})
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: 1_000_000_000 * int64(market.Unit)}})
	one := trade.Command{By: alice, Submit: &trade.Submit{Request: trade.Request{Argv: []string{"true"}, EstimateMS: 60_000, DeadlineMS: 1e9}}}
	for range 10_000 {
		f.tell(one)
	}
	before := used(b)
	b.ResetTimer()
	for range b.N {
		f.tell(one)
	}
	b.ReportMetric((used(b)-before)/float64(b.N), "cpu-µs/job")
}

// used is the processor time that the process has had, in microseconds: the machine has others.
func used(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}

// tell is do without a look at everything after it.
func (f *floor) tell(c trade.Command) trade.Outcome {
	f.Helper()
	o, err := f.x.Do(f.now, c)
	if err != nil || o.Refusal != nil {
		f.Fatal(err, o.Refusal)
	}
	f.x.Effects()
	f.now += second / 1000
	return o
}
