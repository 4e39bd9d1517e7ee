package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func sweepArgs(log, out string, more ...string) []string {
	return append([]string{
		"sweep", "--policy", "fcfs-bf,libra,libra-plus", "--workload", log, "--vary", "beta=0.1,1", "--vary",
		"arrival-factor=0.5:1.5:0.5", "--vary", "inaccuracy=0,0.2", "--seeds", "2", "--out", out,
	}, more...)
}

// Parts put together are byte for byte what a single run writes, however many
// there are and in whatever order they come.
func TestSweepShards(t *testing.T) {
	log, dir := sweepLog(t), t.TempDir()
	whole := filepath.Join(dir, "whole.csv")
	mustLibraLoud(t, sweepArgs(log, whole)...)
	// fcfs-bf and libra: 3 factors x 2 inaccuracies x 2 seeds; libra-plus: twice that.
	if lines := strings.Count(read(t, whole), "\n"); lines != 1+12+12+24 {
		t.Errorf("%d lines", lines)
	}
	for _, n := range []int{1, 3, 48, 50} {
		args := []string{"sweep", "merge", "--out", filepath.Join(dir, fmt.Sprintf("merged-%d.csv", n))}
		for i := n; i >= 1; i-- {
			part := filepath.Join(dir, fmt.Sprintf("part-%d-%d.csv", n, i))
			mustLibraLoud(t, sweepArgs(log, part, "--shard", fmt.Sprintf("%d/%d", i, n))...)
			args = append(args, part)
		}
		mustLibra(t, args...)
		if read(t, args[3]) != read(t, whole) {
			t.Errorf("%d parts are not the whole", n)
		}
	}
	page := filepath.Join(dir, "whole.html")
	mustLibraLoud(t, sweepArgs(log, whole, "--fresh", "--page", page)...)
	if text := read(t, page); !strings.Contains(text, "<svg") || !strings.Contains(text, "whole.csv") {
		t.Errorf("the page has %d bytes and no drawing", len(text))
	}
	mustLibraLoud(t, "sweep", "--policy", "libra", "--bound", "--workload", log, "--out", filepath.Join(dir, "bars.csv"), "--page", page)
	if text := read(t, page); !strings.Contains(text, "bound") || strings.Contains(text, "NaN") {
		t.Errorf("bars with a bound:\n%s", text)
	}
	if out := mustLibra(t, sweepArgs(log, "-")...); out != read(t, whole) {
		t.Error("standard output gets something else")
	}
}

// For programs the lines are objects, beside the file or in its place.
func TestSweepForPrograms(t *testing.T) {
	log, out := sweepLog(t), filepath.Join(t.TempDir(), "out.csv")
	args := []string{"sweep", "--policy", "fcfs-bf,libra-plus", "--workload", log, "--vary", "beta=0.1,1", "--json"}
	var alone, beside, merged sweepDone
	for _, c := range []struct {
		done *sweepDone
		args []string
	}{{&alone, args}, {&beside, append(args, "--out", out)}, {&merged, []string{"sweep", "merge", "--json", "--out", out + "2", out}}} {
		if err := json.Unmarshal([]byte(mustLibraLoud(t, c.args...).out), c.done); err != nil || c.done.Runs != 3 || !reflect.DeepEqual(c.done.Lines, alone.Lines) {
			t.Errorf("%v: %v, %+v", c.args, err, c.done)
		}
	}
	if beside.Out != out || alone.Out != "" || strings.Count(read(t, out), "\n") != 4 {
		t.Errorf("%q, %q", beside.Out, read(t, out))
	}
	if l := alone.Lines; l[0]["policy"] != "fcfs-bf" || l[0]["beta"] != nil || l[2]["beta"] != 1.0 || l[0]["jobs"] == "" {
		t.Errorf("%+v", l)
	}
	for _, wrong := range [][]string{append(args, "--out", "-"), {"sweep", "merge", "--json", "--out", "-", out}} {
		if r := libra(t, wrong...); r.code != exitUsage || !strings.Contains(r.err, "exclude each other") {
			t.Errorf("%v: %+v", wrong, r)
		}
	}
}

func TestSweepResumes(t *testing.T) {
	log, out := sweepLog(t), filepath.Join(t.TempDir(), "out.csv")
	mustLibraLoud(t, sweepArgs(log, out)...)
	whole := read(t, out)
	lines := strings.SplitAfter(whole, "\n")
	// An interrupted sweep: some lines in any order, the last one torn.
	part := lines[0] + lines[7] + lines[3] + lines[40] + lines[20][:len(lines[20])/2]
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out+".part", []byte(part), 0o600); err != nil {
		t.Fatal(err)
	}
	r := mustLibraLoud(t, sweepArgs(log, out)...)
	if !strings.Contains(r.err, "3 of them from before") || read(t, out) != whole {
		t.Errorf("said %q", r.err)
	}
	if _, err := os.Stat(out + ".part"); err == nil {
		t.Error("the part is still there")
	}
	// What is left of another sweep is not thrown away.
	if err := os.WriteFile(out+".part", []byte(part), 0o600); err != nil {
		t.Fatal(err)
	}
	r = libra(t, sweepArgs(log, out, "--arrival-factor", "2", "--set", "deviation=0.1")...)
	if r.code != exitFailure || !strings.Contains(r.err, "another sweep") {
		t.Errorf("exit code %d, said %q", r.code, r.err)
	}
	mustLibraLoud(t, sweepArgs(log, out, "--set", "deviation=0.1", "--fresh")...)
}

func TestSweepMistakes(t *testing.T) {
	log, dir := sweepLog(t), t.TempDir()
	out := filepath.Join(dir, "x.csv")
	base := []string{"sweep", "--policy", "libra", "--workload", log, "--out", out}
	one := filepath.Join(dir, "one.csv")
	mustLibraLoud(t, sweepArgs(log, one, "--shard", "1/2")...)
	other := filepath.Join(dir, "other.csv")
	mustLibraLoud(t, sweepArgs(log, other, "--shard", "2/2", "--set", "deviation=0.3")...)
	cut := file(t, "cut.csv", strings.TrimSuffix(read(t, one), "\n"))
	forged := file(t, "forged.csv", strings.Replace(read(t, one), ",60,", ",61,", 1))
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no policy", []string{"sweep", "--workload", log, "--out", out}, 2, "--policy"},
		{"no workload", []string{"sweep", "--policy", "libra", "--out", out}, 2, "--workload"},
		{"no output", []string{"sweep", "--policy", "libra", "--workload", log}, 2, "--out"},
		{"page of a part", append(base, "--shard", "1/2", "--page", out+".html"), 2, "--page"},
		{"unknown name", append(base, "--vary", "bta=1"), 2, `"bta"`},
		{"unknown setting", append(base, "--set", "bta=1"), 2, `"bta"`},
		{"no values", append(base, "--vary", "delta="), 2, "name=values"},
		{"value twice", append(base, "--vary", "delta=1,2,1"), 2, "twice"},
		{"name twice", append(base, "--vary", "delta=1", "--vary", "delta=2"), 2, "twice"},
		{"bad value", append(base, "--vary", "delta=x"), 2, "delta=x"},
		{"bad range", append(base, "--vary", "delta=1:2"), 2, "from:to:step"},
		{"range downwards", append(base, "--vary", "delta=2:1:0.1"), 2, "upwards"},
		{"endless range", append(base, "--vary", "delta=0:1:0"), 2, "range"},
		{"bad factor", append(base, "--vary", "arrival-factor=-1"), 2, "factor"},
		{"bad nodes", append(base, "--vary", "nodes=0"), 2, "nodes"},
		{"bad shard", append(base, "--shard", "0/4"), 2, "--shard"},
		{"shard beyond", append(base, "--shard", "5/4"), 2, "--shard"},
		{"shard with a tail", append(base, "--shard", "1/4x"), 2, "--shard"},
		{"seeds", append(base, "--seeds", "0"), 2, "--seeds"},
		{"missing file", []string{"sweep", "--policy", "libra", "--workload", "none.swf", "--out", out}, 1, "none.swf"},
		{"merge without output", []string{"sweep", "merge", one}, 2, "--out"},
		{"merge without parts", []string{"sweep", "merge", "--out", out}, 2, "PART"},
		{"merge with a part missing", []string{"sweep", "merge", "--out", out, one}, 1, "missing"},
		{"merge of two sweeps", []string{"sweep", "merge", "--out", out, one, other}, 1, "another sweep"},
		{"merge of something else", []string{"sweep", "merge", "--out", out, log}, 1, "not written by libra sweep"},
		{"merge of a torn part", []string{"sweep", "merge", "--out", out, cut}, 1, "cut off"},
		{"merge of parts that differ", []string{"sweep", "merge", "--out", out, one, forged}, 1, "is not what"},
	} {
		r := libra(t, c.args...)
		if r.code != c.code || !strings.Contains(r.err, c.want) {
			t.Errorf("%s: exit code %d, said %q", c.name, r.code, r.err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: wrote a file", c.name)
		}
	}
}
