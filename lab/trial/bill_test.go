package trial_test

import (
	"errors"
	"math"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// A job of two processors that said 20 s and took 10, and one that said 10 and
// took 20, by the papers' rules and by those of a live market.
func TestBilledByTheRules(t *testing.T) {
	arrivals := []workload.Arrival{
		{Job: market.Job{Name: "a", Width: 2, Estimate: 20, SLA: market.SLA{Deadline: 40, Budget: market.Unlimited}}, Actual: 10},
		{Job: market.Job{Name: "b", Width: 1, Submit: 100, Estimate: 10, SLA: market.SLA{Deadline: 40, Budget: market.Unlimited}}, Actual: 20},
	}
	for _, c := range []struct {
		set  map[string]string
		want float64
	}{
		{nil, 20.5 + 10.25},
		{map[string]string{"per": "processor"}, 41 + 10.25},
		{map[string]string{"unused": "0.25"}, 20.5*(0.5+0.125) + 20.5},
		{map[string]string{"unused": "0.25", "penalty_cap": "1", "per": "processor"}, 41*(0.5+0.125) + 20.5},
		{map[string]string{"endings": "papers", "unused": "0"}, 10.25 + 20.5},
	} {
		kind, err := policy.Find("libra")
		if err != nil {
			t.Fatal(err)
		}
		try := trial.Trial{Kind: kind, Set: c.set, Nodes: market.Alike(market.Plain(), 2)}
		summary, err := try.Run(t.Context(), workload.FromSlice(arrivals))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(summary.Earned-c.want) > 1e-6 {
			t.Errorf("%v: earned %v, want %v", c.set, summary.Earned, c.want)
		}
	}
}

func TestRulesThatMakeNoSense(t *testing.T) {
	kind, _ := policy.Find("libra")
	try := trial.Trial{Kind: kind, Set: map[string]string{"unused": "2"}, Nodes: market.Alike(market.Plain(), 1)}
	if _, err := try.Run(t.Context(), workload.FromSlice(nil)); err == nil {
		t.Error("unused=2")
	}
}

// Memory is sold by the policy here: who asks for the other way is told, and not billed
// as if nothing had been said.
func TestRulesThatAreNotPlayed(t *testing.T) {
	kind, _ := policy.Find("libra-plus")
	model, err := trial.NewModel(trial.NoModel)
	if err != nil {
		t.Fatal(err)
	}
	for value, wrong := range map[string]bool{"held": true, "policy": false} {
		err := trial.Distribute([]trial.Setting{{Name: "storage", Value: value}}, []trial.Contender{{Kind: kind, Set: map[string]string{}}}, model)
		if errors.Is(err, trial.ErrLive) != wrong || !wrong && err != nil {
			t.Errorf("storage=%s: %v", value, err)
		}
	}
}
