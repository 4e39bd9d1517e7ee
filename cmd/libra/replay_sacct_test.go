package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// october is what sacct says of one processor: long had it first, and the two short jobs of
// ann waited. What was cancelled before it began, and what runs still, is no history.
const october = `JobID|User|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS
1|bob|COMPLETED|2026-10-01T00:00:00|2026-10-01T00:00:00|2026-10-01T01:00:00|3600|60|1|1
1.batch||COMPLETED|2026-10-01T00:00:00|2026-10-01T00:00:00|2026-10-01T01:00:00|3600||1|1
2_1|ann|COMPLETED|2026-10-01T00:01:00|2026-10-01T01:00:00|2026-10-01T01:01:00|60|1|1|1
2_2|ann|CANCELLED by 1000|2026-10-01T00:01:00|2026-10-01T01:01:00|2026-10-01T01:02:00|60|1|1|1
3|ann|CANCELLED by 1000|2026-10-01T00:02:00|2026-10-01T00:03:00|2026-10-01T00:03:00|0|1|1|0
4|ann|RUNNING|2026-10-01T00:02:00|2026-10-01T01:02:00|Unknown|60|10|1|1
`

// What really was, by the deadlines of a model, is compared with what would have been, and
// drawn.
func TestReplayOfSacct(t *testing.T) {
	history, svg := file(t, "october.txt", october), filepath.Join(t.TempDir(), "october.svg")
	set := []string{"replay", history, "--policy", "libra", "--svg", svg, "--set", "high-urgency=1"}
	r := libra(t, append(set, "--json")...)
	if r.code != exitOK {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{"never ran: 1", "had not ended: 1", "on 1 processor, as many as were in use at once", "the model libra-plus, seed 1"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("it does not say %q:\n%s", want, r.err)
		}
	}
	answer := parse[replayAnswer](t, r.out)
	if answer.Nodes != 1 || answer.Before.Policy != "as it was" || answer.Before.Jobs != 3 || answer.Before.Revenue != 0 {
		t.Errorf("%+v", answer)
	}
	c := answer.After[0]
	if c.Revenue <= 0 || len(c.Users) != 2 || c.Won < 1 {
		t.Errorf("%+v", c)
	}
	for _, u := range c.Users {
		if u.Satisfied != u.SatisfiedBefore+u.Won-u.Lost {
			t.Errorf("%+v", u)
		}
		if u.Name == "user ann" && (u.Jobs != 2 || u.SatisfiedBefore != 0) {
			t.Errorf("ann waited an hour for a minute: %+v", u)
		}
	}
	drawn := read(t, svg)
	if err := xml.NewDecoder(strings.NewReader(drawn)).Decode(new(struct{})); err != nil || !strings.Contains(drawn, "user ann") || !strings.Contains(drawn, "as it was") {
		t.Errorf("%v:\n%s", err, drawn)
	}
	if out := mustQuiet(t, set...); !strings.Contains(out, "as it was") || strings.Contains(out, "(simulated)") || !strings.Contains(out, "user ann") {
		t.Errorf("it says\n%s", out)
	}
	if out := mustQuiet(t, append(set, "--from", "fcfs-bf")...); !strings.Contains(out, "fcfs-bf (simulated)") {
		t.Errorf("it says\n%s", out)
	}
	if r := libraIn(t, october, "replay", "-", "--json"); r.code != exitOK || parse[replayAnswer](t, r.out).Before.Jobs != 3 {
		t.Errorf("from a pipe: %+v", r)
	}
	if r := libra(t, "replay", file(t, "wrong.txt", strings.Replace(october, "|3600|60|", "|an hour|60|", 1))); r.code != exitFailure || !strings.Contains(r.err, "wrong.txt line 2: ElapsedRaw") {
		t.Errorf("%+v", r)
	}
}

// mustQuiet is what a command prints that may warn.
func mustQuiet(t *testing.T, args ...string) string {
	t.Helper()
	r := libra(t, args...)
	if r.code != exitOK {
		t.Fatalf("libra %v: %+v", args, r)
	}
	return r.out
}

func TestConvertSacct(t *testing.T) {
	history := file(t, "october.txt", october)
	r := libra(t, "trace", "convert", history, "-", "--format", "csv")
	if r.code != exitOK || !strings.Contains(r.out, "2_1,60,60,60,1") || !strings.Contains(r.out, "ann") || !strings.Contains(r.err, "never ran: 1") {
		t.Errorf("%+v", r)
	}
	r = libra(t, "trace", "convert", history, "-", "--format", "swf")
	if r.code != exitOK || !strings.Contains(r.out, "; MaxProcs: 1 (that were in use at once)") || !strings.Contains(r.out, "; UnixStartTime: 1790812800") {
		t.Errorf("%+v", r)
	}
}

// GPUs that sacct tells of are in the table that is made of it, count where nodes have
// some, and where none has any jobs are replayed without.
func TestSacctWithGPUs(t *testing.T) {
	history := file(t, "gpus.txt", `JobID|User|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|AllocTRES
1|bob|COMPLETED|2026-10-01T00:00:00|2026-10-01T00:00:00|2026-10-01T01:00:00|3600|60|4|4|cpu=4,gres/gpu=2
2|ann|COMPLETED|2026-10-01T00:00:00|2026-10-01T00:00:00|2026-10-01T01:00:00|3600|60|1|1|cpu=1
`)
	table := filepath.Join(t.TempDir(), "gpus.csv")
	mustQuiet(t, "trace", "convert", history, table)
	if text := read(t, table); !strings.Contains(text, ",gpus,threads\n1,") || !strings.Contains(text, ",1,2\n2,") {
		t.Errorf("it wrote\n%s", text)
	}
	for _, c := range []struct {
		gpus string
		done float64
	}{{"2", 2}, {"1", 1}} {
		cluster := file(t, "cluster.yaml", "groups:\n  - {count: 1, processors: 8, gpus: "+c.gpus+"}\n")
		for _, from := range []string{history, table} {
			if s := summary(t, "--workload", from, "--policy", "fcfs-bf", "--cluster", cluster); s["completed"] != c.done {
				t.Errorf("%s GPUs, %s: %v jobs done, want %v: %v", c.gpus, filepath.Ext(from), s["completed"], c.done, s)
			}
		}
	}
	if s := summary(t, "--workload", history, "--policy", "fcfs-bf", "--nodes", "5"); s["completed"] != 2.0 {
		t.Errorf("without GPUs: %v", s)
	}
	if out := parse[replayAnswer](t, mustQuiet(t, "replay", history, "--policy", "fcfs-bf", "--json")); out.Before.Jobs != 2 || out.After[0].Revenue <= 0 {
		t.Errorf("replayed: %+v", out.After)
	}
	plain := libra(t, "replay", history, "--policy", "fcfs-bf")
	if want := "jobs that had GPUs, taken without them since no node has any: 1 (--cluster describes nodes)"; plain.code != exitOK || !strings.Contains(plain.err, want) {
		t.Errorf("it says %q, want %q", plain.err, want)
	}
	for gpus, satisfied := range map[string]int64{"2": 2, "1": 1} { // who has none of two GPUs cannot run
		cluster := file(t, "cluster.yaml", "groups:\n  - {count: 1, processors: 8, gpus: "+gpus+"}\n")
		r := libra(t, "replay", history, "--policy", "fcfs-bf", "--cluster", cluster, "--json")
		out := parse[replayAnswer](t, r.out)
		if r.code != exitOK || out.Nodes != 1 || out.After[0].Satisfied != satisfied || strings.Contains(r.err, "had GPUs") {
			t.Errorf("%s GPUs: %+v %s", gpus, out, r.err)
		}
	}
	for _, more := range [][]string{{"--nodes", "3"}, {"--table", "t.csv", "--from", "fifo"}} {
		if r := libra(t, append([]string{"replay", history, "--cluster", "c.yaml"}, more...)...); r.code != exitUsage {
			t.Errorf("%v: %+v", more, r)
		}
	}
}

// The sacct of the site is asked as it has to be, and what it could not find out is no
// history.
func TestReplayAsksSacct(t *testing.T) {
	dir := t.TempDir()
	said := filepath.Join(dir, "asked")
	program := func(script string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "sacct"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("SLURM_TIME_FORMAT", "relative") // what would change the answer does not reach it
	program(`echo "$SLURM_TIME_FORMAT" "$@" > ` + said + "; cat " + file(t, "october.txt", october))
	r := libra(t, "replay", "sacct:2026-10-01..2026-11-01", "--json")
	if r.code != exitOK || parse[replayAnswer](t, r.out).Before.Jobs != 3 {
		t.Errorf("%+v", r)
	}
	asked := read(t, said)
	for _, want := range []string{"%s ", "--allusers", "--parsable2", "--duplicates", "--starttime=2026-10-01 ", "--endtime=2026-11-01", "JobID,User,State,Submit"} {
		if !strings.Contains(asked, want) {
			t.Errorf("%s is not in %q", want, asked)
		}
	}
	if r := libra(t, "trace", "convert", "sacct:now-30days", "-", "--format", "csv"); r.code != exitOK || !strings.Contains(r.out, "2_1,60,60,60,1") || strings.Contains(read(t, said), "--endtime") {
		t.Errorf("%+v", r)
	}
	for _, wrong := range []string{"sacct:", "sacct:..2026-11-01", "sacct:now --x", "sacct:a,b"} {
		if r := libra(t, "replay", wrong); r.code == exitOK {
			t.Errorf("%s: %+v", wrong, r)
		}
	}
	// It says that it did well, though it has not reached the database.
	program("head -3 " + file(t, "half.txt", october) + "; echo 'sacct: error: Problem talking to the database: Connection refused' >&2")
	if r := libra(t, "replay", "sacct:2026-10-01"); r.code == exitOK || !strings.Contains(r.err, "Problem talking to the database") {
		t.Errorf("half of it: %+v", r)
	}
	program("exit 1")
	if r := libra(t, "replay", "sacct:2026-10-01"); r.code == exitOK || !strings.Contains(r.err, "sacct") {
		t.Errorf("none of it: %+v", r)
	}
}
