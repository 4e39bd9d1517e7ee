package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

const specified = `
details: {name: hello, command: [./simulate, input.dat], runtime_estimate: 2m}
resources: {processors: 2, memory: 500MB}
qos: {deadline: 10m, deadline_type: soft, budget: 5.5, penalty_rate: 0.01}
optimise: fastest
`

// The jobs of a file of specifications are simulated as they are: each with its
// own deadline and budget, when it is submitted and for as long as it runs.
func TestSimulateSpecifications(t *testing.T) {
	jobs := file(t, "jobs.yaml", `
details: {name: b, runtime_estimate: 20}
qos: {deadline: 100, budget: 1000}
simulation: {submit: 5, runtime: 10}
---
details: {name: a, runtime_estimate: 10}
qos: {deadline: 5, budget: 1000}
`)
	table := t.TempDir() + "/table.csv"
	mustLibra(t, "simulate", "--policy", "libra", "--nodes", "1", "--workload", jobs, "--jobs", table)
	lines := strings.Split(read(t, table), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[1], "a,rejected,cannot_meet_deadline,0,") || !strings.HasPrefix(lines[2], "b,completed,,5,5,") {
		t.Errorf("got\n%s", read(t, table))
	}
	for text, want := range map[string]string{
		"details: {runtime_estimate: 20}\nqos: {bugdet: 5}\n":           "x.yaml:2: qos.bugdet: unknown field (did you mean budget?)",
		"details: {runtime_estimate: 20}\nsimulation: {start: 5}\n":     "simulation.start: unknown field",
		"details: {runtime_estimate: 20}\nsimulation: {submit: soon}\n": "simulation.submit: soon is not",
		"details: {runtime_estimate: 20}\nsimulation: {submit: -5}\n":   "simulation.submit: -5 is not",
		"details: {runtime_estimate: 20}\nsimulation: [5]\n":            "simulation: want submit and runtime",
		"# nothing\n": "no job here",
	} {
		r := libra(t, "simulate", "--policy", "libra", "--nodes", "1", "--workload", file(t, "x.yaml", text))
		if r.code != exitFailure || !strings.Contains(r.err, want) {
			t.Errorf("exit code %d, said %q, want %q", r.code, r.err, want)
		}
	}
}

// A specification says what flags say, flags beat it, and what nobody acts on is
// said.
func TestSubmitASpecification(t *testing.T) {
	f := newFloor()
	open(t, f, "user")
	job := file(t, "job.yaml", specified+"workflow: {retries: 3}\n")
	r := mustLibraLoud(t, "submit", "-f", job, "--budget", "7", "--export", "none", "--dir", "/tmp")
	if !strings.Contains(r.err, "mean nothing to the market: workflow") {
		t.Errorf("said %q", r.err)
	}
	got, err := json.Marshal(f.last(t).Submit.Request)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"hello","argv":["./simulate","input.dat"],"dir":"/tmp","estimate_ms":120000,"deadline_ms":600000,"soft":true,` +
		`"budget_micros":7000000,"penalty_micros_per_s":10000,"processors":2,"memory_mb":500,"wish":"fastest"}`
	same(t, string(got), want)
	mustLibra(t, "quote", "-f", file(t, "bare.yaml", specified))
	if got := f.last(t).Quote.Request; got.EstimateMS != 120_000 || *got.Budget != 5_500_000 {
		t.Errorf("quoted for %+v", got)
	}
	for text, want := range map[string]string{
		strings.Replace(specified, "budget", "bugdet", 1): "x.yaml:4: qos.bugdet: unknown field (did you mean budget?)",
		specified + "---" + specified:                     "2 jobs here",
	} {
		if r := libra(t, "submit", "-f", file(t, "x.yaml", text)); r.code != exitFailure || !strings.Contains(r.err, want) {
			t.Errorf("exit code %d, said %q, want %q", r.code, r.err, want)
		}
	}
	if r := libra(t, "submit", "-f", file(t, "x.yaml", "details: {runtime_estimate: 5}\n")); r.code != exitUsage {
		t.Errorf("nothing to run: exit code %d, said %q", r.code, r.err)
	}
}

// The nodes of a live market can be simulated.
func TestNodesAsACluster(t *testing.T) {
	f := newFloor()
	node := v1.NodeView{Node: "n1", Processors: 2, Rating: 0.95, MemoryMB: 4096, DiskMB: 100, Rates: v1.Rates{Processor: 10_000}, Up: true}
	twin, other, down := node, node, node
	twin.Node, other.Node, other.Rating, down.Node, down.Up = "n2", "n3", 2, "n4", false
	f.nodes = []v1.NodeView{node, twin, down, other}
	open(t, f, v1.RoleUser)
	text := mustLibra(t, "nodes", "--cluster")
	same(t, text, `
groups:
  - count: 2
    processors: 2
    rating: 0.95
    memory: 4096
    disk: 100
    prices:
      processor: 0.01
  - processors: 2
    rating: 2
    memory: 4096
    disk: 100
    prices:
      processor: 0.01
`)
	mustLibra(t, "simulate", "--policy", "libra", "--cluster", file(t, "here.yaml", text), "--workload", file(t, "jobs.csv", "id,submit,runtime,procs\na,0,1,3\n"))
}
