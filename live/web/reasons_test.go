package web_test

import (
	"context"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/web"
)

// choosy is a market that has refused jobs for many reasons.
type choosy struct{ *apitest.Market }

func (choosy) Tally(_ context.Context, fromUS, toUS int64) (v1.Tally, error) {
	return v1.Tally{FromUS: fromUS, ToUS: toUS, Submitted: 9, Rejected: 9, Reasons: map[string]int64{
		"cannot_meet_deadline": 5, "cannot_meet_budget": 2, "dependency_failed": 1, "penalty_not_sold": 1,
	}}, nil
}

// The reasons that the owner reads add up to those who were refused; and a forecast that
// begins elsewhere than with what jobs brought says so.
func TestTheOwnerReadsAllReasons(t *testing.T) {
	w := newWorld(t)
	whatIf := func(context.Context, string, map[string]string, v1.Rates) (web.WhatIfResult, error) {
		return web.WhatIfResult{Jobs: 9, RevenueBefore: 4_940_000, Revenue: 9_880_000, Brought: 6_220_000}, nil
	}
	w.handler = web.New(choosy{w.market}, w.keys, web.Options{Log: logTo(t), Now: w.now, WhatIf: whatIf})
	w.server = serve(t, w.handler)
	w.furnish()
	p := w.signedIn(root)
	if page := p.get("/owner").body; !strings.Contains(page, "5 cannot meet deadline, 2 cannot meet budget, 2 for other reasons<") {
		t.Error("the reasons do not add up")
	}
	if page := p.fill("/owner/whatif", nil).body; !strings.Contains(page, "in fact they brought 6.22\u00a0cr") {
		t.Error("nothing is said of what they brought")
	}
}
