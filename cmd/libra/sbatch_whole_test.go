package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

// What asks for all of a node asks for as much as nodes of its partition have, and says so;
// a market without partitions passes over which one it is to be.
func TestSbatchOnWholeNodes(t *testing.T) {
	f := &slurmFloor{floor: newFloor()} // which has a number for each at once: nobody waits for one
	open(t, f, v1.RoleUser)
	f.nodes = []v1.NodeView{
		{Node: "a", Processors: 4, MemoryMB: 1000, Up: true, Partition: "main"}, {Node: "b", Processors: 2, MemoryMB: 600, Up: true, Partition: "small"},
	}
	for _, c := range []struct {
		options    string
		partitions map[string]int64
		runs       string
		processors int
		memory     int64
		on         string
		partition  string
		all        bool
	}{
		{"--exclusive", map[string]int64{"main": 1e6, "small": 1e6}, "slurm", 4, 0, "", "", false},
		{"--exclusive -p small", map[string]int64{"main": 1e6, "small": 1e6}, "slurm", 2, 0, "", "small", false},
		{"--mem=0 -c 2", map[string]int64{"main": 1e6}, "slurm", 2, 500, "", "", true},
		{"--mem=0 -c 2", map[string]int64{"main": 1e6}, "", 2, 500, "", "", false},
		{"--exclusive -p other", nil, "slurm", 2, 0, "b", "other", false},
	} {
		f.prices = v1.Prices{Runs: c.runs, Rates: v1.Rates{Partitions: c.partitions}}
		if c.partitions != nil {
			f.prices.Rates.Partition = "main"
		}
		r := libra(t, append(append([]string{"sbatch", "-t", "1"}, strings.Fields(c.options)...), "--wrap", "true")...)
		if r.code != exitOK || !strings.Contains(r.err, "it asks for all of its node") {
			t.Fatalf("%s: %+v", c.options, r)
		}
		got := f.last(t).Submit.Request
		if got.Processors != c.processors || got.Threads != c.processors || got.MemoryMB != c.memory || strings.Join(got.Nodelist, ",") != c.on || got.Partition != c.partition {
			t.Errorf("%s: the market was asked for %+v", c.options, got)
		}
		if all := slices.Contains(got.Env, task.AllMemory+"=yes"); all != c.all {
			t.Errorf("%s: told of all memory %v", c.options, all)
		}
	}
	asked := len(f.asked)
	if r := libra(t, "sbatch", "-t", "1", "--exclusive", "-n", "5", "-p", "small", "--wrap", "true"); r.code == exitOK || !strings.Contains(r.err, "has as much: there are") || len(f.asked) != asked {
		t.Errorf("%+v", r)
	}
	f.prices = v1.Prices{Runs: "slurm", Rates: v1.Rates{Partitions: map[string]int64{"main": 1e6, "small": 1e6}, Partition: "main"}}
	for _, option := range []string{"--exclusive", "--mem=0"} { // in one of several it is priced by none
		if r := libra(t, "sbatch", "-t", "1", option, "-p", "main,small", "--wrap", "true"); r.code != exitFailure || !strings.Contains(r.err, "partition: want one of the market's: main, small") || len(f.asked) != asked {
			t.Errorf("%s: %+v", option, r)
		}
	}
	if r := libra(t, "sbatch", "-Q", "-t", "1", "--exclusive", "--wrap", "true"); r.err != "" {
		t.Errorf("%+v", r)
	}
	if r := libra(t, "salloc", "-t", "1", "--exclusive"); r.code == exitOK || !strings.Contains(r.err, "are for libra sbatch") {
		t.Errorf("%+v", r)
	}
}
