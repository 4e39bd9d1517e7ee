package web_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/web"
)

// counting is a market that earns one more each time its business is added up.
type counting struct {
	*apitest.Market
	sums  atomic.Int64
	takes func()
}

func (m *counting) Tally(_ context.Context, fromUS, toUS int64) (v1.Tally, error) {
	n := m.sums.Add(1) * 1_010_000
	m.takes()
	return v1.Tally{FromUS: fromUS, ToUS: toUS, Net: n, Rent: 50_000, Income: n + 50_000}, nil
}

// The owner's numbers are of the moment where that is quickly had; where it is not,
// they say of when they are.
func TestTheOwnersNumbersSayOfWhen(t *testing.T) {
	for _, c := range []struct {
		name string
		slow time.Duration
		want string // the income that is shown five seconds after the first look
		asOf time.Duration
	}{{"at once", 0, "2.07", 5 * time.Second}, {"slowly", 2 * time.Second, "1.06", 0}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			var now atomic.Int64
			now.Store(w.now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour).UnixMicro()) // a day does not end in between
			market := &counting{Market: w.market, takes: func() { now.Add(c.slow.Microseconds()) }}
			w.handler = web.New(market, w.keys, web.Options{
				Log: logTo(t), WhatIf: pretend, Now: func() time.Time { return time.UnixMicro(now.Load()) },
			})
			w.server = serve(t, w.handler)
			w.furnish()
			p := w.signedIn(root)
			began := time.UnixMicro(now.Load())
			p.get("/owner")
			now.Store(began.Add(5 * time.Second).UnixMicro())
			page := p.get("/owner").body
			asOf := began.Add(c.asOf).UTC().Format("15:04:05 UTC")
			for _, want := range []string{`<p class="figure">` + c.want + "\u00a0cr</p>", asOf + "</time>", "0.05\u00a0cr rent of quotes"} {
				if !strings.Contains(page, want) {
					t.Errorf("the page does not say %s", want)
				}
			}
		})
	}
}
