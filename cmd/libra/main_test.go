package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// result is what a shell would see of a command.
type result struct {
	code     int
	out, err string
}

func libra(t *testing.T, args ...string) result {
	t.Helper()
	return libraIn(t, "", args...)
}

func libraIn(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(stdin), &out, &err)
	return result{code, out.String(), err.String()}
}

// mustLibra runs a command that has to succeed and say nothing on the side.
func mustLibra(t *testing.T, args ...string) string {
	t.Helper()
	r := libra(t, args...)
	if r.code != exitOK || r.err != "" {
		t.Fatalf("libra %s: exit code %d, said %q", strings.Join(args, " "), r.code, r.err)
	}
	return r.out
}

// file writes a file into a directory of the test's own.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// trace finds a real log, or skips the test where there is none.
func trace(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "traces", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the log %s is not here: %v", name, err)
	}
	return path
}

const threeJobs = `id,submit,runtime,estimate,procs,deadline,budget
a,0,10,10,1,30,100
b,0,10,10,2,40,100
c,5,20,25,1,100,100
`

const smallLog = `; Version: 2.2
; Computer: test
; MaxProcs: 4
1 0 -1 10 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1
2 5 -1 30 2 -1 -1 2 30 -1 1 2 -1 -1 -1 -1 -1 -1
3 7 -1 10 -1 -1 -1 -1 20 -1 0 1 -1 -1 -1 -1 -1 -1
4 9 -1 -1 -1 -1 -1 4 40 -1 5 1 -1 -1 -1 -1 -1 -1
`

// Every mistake is one line on standard error that says where it is, and the
// exit code tells mistakes on the command line from those in files.
func TestMistakes(t *testing.T) {
	jobs := file(t, "jobs.csv", threeJobs)
	log := file(t, "log.swf", smallLog)
	bare := file(t, "bare.swf", "1 0 -1 10 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1\n")
	simulate := func(args ...string) []string {
		return append([]string{"simulate", "--policy", "libra", "--nodes", "2", "--workload"}, args...)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string // all of them stand in the message
	}{
		{"unknown command", []string{"simualte", "--policy", "fifo"}, 2, []string{`"simualte"`, "simulate?"}},
		{"unknown command of a group", []string{"trace", "information"}, 2, []string{`"information"`, "libra trace --help"}},
		{"unknown help topic", []string{"help", "nothing"}, 2, []string{`"nothing"`}},
		{"unknown flag", []string{"simulate", "--polcy", "fifo"}, 2, []string{"--polcy", "libra simulate --help"}},
		{"bad number", []string{"simulate", "--nodes", "many"}, 2, []string{"--nodes", `"many"`, "whole number"}},
		{"flag without value", []string{"simulate", "--nodes"}, 2, []string{"--nodes"}},
		{"workload without flag", []string{"simulate", "jobs.csv", "--policy", "fifo"}, 2, []string{`"jobs.csv"`, "--workload"}},
		{"too many arguments", []string{"version", "now"}, 2, []string{`"now"`}},
		{"missing argument", []string{"trace", "info"}, 2, []string{"FILE is missing"}},
		{"missing arguments", []string{"trace", "convert"}, 2, []string{"IN and OUT"}},
		{"no policy", []string{"simulate", "--workload", jobs}, 2, []string{"--policy", "libra-plus"}},
		{"no workload", []string{"simulate", "--policy", "fifo"}, 2, []string{"--workload"}},
		{"unknown policy", []string{"simulate", "--policy", "lifo", "--workload", jobs}, 2, []string{`"lifo"`, "fifo, fcfs-bf"}},
		{"policy twice", []string{"simulate", "--policy", "fifo,fifo", "--workload", jobs}, 2, []string{"fifo is there twice"}},
		{"no size of cluster", []string{"simulate", "--policy", "fifo", "--workload", jobs}, 2, []string{"--nodes", "give --nodes"}},
		{"no size in header", []string{"simulate", "--policy", "fifo", "--workload", bare}, 2, []string{"bare.swf", "--nodes"}},
		{"no nodes", []string{"simulate", "--policy", "fifo", "--nodes", "0", "--workload", jobs}, 2, []string{"--nodes", "1 to"}},
		{"nodes and cluster", simulate(jobs, "--cluster", "x.yaml"), 2, []string{"exclude"}},
		{"last", simulate(jobs, "--last", "-3"), 2, []string{"--last", "1 or more"}},
		{"arrival factor", simulate(jobs, "--arrival-factor", "-1"), 2, []string{"--arrival-factor"}},
		{"until", simulate(jobs, "--until", "NaN"), 2, []string{"--until"}},
		{"estimates", simulate(jobs, "--estimates", "wild"), 2, []string{"--estimates", "given, exact"}},
		{"sla", simulate(jobs, "--sla", "x"), 2, []string{"--sla", "libra-plus, libra-sla, none"}},
		{"table to standard output", simulate(jobs, "--jobs", "-"), 2, []string{"--jobs"}},
		{"setting without value", simulate(jobs, "--set", "gamma"), 2, []string{"name=value"}},
		{"unknown setting", simulate(log, "--set", "bet=1"), 2, []string{`"bet"`, "gamma, delta", "high-urgency"}},
		{"model not in use", simulate(jobs, "--set", "high-urgency=1"), 2, []string{`"high-urgency"`, "--sla"}},
		{"bad setting", simulate(jobs, "--set", "gamma=x"), 2, []string{"gamma", `"x"`}},
		{"bad choice", simulate(jobs, "--set", "fit=worst"), 2, []string{"fit", "least-loaded"}},
		{"bad setting of the model", simulate(log, "--set", "high-urgency=2"), 2, []string{"high-urgency", "0 to 1"}},
		{"inaccuracy of exact", simulate(log, "--set", "inaccuracy=0.2", "--estimates", "exact"), 2, []string{"inaccuracy"}},
		{"no such file", simulate("nowhere.csv"), 1, []string{"nowhere.csv"}},
		{"not a number", simulate(file(t, "x.csv", "id,submit,runtime,procs\na,0,10,1\nb,ten,10,1\n")), 1, []string{"x.csv", "line 3", "submit", `"ten"`}},
		{"unknown column", simulate(file(t, "x.csv", "id,submit,runtime,procs,color\n")), 1, []string{"x.csv", "line 1", `"color"`}},
		{"missing column", simulate(file(t, "x.csv", "id,submit,runtime\n")), 1, []string{"x.csv", `"procs"`}},
		{"before the clock", simulate(file(t, "x.csv", "id,submit,runtime,procs\na,-1,1,1\n")), 1, []string{"x.csv", "job a", "submit"}},
		{"broken record", simulate(file(t, "x.swf", "1 0 -1 ten 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1\n")), 1, []string{"x.swf", "line 1", "ten"}},
		{"record out of bounds", []string{"trace", "info", file(t, "x.swf", "1 0 -1 5 1 -1 -1 1.5 20 -1 1 1 -1 -1 -1 -1 -1 -1\n")}, 1, []string{"x.swf", "line 1", "1.5"}},
		{"record out of bounds in a conversion", []string{"trace", "convert", file(t, "x.swf", "1 0 -1 5 1 -1 -1 1.5 20 -1 1 1 -1 -1 -1 -1 -1 -1\n"), "out.swf"}, 1, []string{"x.swf", "line 1", "1.5"}},
		{"empty file", simulate(file(t, "x.csv", "")), 1, []string{"x.csv", "empty"}},
		{"table in no directory", simulate(jobs, "--jobs", filepath.Join("no", "such", "t.csv")), 1, []string{filepath.Join("no", "such", "t.csv")}},
		{"no cluster file", []string{"simulate", "--policy", "fifo", "--workload", jobs, "--cluster", "none.yaml"}, 1, []string{"none.yaml"}},
		{"bad cluster file", []string{"simulate", "--policy", "fifo", "--workload", jobs, "--cluster", file(t, "c.yaml", "groups:\n- cont: 3\n")}, 1, []string{"c.yaml:2", "count"}},
		{"bad time of failure", simulate(jobs, "--failures", file(t, "f.csv", "time,node,event\nx,0,down\n")), 1, []string{"f.csv", "line 2", "time", `"x"`}},
		{"bad node of failure", simulate(jobs, "--failures", file(t, "f.csv", "time,node,event\n1,0,down\n2,7,up\n")), 1, []string{"line 3", "node", "0 to 1"}},
		{"bad event of failure", simulate(jobs, "--failures", file(t, "f.csv", "event,node,time\noff,0,1\n")), 1, []string{"line 2", "event", "down or up"}},
		{"no failures at all", simulate(jobs, "--failures", file(t, "f.csv", "")), 1, []string{"f.csv", "time,node,event"}},
		{"short failure", simulate(jobs, "--failures", file(t, "f.csv", "time,node,event\n1,0\n")), 1, []string{"line 2", "2 columns"}},
		{"which format", []string{"trace", "convert", jobs, "out.txt"}, 2, []string{"out.txt", "--format"}},
		{"what format", []string{"trace", "convert", "--format", "xml", jobs, "out.txt"}, 2, []string{`"xml"`, "swf, csv"}},
		{"SLA in a log", []string{"trace", "convert", "--sla", "libra-plus", log, "out.swf"}, 2, []string{"--sla", ".csv"}},
		{"setting of no model", []string{"trace", "convert", "--set", "deviation=1", log, "out.csv"}, 2, []string{`"deviation"`}},
		{"head of nothing", []string{"trace", "head", "-n", "0", jobs}, 2, []string{"--jobs"}},
		{"model of jobs", []string{"trace", "generate", "--model", "chaos"}, 2, []string{`"chaos"`, "lublin, batch"}},
		{"setting of jobs", []string{"trace", "generate", "--set", "laod=1"}, 2, []string{`"laod"`, "mean-gap"}},
		{"value of a setting of jobs", []string{"trace", "generate", "--set", "load=high"}, 2, []string{"load", `"high"`}},
		{"load and gap", []string{"trace", "generate", "--set", "load=1", "--set", "mean-gap=5"}, 2, []string{"mean gap"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := libra(t, c.args...)
			if r.code != c.code {
				t.Errorf("exit code %d, want %d", r.code, c.code)
			}
			if !strings.HasPrefix(r.err, "libra: ") || strings.Count(r.err, "\n") != 1 {
				t.Errorf("said %q, want one line from libra", r.err)
			}
			for _, part := range c.want {
				if !strings.Contains(r.err, part) {
					t.Errorf("said %q, want %q in it", r.err, part)
				}
			}
			if r.out != "" {
				t.Errorf("wrote %q to standard output", r.out)
			}
		})
	}
}

// Help is there for every command, with an example.
func TestHelp(t *testing.T) {
	for _, command := range []string{
		"", "simulate", "policies", "version", "trace", "trace info", "trace head", "trace convert", "trace generate",
	} {
		out := mustLibra(t, append(strings.Fields(command), "--help")...)
		if !strings.Contains(out, "Examples:\n  ") || !strings.Contains(out, "Usage:\n  libra") {
			t.Errorf("libra %s --help has no example or no usage:\n%s", command, out)
		}
	}
	if mustLibra(t) != mustLibra(t, "--help") {
		t.Error("libra alone is not libra --help")
	}
	if out := mustLibra(t, "version"); !strings.HasPrefix(out, "libra ") || out != mustLibra(t, "--version") {
		t.Errorf("version %q", out)
	}
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"simulate --policy fifo,libra-", "fifo,libra-plus"},
		{"simulate --sla l", "libra-sla"},
		{"simulate --estimates e", "exact"},
		{"trace convert --sla n", "none"},
		{"trace generate --model b", "batch"},
		{"trace info ", "swf"},
		{"tr", "trace"},
	} {
		r := libra(t, append([]string{"__complete"}, strings.Split(c.args, " ")...)...)
		if r.code != exitOK || !strings.Contains(r.out, c.want) {
			t.Errorf("completing %q: exit code %d, got %q, want %q in it", c.args, r.code, r.out, c.want)
		}
	}
	if out := mustLibra(t, "completion", "bash"); !strings.Contains(out, "__start_libra") {
		t.Error("no script for bash")
	}
}

// An interrupted run says so, fails, and leaves no half of a table behind.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.swf")
	mustLibra(t, "trace", "generate", "--jobs", "20000", "--out", log)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, sla := range []string{"none", "libra-plus"} { // streamed and loaded
		var out, said bytes.Buffer
		args := []string{"simulate", "--policy", "fifo", "--workload", log, "--sla", sla, "--jobs", filepath.Join(dir, "table.csv")}
		if code := run(ctx, args, strings.NewReader(""), &out, &said); code != exitFailure {
			t.Errorf("--sla %s: exit code %d", sla, code)
		}
		if said.String() != "libra: interrupted\n" || out.Len() > 0 {
			t.Errorf("--sla %s: said %q, wrote %q", sla, said.String(), out.String())
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*table*")); err != nil || len(left) > 0 {
		t.Errorf("left %v behind (%v)", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*table*")); err != nil || len(left) > 0 {
		t.Errorf("left %v behind (%v)", left, err)
	}
}

// Waiting for standard input can be interrupted too.
func TestInterruptStandardInput(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	never := blocked{entered: make(chan struct{}), release: make(chan struct{})}
	defer close(never.release)
	go func() {
		<-never.entered
		cancel()
	}()
	var out, said bytes.Buffer
	if code := run(ctx, []string{"trace", "info", "-"}, never, &out, &said); code != exitFailure || said.String() != "libra: interrupted\n" {
		t.Errorf("exit code %d, said %q", code, said.String())
	}
}

// blocked is an input that says nothing.
type blocked struct{ entered, release chan struct{} }

func (b blocked) Read([]byte) (int, error) {
	close(b.entered)
	<-b.release
	return 0, os.ErrClosed
}
