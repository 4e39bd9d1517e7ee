package trial_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// One run gives the summary, shows its records, and writes the table, all of
// the same thing; exact estimates reach the policy and nobody else.
func TestRun(t *testing.T) {
	kind, err := policy.Find("edf-bf")
	if err != nil {
		t.Fatal(err)
	}
	// By its estimate the job cannot be done in time; by its runtime it can.
	arrivals := []workload.Arrival{{
		Job: market.Job{Name: "a", Width: 2, Estimate: 20, SLA: market.SLA{Deadline: 15, Budget: 100}}, Actual: 10,
	}}
	for exact, want := range map[bool]string{true: "a,completed,", false: "a,rejected,cannot_meet_deadline,"} {
		var table strings.Builder
		shown := int64(0)
		try := trial.Trial{
			Kind: kind, Nodes: market.Alike(market.Plain(), 2), Exact: exact, Table: &table, Watch: func(*market.Record) { shown++ },
		}
		summary, err := try.Run(t.Context(), workload.FromSlice(arrivals))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(table.String(), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[1], want) || (summary.Completed == 1) != exact || shown != summary.Events {
			t.Errorf("exact %v: %+v, %d records shown, table\n%s", exact, summary, shown, table.String())
		}
		if arrivals[0].Job.Estimate != 20 {
			t.Error("the workload was written to")
		}
	}
}

func TestRunRefusesSettingsNobodyKnows(t *testing.T) {
	kind, err := policy.Find("fifo")
	if err != nil {
		t.Fatal(err)
	}
	try := trial.Trial{Kind: kind, Set: map[string]string{"beta": "1"}, Nodes: market.Alike(market.Plain(), 1)}
	if _, err := try.Run(t.Context(), workload.FromSlice(nil)); err == nil {
		t.Error("a setting that fifo does not have")
	}
}
