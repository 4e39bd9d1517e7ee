package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/lab/workload"
)

func TestTraceInfo(t *testing.T) {
	f := parse[workload.Facts](t, mustLibra(t, "trace", "info", "--json", file(t, "log.swf", smallLog)))
	if f.Format != "swf" || f.Processors != 4 || f.Jobs != 3 || f.Skipped != 1 || f.NeverRan != 1 || f.Users != 2 || !f.Sorted {
		t.Errorf("got %+v", f)
	}
	if f.Span != 9 || f.MeanInterArrival != 4.5 || f.MaxProcs != 4 || f.MeanRuntime != 41.0/3 || f.OfferedLoad != 74.0/9/4 {
		t.Errorf("got %+v", f)
	}
	out := mustLibra(t, "trace", "info", file(t, "jobs.csv", "id,submit,runtime,procs\na,5,1,1\nb,3,1,1\n"))
	for _, want := range []string{"not by submission: 1 step back, the first in line 3", "mean inter-arrival  2.00 s", "missing fields      none"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	empty := parse[workload.Facts](t, mustLibra(t, "trace", "info", "--json", file(t, "jobs.csv", "id,submit,runtime,procs\n")))
	if empty.Jobs != 0 || empty.Span != 0 || empty.MeanRuntime != 0 {
		t.Errorf("got %+v", empty)
	}
}

// The means that 000 states for its selection.
func TestTraceInfoOfPaper(t *testing.T) {
	log := trace(t, "SDSC-SP2-1998-4.2-cln.swf.gz")
	cut := filepath.Join(t.TempDir(), "cut.swf.gz")
	mustLibra(t, "trace", "convert", "--last", "5000", log, cut)
	out := mustLibra(t, "trace", "info", cut)
	for _, want := range []string{"1,968.88 s", "8,671.13 s", "16.91, at most 128", "0.887 of 128"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
}

func TestTraceHead(t *testing.T) {
	jobs := file(t, "jobs.csv", threeJobs)
	lines := strings.Split(strings.TrimSpace(mustLibra(t, "trace", "head", "-n", "2", jobs)), "\n")
	if len(lines) != 3 || len(strings.Fields(lines[0])) != 10 {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
	list := parse[[]jobListing](t, mustLibra(t, "trace", "head", "--json", jobs))
	if len(list) != 3 || list[2].ID != "c" || list[2].Estimate != 25 || *list[2].Deadline != 100 || *list[2].Budget != 100 {
		t.Errorf("got %+v", list)
	}
	list = parse[[]jobListing](t, mustLibra(t, "trace", "head", "--json", file(t, "log.swf", smallLog)))
	if len(list) != 3 || list[0].Deadline != nil || list[0].Budget != nil || list[2].Runtime != 1 {
		t.Errorf("got %+v", list)
	}
}

// A CSV goes to CSV and back without loss; a log keeps its fields in a log.
func TestConvertRoundTrips(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	jobs := file(t, "jobs.csv", threeJobs)
	mustLibra(t, "trace", "convert", jobs, at("once.csv"))
	mustLibra(t, "trace", "convert", at("once.csv"), at("twice.csv.gz"))
	if got := mustLibra(t, "trace", "convert", "--format", "csv", at("twice.csv.gz"), "-"); got != read(t, at("once.csv")) {
		t.Errorf("got\n%swant\n%s", got, read(t, at("once.csv")))
	}
	log := file(t, "log.swf", strings.Replace(smallLog, "3 7 -1 10 -1 -1 -1 -1", "3 7 -1 10 -1 -1 -1 3", 1))
	mustLibra(t, "trace", "convert", log, at("copy.swf"))
	if got := read(t, at("copy.swf")); got != read(t, log) {
		t.Errorf("from log to log: got\n%s", got)
	}
	mustLibra(t, "trace", "convert", log, at("log.csv"))
	mustLibra(t, "trace", "convert", at("log.csv"), at("back.swf"))
	mustLibra(t, "trace", "convert", at("back.swf"), at("again.csv"))
	if got := read(t, at("again.csv")); got != read(t, at("log.csv")) {
		t.Errorf("got\n%swant\n%s", got, read(t, at("log.csv")))
	}
	lost := libra(t, "trace", "convert", jobs, at("lost.swf"))
	if lost.code != exitOK || !strings.Contains(lost.err, "deadlines and budgets") {
		t.Errorf("exit code %d, said %q", lost.code, lost.err)
	}
	skipped := libra(t, "trace", "convert", file(t, "log.swf", smallLog), at("log.swf"))
	if skipped.code != exitOK || !strings.Contains(skipped.err, "left out") || skipped.out != "3 jobs written to "+at("log.swf")+"\n" {
		t.Errorf("exit code %d, said %q, wrote %q", skipped.code, skipped.err, skipped.out)
	}
}

func TestConvertShapes(t *testing.T) {
	text := "id,submit,runtime,procs\na,30,1,1\nb,10,1,1\nc,20,1,1\n"
	out := mustLibra(t, "trace", "convert", "--format", "csv", "--last", "2", "--arrival-factor", "0.5", file(t, "jobs.csv", text), "-")
	lines := strings.Split(out, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[1], "b,10,") || !strings.HasPrefix(lines[2], "c,15,") {
		t.Errorf("got\n%s", out)
	}
	log := file(t, "log.swf", strings.Replace(smallLog, "3 7 -1 10 -1 -1 -1 -1", "3 7 -1 10 -1 -1 -1 3", 1))
	out = mustLibra(t, "trace", "convert", "--format", "swf", "--last", "2", "--arrival-factor", "0.5", log, "-")
	if !strings.Contains(out, "; MaxProcs: 4\n") || !strings.Contains(out, "last 2 records") || !strings.Contains(out, "\n4 8 ") {
		t.Errorf("got\n%s", out)
	}
}

// Writing agreements into a CSV and running it is the same as running the log
// with the model.
func TestConvertWithAgreements(t *testing.T) {
	dir := t.TempDir()
	log, jobs := filepath.Join(dir, "log.swf"), filepath.Join(dir, "jobs.csv")
	mustLibra(t, "trace", "generate", "--jobs", "300", "--nodes", "64", "--out", log)
	model := []string{"--last", "200", "--arrival-factor", "0.3", "--sla", "libra-sla", "--set", "high-urgency=0.5", "--seed", "9"}
	mustLibra(t, append([]string{"trace", "convert", log, jobs}, model...)...)
	for _, policy := range []string{"edf-bf", "libra", "libra-sla"} {
		direct := mustLibra(t, append([]string{"simulate", "--json", "--policy", policy, "--workload", log}, model...)...)
		written := mustLibra(t, "simulate", "--json", "--policy", policy, "--nodes", "64", "--workload", jobs)
		if strip(direct) != strip(written) {
			t.Errorf("%s: got\n%swant\n%s", policy, written, direct)
		}
	}
}

func TestTraceGenerate(t *testing.T) {
	first := mustLibra(t, "trace", "generate", "--jobs", "50", "--seed", "4")
	if first != mustLibra(t, "trace", "generate", "--jobs", "50", "--seed", "4") {
		t.Error("the same seed gives another workload")
	}
	if first == mustLibra(t, "trace", "generate", "--jobs", "50", "--seed", "5") {
		t.Error("another seed gives the same workload")
	}
	if !strings.Contains(first, "; MaxProcs: 128\n") || strings.Count(first, "\n") != 8+50 {
		t.Errorf("got\n%s", first)
	}
	batch := mustLibra(t, "trace", "generate", "--model", "batch", "--jobs", "5", "--set", "budget=7", "--set", "plain-share=1")
	if !strings.HasPrefix(batch, "id,submit,") || strings.Count(batch, ",hard,7,") != 5 {
		t.Errorf("got\n%s", batch)
	}
	lost := libra(t, "trace", "generate", "--model", "batch", "--jobs", "5", "--format", "swf")
	if lost.code != exitOK || !strings.Contains(lost.err, "deadlines and budgets") {
		t.Errorf("exit code %d, said %q", lost.code, lost.err)
	}
	gap := mustLibra(t, "trace", "generate", "--jobs", "0", "--set", "mean-gap=60", "--format", "csv")
	if strings.Count(gap, "\n") != 1 {
		t.Errorf("no jobs at all: got\n%s", gap)
	}
}

// What is written as specifications is the same workload: it is simulated alike.
func TestTraceConvertToSpecifications(t *testing.T) {
	jobs := file(t, "jobs.csv", `id,submit,runtime,estimate,procs,deadline,budget,penalty_rate,class
a,0,10,10,1,30,1000,0,0
b,5,40,20,2,90,1000,0.5,1
c,7.25,3,4,1,,,0,0
`)
	specs := t.TempDir() + "/jobs.yaml"
	mustLibra(t, "trace", "convert", jobs, specs)
	if text := read(t, specs); !strings.Contains(text, "simulation:\n  class: 1\n  runtime: 40\n  submit: 5\n") {
		t.Errorf("got\n%s", text)
	}
	tables := [2]string{}
	for i, workload := range []string{jobs, specs} {
		table := t.TempDir() + "/table.csv"
		mustLibra(t, "simulate", "--policy", "libra", "--nodes", "2", "--workload", workload, "--jobs", table)
		tables[i] = read(t, table)
	}
	same(t, tables[1], tables[0])
	many := libra(t, "trace", "generate", "--model", "batch", "--jobs", "40000", "--out", t.TempDir()+"/jobs.yaml")
	if many.code != exitFailure || !strings.Contains(many.err, "write a .csv") {
		t.Errorf("exit code %d, said %q", many.code, many.err)
	}
}
