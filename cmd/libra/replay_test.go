package main

import (
	"encoding/xml"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// replayJobs: on one node FIFO order lets long take the node first, and the
// two urgent jobs of ann miss their deadlines; libra refuses nobody it can
// serve in time.
const replayJobs = `id,submit,runtime,procs,deadline,budget,user
long,0,100,1,1000,500,bob
a1,1,10,1,40,50,ann
a2,2,10,1,50,50,ann
`

func TestReplayWhoWins(t *testing.T) {
	jobs := file(t, "jobs.csv", replayJobs)
	answer := parse[replayAnswer](t, mustLibra(t, "replay", jobs, "--nodes", "1", "--from", "fifo", "--policy", "libra", "--json"))
	if answer.Before.Satisfied != 1 || answer.Before.Revenue != 100 {
		t.Errorf("before: %+v", answer.Before)
	}
	c := answer.After[0]
	if c.Satisfied != 3 || c.Won != 2 || c.Lost != 0 || c.Kept != 1 {
		t.Errorf("after: %+v", c)
	}
	// gamma*E + delta*E/D: 100.1, 10.25, 10.2
	if math.Abs(c.Revenue-120.55) > 1e-9 || math.Abs(c.RevenueChange-20.55) > 1e-9 {
		t.Errorf("revenue %v, change %v", c.Revenue, c.RevenueChange)
	}
	if len(c.Users) != 2 || c.Users[0].Name != "user ann" || c.Users[0].Won != 2 || c.Users[1].Name != "user bob" || c.Users[1].PaidBefore != 100 {
		t.Errorf("users: %+v", c.Users)
	}
	out := mustLibra(t, "replay", jobs, "--nodes", "1", "--from", "fifo", "--policy", "libra")
	for _, text := range []string{"fifo (simulated)", "+20.5 %", "user ann", "win"} {
		if !strings.Contains(out, text) {
			t.Errorf("no %q in\n%s", text, out)
		}
	}
}

// A table of what happened is the same baseline as simulating it.
func TestReplayTable(t *testing.T) {
	jobs, table := file(t, "jobs.csv", replayJobs), filepath.Join(t.TempDir(), "table.csv")
	mustLibra(t, "simulate", "--policy", "fifo", "--nodes", "1", "--workload", jobs, "--jobs", table)
	told := parse[replayAnswer](t, mustLibra(t, "replay", jobs, "--nodes", "1", "--table", table, "--policy", "libra", "--json"))
	if told.Before.Policy != "as it was" || told.Before.Revenue != 100 || told.After[0].Won != 2 || told.Before.Utility != 600 {
		t.Errorf("%+v", told)
	}
	// The table alone: what ran, without deadlines.
	alone := libra(t, "replay", table, "--nodes", "1", "--policy", "sjf-bf", "--json")
	if alone.code != exitOK || parse[replayAnswer](t, alone.out).Before.Jobs != 3 {
		t.Errorf("exit code %d, said %q %q", alone.code, alone.out, alone.err)
	}
	refused := filepath.Join(t.TempDir(), "refused.csv")
	mustLibra(t, "simulate", "--policy", "edf-bf", "--nodes", "1", "--workload", jobs, "--jobs", refused)
	if r := libra(t, "replay", refused, "--nodes", "1"); r.code != exitOK || !strings.Contains(r.err, "never ran") {
		t.Errorf("exit code %d, said %q", r.code, r.err)
	}
}

func TestReplayTune(t *testing.T) {
	log, svg := sweepLog(t), filepath.Join(t.TempDir(), "curve.svg")
	answer := parse[replayAnswer](t, mustLibra(t, "replay", log, "--tune", "beta", "--svg", svg, "--json"))
	tuned := answer.Tuned
	if tuned == nil || tuned.Setting != "beta" || tuned.Policy != "libra-plus" || tuned.Default != 0.1 {
		t.Fatalf("%+v", tuned)
	}
	for i, v := range tuned.Curve {
		if v.Revenue > tuned.Revenue {
			t.Errorf("%v earns %v, more than the best %v", v.Value, v.Revenue, tuned.Revenue)
		}
		if i > 0 && v.Value <= tuned.Curve[i-1].Value {
			t.Errorf("the curve goes back at %v", v.Value)
		}
	}
	if got := answer.After[0].Revenue; math.Abs(got-tuned.Revenue) > 1e-6*got {
		t.Errorf("with the best value the history earns %v, not %v", got, tuned.Revenue)
	}
	if err := xml.NewDecoder(strings.NewReader(read(t, svg))).Decode(new(struct{})); err != nil {
		t.Errorf("drawing: %v", err)
	}
	out := mustLibra(t, "replay", log, "--tune", "beta", "--range", "0.05:1")
	if !strings.Contains(out, " best") {
		t.Errorf("no curve in\n%s", out)
	}
}

func TestReplayMistakes(t *testing.T) {
	jobs := file(t, "jobs.csv", replayJobs)
	table := file(t, "table.csv", "id,outcome,reason,submit,start,finish,procs,nodes,cost,utility\nx,completed,,0,0,ten,1,0,1,\n")
	stranger := file(t, "stranger.csv", "id,outcome,reason,submit,start,finish,procs,nodes,cost,utility\nx,completed,,0,0,10,1,0,1,\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{}, 2, "HISTORY"},
		{[]string{jobs}, 2, "--nodes"},
		{[]string{jobs, "--nodes", "1", "--policy", "none-such"}, 2, "none-such"},
		{[]string{jobs, "--nodes", "1", "--from", "none-such"}, 2, "--from"},
		{[]string{jobs, "--nodes", "1", "--tune", "nothing"}, 2, "--tune"},
		{[]string{jobs, "--nodes", "1", "--tune", "beta", "--policy", "libra"}, 2, "--tune"},
		{[]string{jobs, "--nodes", "1", "--tune", "beta", "--range", "1:0"}, 2, "--range"},
		{[]string{jobs, "--nodes", "1", "--range", "1:2"}, 2, "--tune"},
		{[]string{jobs, "--nodes", "1", "--set", "nonsense=1"}, 2, "nonsense"},
		{[]string{jobs, "--nodes", "1", "--set", "storage=held"}, 2, "for live markets only"},
		{[]string{jobs, "--nodes", "1", "--table", jobs}, 1, "not a job table"},
		{[]string{jobs, "--nodes", "1", "--table", table}, 1, "line 2: finish"},
		{[]string{jobs, "--nodes", "1", "--table", stranger}, 1, "none of the jobs"},
		{[]string{jobs, "--nodes", "1", "--table", table, "--from", "fifo"}, 2, "exclude"},
		{[]string{table, "--nodes", "1"}, 1, "line 2: finish"},
		{[]string{stranger}, 2, "--nodes"},
		{[]string{"none.csv", "--nodes", "1"}, 1, "none.csv"},
	} {
		r := libra(t, append([]string{"replay"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.want) {
			t.Errorf("replay %s: exit code %d, said %q", strings.Join(c.args, " "), r.code, r.err)
		}
	}
}
