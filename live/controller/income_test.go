package controller_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
)

// A market that was killed pays the allowances of the time that it was away once, and
// the books, the statement and the report say the same of them.
func TestAllowancesAfterAKill(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC).UnixMicro())
	f := open(t, func(c *controller.Config) {
		c.Now = func() time.Time { return time.UnixMicro(now.Load()) }
		c.Lease = 0
	})
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/bob", User: "bob"}}, "")
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "allow", To: "lab/bob", Amount: 5e6, EveryUS: 3600e6, Most: 100e6}}, "")
	began := now.Load()
	bob := func(want int64) {
		t.Helper()
		for _, a := range have(f.Accounts(t.Context(), "lab/bob"))(t) {
			if a.Free != want {
				t.Errorf("bob has %d, want %d", a.Free, want)
			}
		}
	}
	bob(5e6)
	last := &brittle{Store: f.store}
	f.stop()
	<-f.Done()
	f.start(last)
	away := func(long time.Duration) { // whoever is killed writes nothing any more
		t.Helper()
		last.fail.Store(true)
		f.stop()
		<-f.Done()
		now.Add(long.Microseconds())
		last = &brittle{Store: f.store}
		f.start(last)
	}
	for range 3 { // each of them reads back what the one before wrote, and nothing else
		away(0)
		f.do(trade.Command{Tick: &trade.Tick{}}, "")
		bob(5e6)
	}
	away(3*time.Hour + time.Minute)
	f.do(trade.Command{Tick: &trade.Tick{}}, "")
	bob(20e6)
	away(0)
	f.do(trade.Command{Tick: &trade.Tick{}}, "")
	bob(20e6)
	s := have(f.Statement(t.Context(), "lab/bob", false, began, now.Load()+1))(t)
	if len(s.Lines) != 2 || s.Lines[1].Kind != ledger.KindIncome || s.Closing != 20e6 {
		t.Errorf("%+v", s)
	}
	if tally := have(f.Tally(t.Context(), began, now.Load()+1))(t); tally.Allowances != 20e6 || tally.Income != 0 {
		t.Errorf("%+v", tally)
	}
	if v := have(f.VerifyLedger(t.Context()))(t); v.Problem != "" {
		t.Error(v.Problem)
	}
}
