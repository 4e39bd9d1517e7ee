package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gpuJobs: the first takes both GPUs of a node, the second wants more than a node has,
// the third wants none.
const gpuJobs = "id,submit,runtime,procs,deadline,budget,gpus\n" +
	"train,0,10,1,100,1000,2\nhuge,0,10,1,100,1000,3\nplain,0,10,1,100,1000,\n"

func TestSimulatedGPUs(t *testing.T) {
	jobs := file(t, "jobs.csv", gpuJobs)
	described := file(t, "cluster.yaml", "groups:\n  - {count: 2, gpus: 2, gpu_kind: a100, prices: {gpus: 3}}\n")
	for name, nodes := range map[string][]string{
		"counted":   {"--nodes", "2", "--gpus-per-node", "2", "--gpu-rate", "3"},
		"described": {"--cluster", described},
	} {
		table := filepath.Join(t.TempDir(), "table.csv")
		mustLibra(t, append([]string{"simulate", "--policy", "fcfs-bf", "--workload", jobs, "--jobs", table}, nodes...)...)
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"train,completed,,0,0,10,1,0,70,", // 10 * 1, and 10 * 2 * 3
			"huge,rejected,cannot_meet_resources,",
			"plain,completed,,0,0,10,1,1,10,",
		} {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s: no line %q in\n%s", name, line, text)
			}
		}
	}
	if s := summary(t, "--policy", "libra", "--nodes", "2", "--workload", jobs); s["accepted"] != 1.0 {
		t.Errorf("nodes without GPUs: %v", s)
	}
	for _, args := range [][]string{
		{"--cluster", described, "--gpus-per-node", "2"},
		{"--nodes", "2", "--gpu-rate", "3"},
		{"--nodes", "2", "--gpus-per-node", "-1"},
		{"--nodes", "2", "--gpus-per-node", "2", "--gpu-rate", "-3"},
	} {
		if r := libra(t, append([]string{"simulate", "--policy", "libra", "--workload", jobs}, args...)...); r.code != exitUsage {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
