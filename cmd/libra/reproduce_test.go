package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReproduceMistakes(t *testing.T) {
	plain := file(t, "plain", "x")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"reproduce"}, 2, "--out"},
		{[]string{"reproduce", "no-such-paper", "--out", t.TempDir()}, 2, "libra-plus"},
		{[]string{"reproduce", "libra", "libra-plus", "--out", t.TempDir()}, 2, "too many"},
		{[]string{"reproduce", "libra", "--seeds", "0", "--out", t.TempDir()}, 2, "--seeds"},
		{[]string{"reproduce", "libra", "--first-seed", "0", "--out", t.TempDir()}, 2, "--first-seed"},
		{[]string{"reproduce", "libra", "--reading", "nonsense", "--out", t.TempDir()}, 2, "replan=touched"},
		{[]string{"reproduce", "libra", "--reading", "late=lapsed", "--out", t.TempDir()}, 2, "libra-plus alone"},
		{[]string{"reproduce", "libra", "--trace", "no-such-file.swf", "--out", t.TempDir()}, 1, "no-such-file.swf"},
		{[]string{"reproduce", "libra", "--out", plain}, 1, "not a directory"},
	} {
		r := libra(t, c.args...)
		if r.code != c.code || !strings.Contains(r.err, c.want) {
			t.Errorf("libra %s: exit code %d, said %q", strings.Join(c.args, " "), r.code, r.err)
		}
	}
}

func TestReproduceOnePaper(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by it")
	r := libra(t, "reproduce", "libra", "--seeds", "5", "--out", dir, "--json")
	if r.code != exitOK || r.err != "" {
		t.Fatalf("exit code %d, said %q", r.code, r.err)
	}
	claims := parse[[]map[string]any](t, r.out)
	if len(claims) < 10 || claims[0]["paper"] != "libra" {
		t.Errorf("%d claims, the first %v", len(claims), claims[0])
	}
	if printed, written := r.out, read(t, filepath.Join(dir, "claims.json")); printed != written {
		t.Error("claims.json differs from what is printed")
	}
	for _, name := range []string{"report.html", "libra-table1.svg", "libra-table1.csv"} {
		if read(t, filepath.Join(dir, name)) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	if other := mustLibra(t, "reproduce", "libra", "--seeds", "5", "--first-seed", "101", "--out", t.TempDir(), "--json"); other == r.out {
		t.Error("other seeds give the same numbers")
	}
	if other := mustLibra(t, "reproduce", "libra", "--seeds", "5", "--reading", "commitment=promised", "--out", t.TempDir(), "--json"); other == r.out {
		t.Error("another reading gives the same numbers")
	}
	r = libra(t, "reproduce", "libra", "--seeds", "5", "--out", dir)
	if r.code != exitOK || !strings.Contains(r.err, "used again") || !strings.Contains(r.out, "report.html") || !strings.Contains(r.out, "commitment=promised") {
		t.Errorf("again: exit code %d, said %q, %q", r.code, r.out, r.err)
	}
}

// A run that is interrupted ends soon, leaves no half of a file, and the next
// one goes on.
func TestReproduceInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	var out, err strings.Builder
	began := time.Now()
	code := run(ctx, []string{"reproduce", "libra-plus", "--seeds", "50", "--out", dir}, strings.NewReader(""), &out, &err)
	if code != exitFailure {
		t.Errorf("exit code %d, said %q", code, err.String())
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v to stop", took)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*", ".*.tmp"))
	if len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err == nil {
		t.Error("there is a report of an interrupted run")
	}
}

// The workload of the papers is that of the papers.
func TestReproduceRealTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a whole paper")
	}
	path := trace(t, "SDSC-SP2-1998-4.2-cln.swf.gz")
	dir := t.TempDir()
	claims := parse[[]map[string]any](t, mustLibra(t, "reproduce", "libra-sla", "--quick", "--seeds", "1", "--trace", path, "--out", dir, "--json"))
	about := slices.DeleteFunc(claims, func(c map[string]any) bool { return c["figure"] != "workload" })
	for _, c := range about {
		if c["holds"] != true {
			t.Errorf("%v: measured %v", c["claim"], c["measured"])
		}
	}
	if len(about) != 3 {
		t.Errorf("%d claims about the workload", len(about))
	}
}

// sweepLog writes a log for sweeps and replays.
func sweepLog(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.swf")
	mustLibraLoud(t, "trace", "generate", "--jobs", "60", "--nodes", "16", "--set", "load=1.5", "--out", path)
	return path
}

// mustLibraLoud runs a command that has to succeed and may talk about it.
func mustLibraLoud(t *testing.T, args ...string) result {
	t.Helper()
	r := libra(t, args...)
	if r.code != exitOK {
		t.Fatalf("libra %s: exit code %d, said %q", strings.Join(args, " "), r.code, r.err)
	}
	return r
}
