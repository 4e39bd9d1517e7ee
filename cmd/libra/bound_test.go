package main

import (
	"strings"
	"testing"
)

// What libra bound says is what libra simulate --bound says, and no policy exceeds it.
func TestBound(t *testing.T) {
	// One processor; of the three only two can be in time, and a pays most.
	jobs := file(t, "jobs.csv", "id,submit,runtime,procs,deadline,budget\na,0,10,1,10,100\nb,0,10,1,10,60\nc,0,10,1,20,50\n")
	type limits struct {
		QoS, Profitability, Revenue, Utility float64
		Assumes                              string
	}
	read := func(from map[string]any) limits {
		l := limits{QoS: from["qos_satisfaction"].(float64), Profitability: from["profitability"].(float64), Revenue: from["revenue"].(float64), Utility: from["utility"].(float64)}
		l.Assumes, _ = from["assumes"].(string)
		return l
	}
	alone := read(parse[map[string]any](t, mustLibra(t, "bound", "--workload", jobs, "--nodes", "1", "--json")))
	if alone.QoS < 0.66 || alone.QoS > 0.67 || alone.Revenue < 150 || alone.Revenue > 150.01 || alone.Utility < 210 {
		t.Errorf("bounds: %+v", alone) // without a penalty everything is worth doing, late
	}
	if !strings.Contains(alone.Assumes, "knows the future") {
		t.Errorf("it does not say what it assumes: %q", alone.Assumes)
	}
	alone.Assumes = ""
	s := summary(t, "--policy", "edf-bf", "--nodes", "1", "--workload", jobs, "--bound")
	if got := read(s["bound"].(map[string]any)); got != alone {
		t.Errorf("libra bound says %+v, simulate --bound %+v", alone, got)
	}
	if s["revenue"].(float64) > alone.Revenue {
		t.Errorf("revenue %v, bound %v", s["revenue"], alone.Revenue)
	}
	out := mustLibra(t, "simulate", "--policy", "edf-bf,libra", "--nodes", "1", "--workload", jobs, "--bound")
	if !strings.Contains(out, "\nupper bound ") {
		t.Errorf("for people:\n%s", out)
	}
	open := file(t, "open.csv", "id,submit,runtime,procs,deadline\na,0,10,1,10\n")
	if out := mustLibra(t, "bound", "--workload", open, "--nodes", "1"); !strings.Contains(out, "name no budget") {
		t.Errorf("without a budget:\n%s", out)
	}
}
