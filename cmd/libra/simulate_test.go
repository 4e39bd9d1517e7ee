package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// summaryFields are those that programs outside read, so they stay.
var summaryFields = []string{
	"policy", "jobs", "accepted", "rejected", "completed", "met_deadline", "qos_satisfaction", "profitability", "utility",
	"revenue", "makespan", "utilization", "mean_wait", "mean_slowdown", "events", "wall_seconds", "jobs_per_second",
}

func summary(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return parse[map[string]any](t, mustLibra(t, append([]string{"simulate", "--json"}, args...)...))
}

func parse[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return value
}

// wallTime is all of a result that may differ from run to run.
var wallTime = regexp.MustCompile(`"(wall_seconds|jobs_per_second)": [^,\n]*`)

func TestSummaryFields(t *testing.T) {
	for name, text := range map[string]string{
		"none":        "id,submit,runtime,procs\n",
		"one":         "id,submit,runtime,procs\na,3,10,1\n",
		"too wide":    "id,submit,runtime,procs\na,3,10,9\n",
		"three":       threeJobs,
		"no budget":   "id,submit,runtime,procs,deadline\na,0,10,1,100\nb,0,10,1,50\n",
		"no time":     "id,submit,runtime,procs,deadline,budget\na,0,0,1,0,0\n",
		"empty log":   "; MaxProcs: 2\n",
		"no estimate": "id,submit,runtime,procs,estimate\na,0,5,1,0\n",
	} {
		for _, policy := range policyNames() {
			s := summary(t, "--policy", policy, "--nodes", "2", "--workload", file(t, "jobs", text))
			for _, field := range summaryFields {
				if _, there := s[field]; !there {
					t.Errorf("%s, %s: no field %q", name, policy, field)
				}
			}
			if s["policy"] != policy {
				t.Errorf("%s, %s: policy %v", name, policy, s["policy"])
			}
		}
	}
}

func TestSmallWorkloads(t *testing.T) {
	one := file(t, "one.csv", "id,submit,runtime,procs\na,3,10,1\n")
	s := summary(t, "--policy", "fifo", "--nodes", "2", "--workload", one)
	if s["jobs"] != 1.0 || s["completed"] != 1.0 || s["makespan"] != 10.0 || s["utilization"] != 0.5 || s["mean_slowdown"] != 1.0 {
		t.Errorf("one job: %v", s)
	}
	wide := file(t, "wide.csv", "id,submit,runtime,procs\na,3,10,9\n")
	s = summary(t, "--policy", "fifo", "--nodes", "2", "--workload", wide)
	if s["rejected"] != 1.0 || s["reasons"].(map[string]any)["cannot_meet_resources"] != 1.0 {
		t.Errorf("a job that is too wide: %v", s)
	}
	out := mustLibra(t, "simulate", "--policy", "fifo", "--nodes", "2", "--workload", wide)
	if !strings.Contains(out, "    cannot_meet_resources") || !strings.Contains(out, "100.0 %") {
		t.Errorf("for people:\n%s", out)
	}
}

func TestJobTable(t *testing.T) {
	jobs := file(t, "jobs.csv", threeJobs)
	table := filepath.Join(t.TempDir(), "table.csv")
	mustLibra(t, "simulate", "--policy", "fcfs-bf", "--nodes", "2", "--workload", jobs, "--jobs", table)
	want := `id,outcome,reason,submit,start,finish,procs,nodes,cost,utility
a,completed,,0,0,10,1,0,10,100
b,completed,,0,10,20,2,0;1,10,100
c,completed,,5,20,40,1,0,25,100
`
	if got := read(t, table); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// The jobs of a log are named by their numbers.
	mustLibra(t, "simulate", "--policy", "fifo", "--workload", file(t, "log.swf", strings.ReplaceAll(smallLog, "3 7 -1 10 -1 -1 -1 -1", "3 7 -1 10 -1 -1 -1 3")),
		"--sla", "none", "--jobs", table)
	if got := read(t, table); !strings.Contains(got, "\n4,completed,,9,") {
		t.Errorf("the table of a log:\n%s", got)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(table), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left %v behind (%v)", left, err)
	}
}

// A price without limit is no number: it is left out of sums and tables.
func TestUnlimitedPrices(t *testing.T) {
	jobs := file(t, "jobs.csv", "id,submit,runtime,procs,deadline\na,0,10,1,100\n")
	table := filepath.Join(t.TempDir(), "table.csv")
	s := summary(t, "--policy", "libra-sla", "--nodes", "2", "--workload", jobs, "--jobs", table)
	if got := read(t, table); s["revenue"] != 0.0 || strings.Contains(got, "Inf") {
		t.Errorf("revenue %v, table\n%s", s["revenue"], got)
	}
}

func TestSeveralPolicies(t *testing.T) {
	jobs := file(t, "jobs.csv", threeJobs)
	table := filepath.Join(t.TempDir(), "table.csv.gz")
	args := []string{"simulate", "--policy", "fifo,libra", "--policy", "libra-plus", "--nodes", "2", "--workload", jobs, "--set", "beta=0.3"}
	lines := strings.Split(strings.TrimSpace(mustLibra(t, append(args, "--jobs", table)...)), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[2], "policy ") || !strings.HasPrefix(lines[5], "libra-plus ") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
	for _, name := range []string{"table-fifo.csv.gz", "table-libra.csv.gz", "table-libra-plus.csv.gz"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(table), name)); err != nil {
			t.Error(err)
		}
	}
	list := parse[[]map[string]any](t, mustLibra(t, append(args, "--json")...))
	if len(list) != 3 || list[1]["policy"] != "libra" {
		t.Errorf("got %v", list)
	}
	// Company changes nothing.
	for _, s := range list {
		alone := []string{"--policy", s["policy"].(string), "--nodes", "2", "--workload", jobs}
		if s["policy"] == "libra-plus" {
			alone = append(alone, "--set", "beta=0.3")
		}
		if one := summary(t, alone...); one["revenue"] != s["revenue"] || one["events"] != s["events"] {
			t.Errorf("%s earns %v alone and %v in company", s["policy"], one["revenue"], s["revenue"])
		}
	}
}

// Out of order is sorted, and said; streamed or loaded, with the same result.
func TestOrder(t *testing.T) {
	sorted := file(t, "sorted.csv", threeJobs)
	lines := strings.SplitAfter(threeJobs, "\n")
	unsorted := file(t, "unsorted.csv", lines[0]+lines[3]+lines[1]+lines[2])
	for _, policies := range []string{"fifo", "fifo,libra"} {
		want := mustLibra(t, "simulate", "--json", "--policy", policies, "--nodes", "2", "--workload", sorted)
		got := libra(t, "simulate", "--json", "--policy", policies, "--nodes", "2", "--workload", unsorted)
		if got.code != exitOK || !strings.Contains(got.err, "warning") || !strings.Contains(got.err, "unsorted.csv") {
			t.Errorf("%s: exit code %d, said %q", policies, got.code, got.err)
		}
		if strip(got.out) != strip(want) {
			t.Errorf("%s: got\n%swant\n%s", policies, got.out, want)
		}
	}
}

func strip(text string) string { return wallTime.ReplaceAllString(text, "") }

// The same command gives the same bytes, but for the time it took.
func TestSameSeedSameResult(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.swf")
	mustLibra(t, "trace", "generate", "--jobs", "500", "--seed", "3", "--out", log)
	result := func(seed string) string {
		return strip(mustLibra(t, "simulate", "--json", "--policy", "edf-bf,libra,libra-plus,libra-sla", "--workload", log, "--seed", seed))
	}
	first := result("1")
	if again := result("1"); first != again {
		t.Error("two runs differ")
	}
	if first == result("2") {
		t.Error("the seed makes no difference")
	}
}

func TestStandardInput(t *testing.T) {
	want := mustLibra(t, "simulate", "--json", "--policy", "libra", "--nodes", "2", "--workload", file(t, "jobs.csv", threeJobs))
	got := libraIn(t, threeJobs, "simulate", "--json", "--policy", "libra", "--nodes", "2", "--workload", "-")
	if got.code != exitOK || strip(got.out) != strip(want) {
		t.Errorf("exit code %d, said %q, got\n%swant\n%s", got.code, got.err, got.out, want)
	}
}

// Deadlines come from the file, from the usual model or from the one asked for.
func TestAgreements(t *testing.T) {
	log := file(t, "log.swf", smallLog)
	for _, c := range []struct {
		args string
		want string
	}{
		{"--policy fifo", "SLA model libra-plus"},
		{"--policy libra-sla", "SLA model libra-sla"},
		{"--policy libra-sla --sla libra-plus", "SLA model libra-plus"},
		{"--policy fifo --sla none", "4 nodes\n"},
	} {
		r := libra(t, append([]string{"simulate", "--workload", log}, strings.Fields(c.args)...)...)
		if r.code != exitOK || !strings.Contains(r.out, c.want) {
			t.Errorf("%s: exit code %d, want %q in\n%s", c.args, r.code, c.want, r.out)
		}
		if !strings.Contains(r.err, "left out") {
			t.Errorf("%s: said %q, want the record that was left out", c.args, r.err)
		}
	}
	jobs := file(t, "jobs.csv", threeJobs)
	own := summary(t, "--policy", "libra", "--nodes", "2", "--workload", jobs)
	model := summary(t, "--policy", "libra", "--nodes", "2", "--workload", jobs, "--sla", "libra-plus")
	if own["utility"] == model["utility"] {
		t.Error("--sla does not replace the agreements of a CSV")
	}
}

// Cost is by estimate under fifo, so it shows which estimates a policy was given.
func TestEstimates(t *testing.T) {
	jobs := file(t, "jobs.csv", threeJobs)
	log := file(t, "log.swf", strings.Replace(smallLog, "3 7 ", "; ", 1))
	for _, c := range []struct {
		args string
		want float64
	}{
		{"--nodes 2 --workload " + jobs, 45},
		{"--nodes 2 --estimates exact --workload " + jobs, 40},
		{"--nodes 9 --sla none --workload " + log, 90},
		{"--nodes 9 --sla libra-plus --workload " + log, 41},
		{"--nodes 9 --sla libra-plus --set inaccuracy=0.5 --workload " + log, 20.5},
		{"--nodes 9 --sla libra-plus --estimates given --set budget-factor=100 --workload " + log, 90},
	} {
		if s := summary(t, append([]string{"--policy", "fifo"}, strings.Fields(c.args)...)...); s["revenue"] != c.want {
			t.Errorf("%s: revenue %v, want %v", c.args, s["revenue"], c.want)
		}
	}
	r := libra(t, "simulate", "--policy", "libra-sla", "--sla", "libra-plus", "--set", "inaccuracy=0.5", "--workload", log)
	if r.code != exitOK || !strings.Contains(r.err, "--estimates given") {
		t.Errorf("inaccuracy that does not reach the policy: exit code %d, said %q", r.code, r.err)
	}
}

func TestClusterAndFailures(t *testing.T) {
	jobs := file(t, "jobs.csv", threeJobs)
	nodes := file(t, "cluster.yaml", "groups:\n- count: 2\n  processors: 2\n  rating: 2\n")
	table := filepath.Join(t.TempDir(), "table.csv")
	mustLibra(t, "simulate", "--policy", "fifo", "--cluster", nodes, "--workload", jobs, "--jobs", table)
	if got := read(t, table); !strings.Contains(got, "b,completed,,0,0,5,2,0;1,") && !strings.Contains(got, "b,completed,,0,0,5,2,1,") {
		t.Errorf("on nodes twice as fast:\n%s", got)
	}
	failures := file(t, "failures.csv", "time,node,event\n30,0,up\n2,0,down\n")
	mustLibra(t, "simulate", "--policy", "fifo", "--nodes", "1", "--workload", file(t, "one.csv", "id,submit,runtime,procs\na,0,10,1\n"),
		"--failures", failures, "--jobs", table)
	if got := read(t, table); !strings.Contains(got, "\na,completed,,0,0,40,1,0,") {
		t.Errorf("a node that fails and comes back:\n%s", got)
	}
	s := summary(t, "--policy", "fifo", "--nodes", "2", "--workload", jobs, "--until", "15")
	if s["jobs"] != 3.0 || s["completed"] != 1.0 {
		t.Errorf("until 15: %v", s)
	}
}

// The selection of 000 is read as the paper reads it, and Libra+$ keeps every
// promise it makes when estimates are exact.
func TestRealLog(t *testing.T) {
	log := trace(t, "SDSC-SP2-1998-4.2-cln.swf.gz")
	s := summary(t, "--policy", "libra-plus", "--workload", log, "--last", "1000", "--arrival-factor", "0.5")
	if s["jobs"] != 1000.0 || s["completed"] != s["accepted"] || s["met_deadline"] != s["accepted"] {
		t.Errorf("got %v", s)
	}
	all := summary(t, "--policy", "fcfs-bf", "--workload", log, "--sla", "none")
	if all["jobs"] != 59715.0 || all["completed"] != 59715.0 || all["profitability"] != 0.0 {
		t.Errorf("got %v", all)
	}
}

func TestPolicies(t *testing.T) {
	out := mustLibra(t, "policies")
	list := parse[listing](t, mustLibra(t, "policies", "--json"))
	var names []string
	for _, p := range list.Policies {
		names = append(names, p.Name)
		for _, s := range p.Settings {
			if s.Default == "" || s.Meaning == "" || !strings.Contains(out, s.Meaning) {
				t.Errorf("%s: %s has no default or meaning", p.Name, s.Name)
			}
		}
	}
	if !slices.Equal(names, policyNames()) || len(list.Models) != 2 || len(list.Models[0].Settings) == 0 {
		t.Errorf("got %v and %v", names, list.Models)
	}
}

func TestSeveralClusters(t *testing.T) {
	jobs := file(t, "jobs.csv", "id,submit,runtime,procs,deadline,budget\na,0,10,2,11,1000\nb,1,10,2,11,1000\nc,2,10,2,11,1000\nd,3,10,3,11,1000\n")
	table := filepath.Join(t.TempDir(), "table.csv")
	s := summary(t, "--policy", "libra", "--nodes", "2", "--clusters", "2", "--workload", jobs, "--jobs", table, "--bound")
	dealt, there := s["dealt"].(map[string]any)
	if !there || dealt["clusters"] != 2.0 || dealt["forwarded"] != 1.0 || s["accepted"] != 2.0 {
		t.Errorf("got %v", s)
	}
	if got := read(t, table); !strings.Contains(got, "a,completed,,0,0,10,2,0;1,") || !strings.Contains(got, "b,completed,,1,1,11,2,2;3,") {
		t.Errorf("got\n%s", got)
	}
	out := mustLibra(t, "simulate", "--policy", "libra", "--nodes", "2", "--clusters", "2", "--wish", "first", "--workload", jobs)
	for _, want := range []string{"2 clusters of 2 nodes, first", "taken after a refusal", "1 to 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// A node of the second cluster fails.
	failures := file(t, "failures.csv", "time,node,event\n4,3,down\n")
	if s = summary(t, "--policy", "fcfs-bf", "--nodes", "2", "--clusters", "2", "--workload", jobs, "--failures", failures); s["met_deadline"] != 1.0 {
		t.Errorf("with a node lost: %v", s)
	}
	for _, wrong := range [][]string{{"--clusters", "0"}, {"--clusters", "2", "--wish", "best"}, {"--clusters", "2", "--ask", "0"}, {"--ask", "2"}} {
		if r := libra(t, append([]string{"simulate", "--policy", "libra", "--nodes", "2", "--workload", jobs}, wrong...)...); r.code != exitUsage {
			t.Errorf("%v: exit code %d, said %q", wrong, r.code, r.err)
		}
	}
}
