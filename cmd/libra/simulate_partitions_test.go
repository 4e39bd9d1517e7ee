package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A site's history, sold in partitions: what sacct says becomes a table with the partition of
// each job, which is simulated on a cluster with partitions at the rates that are tried.
func TestSimulatedPartitions(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	history := file("sacct.txt", `JobID|User|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|Partition
1|a|COMPLETED|1000|1000|1010|10|1|1|1|fast
2|b|COMPLETED|1000|1000|1010|10|1|1|1|batch
3|b|CANCELLED|1000|Unknown|1000|0|1|1|1|fast,batch
`)
	jobs := filepath.Join(dir, "jobs.csv")
	cluster := file("cluster.yaml", "groups:\n  - name: b\n    partition: batch\n  - name: f\n    partition: fast\n")
	say := func(code int, args ...string) string {
		t.Helper()
		var out, complaints strings.Builder
		if got := run(t.Context(), args, strings.NewReader(""), &out, &complaints); got != code {
			t.Fatalf("%v: exit %d: %s", args, got, complaints.String())
		}
		return out.String() + complaints.String()
	}
	say(0, "trace", "convert", history, jobs)
	text, err := os.ReadFile(jobs)
	if err != nil || !strings.Contains(string(text), ",threads,partition,nodelist,exclude\n") || !strings.Contains(string(text), ",fast,,\n") || !strings.Contains(string(text), ",batch,,\n") {
		t.Fatalf("%v:\n%s", err, text)
	}
	if said := say(0, "trace", "convert", history, filepath.Join(dir, "jobs.swf")); !strings.Contains(said, "in a .csv alone") {
		t.Errorf("of partitions that are left out nothing is said: %s", said)
	}
	table := filepath.Join(dir, "table.csv")
	simulate := []string{"simulate", "--policy", "libra", "--workload", jobs, "--cluster", cluster, "--jobs", table}
	for _, c := range []struct {
		partition, fast, batch string
	}{
		{"", "60", "60"},
		{"batch,fast=2.5", "150", "60"},
		{"fast=0.5,batch=3", "30", "180"},
	} {
		args := simulate
		if c.partition != "" {
			args = append(args, "--partition", c.partition)
		}
		say(0, args...)
		text, err = os.ReadFile(table)
		// Of 60 s that were asked for each paid for all: id, outcome ... nodes, cost, utility.
		if err != nil || !strings.Contains(string(text), ",1,1,"+c.fast+",") || !strings.Contains(string(text), ",1,0,"+c.batch+",") {
			t.Errorf("%s: %v\n%s", c.partition, err, text)
		}
	}
	say(0, "replay", history, "--cluster", cluster, "--partition", "batch,fast=2.5", "--policy", "libra")
	for want, args := range map[string][]string{
		"no node is in partition slow":          append(simulate, "--partition", "slow=2"),
		"no name of a partition and a factor":   append(simulate, "--partition", "fast=-1"),
		"partition: want one of the market's":   {"simulate", "--policy", "libra", "--workload", file("bad.csv", "id,submit,runtime,procs,partition\na,0,10,1,gpu\n"), "--cluster", cluster},
		"live knows the partitions":             {"replay", "live", "--partition", "fast=2"},
		"groups[0].partition: want a word":      {"simulate", "--policy", "libra", "--workload", jobs, "--cluster", file("bad.yaml", "groups:\n  - partition: 'a b'\n")},
		"no node is in partition fast (a group": {"simulate", "--policy", "libra", "--workload", jobs, "--nodes", "2", "--partition", "fast=2"},
	} {
		var out, complaints strings.Builder
		if code := run(t.Context(), args, strings.NewReader(""), &out, &complaints); code == 0 || !strings.Contains(complaints.String(), want) {
			t.Errorf("%v: exit %d: %s", args, code, complaints.String())
		}
	}
	// A job that may begin later comes then, without a word about the order of the file.
	said := say(0, "simulate", "--policy", "libra", "--nodes", "1", "--workload", file("later.csv", "id,submit,runtime,procs,deadline,begin\na,0,10,1,20,100\nb,1,10,1,20,\n"), "--jobs", table)
	text, err = os.ReadFile(table)
	if err != nil || strings.Contains(said, "order") || !strings.Contains(string(text), "a,completed,,100,100,110,") || !strings.Contains(string(text), "b,completed,,1,1,11,") {
		t.Errorf("%v, %s\n%s", err, said, text)
	}
}
