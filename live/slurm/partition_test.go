package slurm

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// The market is told in which partition of Slurm a node is, again when that has changed, and a
// job is handed into that of its nodes: before Slurm has said it, into none.
func TestNodesAreInPartitions(t *testing.T) {
	b, n := idle(t, Agents)
	b.cfg.Partition = "batch,fast"
	if got := b.partitionOf([]string{"n1"}); got != "" {
		t.Errorf("n1 is in %q before anybody says so", got)
	}
	for _, name := range []string{"fast", "batch"} {
		b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000, Partition: name}}, noon)
		if n.hello == nil {
			if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, Runs: Runs, Partition: "mine"}); err != nil {
				t.Fatal(err)
			}
		}
		b.ctx = t.Context()
		b.mu.Lock()
		b.syncNodes(noon)
		b.mu.Unlock()
		b.going.Wait()
		if n.hello.Partition != name || b.partitionOf([]string{"n1"}) != name {
			t.Errorf("n1 is said to be in %q, and is in %s", n.hello.Partition, name)
		}
	}
	if got := b.asked(&trade.Request{}); got != "batch" {
		t.Error(got)
	}
}

// What an association of one partition allows is counted in that partition, and what one of
// none allows in all.
func TestLimitsOfAPartition(t *testing.T) {
	b, _ := idle(t, Agents)
	b.cfg.Partition = "batch,fast"
	site := func(name, limits string) {
		w := b.gate.wicket(name)
		w.site, w.asked = limit.Read(limit.Said{
			Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=" + name + " QoS=N/A\n",
			Manager: "ClusterName=c Account=physics UserName=bob(7) Partition=" + limits,
		}), noon
	}
	admit := func(partition string) string {
		t.Helper()
		_, over := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: 1000, Partition: partition}, false)
		if over == nil {
			return ""
		}
		return over.Detail
	}
	site("batch", " ID=3\n    DefAssoc=Yes\n    MaxJobs=3(0)\n")
	site("fast", "fast ID=4\n    DefAssoc=Yes\n    MaxJobs=1(0)\n")
	if why := admit("batch"); why != "" {
		t.Fatal(why)
	}
	if why := admit("fast"); why != "" {
		t.Errorf("a job in batch counts in fast: %s", why)
	}
	if why := admit("fast"); !strings.Contains(why, "MaxJobs=1") {
		t.Errorf("the second in fast: %q", why)
	}
	if why := admit("batch"); why != "" {
		t.Fatal(why)
	}
	if why := admit("batch"); !strings.Contains(why, "MaxJobs=3") {
		t.Errorf("the fourth in all: %q", why)
	}
}
