package main

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

// The market hears which elements of an array are left that waits, and shows the others as cancelled.
// To hear it again changes nothing, nor does it where the array runs, or is nobody's.
func TestWhichElementsAreLeftOfAnArrayThatWaits(t *testing.T) {
	m := openBench(t, "fcfs-bf", nil, "eve")
	sweep := func(hold bool) int64 {
		return m.do("eve", trade.Command{Submit: &trade.Submit{Request: trade.Request{
			Argv: []string{"takes 100s exit 0"}, EstimateMS: 100_000, Hold: hold, Array: &trade.Array{First: 1, Last: 4, Limit: 1},
		}}}).Job.ID
	}
	line := &slurmLine{m.onSlurm}
	waits, runs := sweep(true), sweep(false)
	for _, id := range []int64{waits, waits, runs, 999} {
		if err := line.Only(t.Context(), id, "eve", []int{1, 3}); err != nil {
			t.Errorf("job %d: %v", id, err)
		}
	}
	if err := line.Only(t.Context(), waits, "eve", []int{7}); err != nil {
		t.Errorf("none of them is left: %v", err)
	}
	for id, want := range map[int64]string{waits: "1 waiting, 2 cancelled, 3 waiting, 4 cancelled, ", runs: "1 waiting, 2 waiting, 3 waiting, 4 waiting, "} {
		j, err := m.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range j.Elements {
			got += fmt.Sprintf("%d %s, ", e.Index, e.State)
		}
		if got != want {
			t.Errorf("job %d: %s", id, got)
		}
		if count := wire.ElementCounts(j.Elements); id == waits && count != "2 waiting, 2 cancelled" {
			t.Errorf("in short: %s", count)
		}
	}
}
