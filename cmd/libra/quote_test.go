package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

func TestQuote(t *testing.T) {
	f := newFloor()
	q := v1.Quote{
		ID: "q12", Price: 1_250_000, Binding: true, Firm: true, FinishUS: micro(10 * time.Minute), PredictedUS: micro(4 * time.Minute), Odds: 0.97,
		Share: 0.2, Width: 2, ExpiresUS: micro(time.Minute), Formula: "gamma * E + delta * E / D", Policy: "libra",
	}
	f.answer = func(c trade.Command) (api.Outcome, error) {
		got := q
		got.Request = wire.Request(&c.Quote.Request)
		return api.Outcome{Quote: &got}, nil
	}
	f.preview = func(r v1.Request) api.Outcome {
		got := q
		got.ID, got.Binding, got.Firm, got.Share, got.PredictedUS, got.Request = "", false, false, 0, 0, r
		return api.Outcome{Quote: &got}
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "quote", "-e", "2m", "-d", "10m", "-n", "2"), `
quote      q12
price      1.25 cr
done by    12:10:00 (in 10m)
predicted  12:04:00 (in 4m)
odds       97.0 % that the deadline is met
on         2 processors, needs 20.0 % of each
policy     libra
formula    gamma * E + delta * E / D
binds      until 12:01:00 (in 1m)

take it with: libra submit --quote q12 -- PROGRAM ARGS...
`)
	if got := f.last(t).Quote; got.TTLMS != trade.DefaultTTL || got.Request.HasProgram() || got.Request.Processors != 2 {
		t.Errorf("asked for %+v", got)
	}
	mustLibra(t, "quote", "-e", "2m", "--ttl", "5m", "--", "./simulate")
	if got := f.last(t).Quote; got.TTLMS != 300_000 || !got.Request.HasProgram() || got.Request.Dir == "" {
		t.Errorf("asked for %+v", got)
	}
	same(t, mustLibra(t, "quote", "--preview", "-e", "2m", "--", "./simulate"), `
price    1.25 cr
done by  nothing promised before it starts
on       2 processors
policy   libra
formula  gamma * E + delta * E / D
binds    nobody: a preview
`)
}

func TestCurve(t *testing.T) {
	f := newFloor()
	f.preview = func(r v1.Request) api.Outcome {
		if r.DeadlineMS < 150_000 {
			return api.Outcome{Refusal: &v1.Refusal{Reason: "cannot_meet_deadline", Detail: "no", Offers: []v1.Offer{}}}
		}
		return api.Outcome{Quote: &v1.Quote{Request: r, Price: 360_000_000_000 / r.DeadlineMS}}
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "quote", "--curve", "-e", "2m", "-d", "10m"), `
deadline  x estimate                  price cr  an hour
      2m        1.00  no: cannot_meet_deadline
   2m30s        1.25                      2.40    72.00  ########################
      3m        1.50                      2.00    60.00  ####################....
      4m        2.00                      1.50    45.00  ###############.........
      6m        3.00                      1.00    30.00  ##########..............
     10m        5.00                      0.60    18.00  ######..................
     16m        8.00                      0.38    11.25  ####....................
     26m       13.00                      0.23     6.92  ##......................
`)
	var points []v1.PricePoint
	if err := json.Unmarshal([]byte(mustLibra(t, "quote", "--curve", "--json", "-e", "2m", "-d", "7m")), &points); err != nil || len(points) != 9 {
		t.Errorf("%v: %+v", err, points)
	}
}
