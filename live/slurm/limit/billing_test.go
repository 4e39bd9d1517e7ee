package limit

import (
	"strings"
	"testing"
	"time"
)

// What a job is billed is what Slurm made of it: tried on 22.05 and 24.11.
func TestBillOfAJob(t *testing.T) {
	job := Ask{Processors: 2, Programs: 1, MemoryMB: 256}
	gpus := Ask{Processors: 4, Programs: 2, MemoryMB: 1024, GPUs: 3, GPUKind: "a100"}
	array := Ask{Processors: 3, Programs: 3, MemoryMB: 300, Jobs: 3}
	for name, c := range map[string]struct {
		weights, flags string
		ask            Ask
		want           int64
	}{
		"processors, where nothing is said": {"", "", job, 2},
		"and nothing is nothing":            {"(null)", "", job, 2},
		"half a processor, and memory":      {"CPU=1.5,Mem=2.0G", "", job, 4},
		"rounded down":                      {"CPU=1.5,Mem=2.0G", "", Ask{Processors: 1, Programs: 1, MemoryMB: 300}, 2},
		"of each element of an array":       {"CPU=1.5,Mem=2.0G", "", array, 6},
		"memory in megabytes":               {"Mem=0.5", "", job, 256},
		"in gigabytes, and of no processor": {"mem=2g", "", gpus, 8},
		"GPUs":                              {"CPU=1,GRES/gpu=10", "", gpus, 34},
		"GPUs of a kind":                    {"GRES/gpu:a100=5,GRES/gpu:v100=7", "", gpus, 15},
		"nodes":                             {"Node=3", "", gpus, 6},
		"what comes to most":                {"CPU=1,Mem=1G,GRES/gpu=3", "MAX_TRES", gpus, 9},
		"that of others, as of a license":   {"CPU=1,License/a=4,Billing=x,nonsense", "", job, 2},
		"thousands of processors":           {"CPU=1024K", "", job, 2},
		"memory in kilobytes":               {"Mem=1K", "", job, 512 * 1024},
	} {
		c.ask.weights = readWeights("PartitionName=libra TRESBillingWeights="+c.weights+"\n", "PriorityFlags = "+c.flags+"\n")
		if got := c.ask.bills(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Limits of what is billed are limits like others: what Slurm would keep waiting for one is not sold.
func TestLimitsOfWhatIsBilled(t *testing.T) {
	site := func(own, account string) *Site {
		return Read(Said{
			Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra State=UP TRESBillingWeights=CPU=2.5\n",
			Manager: "ClusterName=c Account=physics UserName= Partition= ID=3\n    ParentAccount=\n    " + account + "\n" +
				"ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    " + own + "\n",
		})
	}
	ask := Ask{User: "alice", Processors: 3, Programs: 1, MemoryMB: 10, Time: time.Hour}
	runs := Books{Underway: map[Who]Use{{User: "alice"}: {Jobs: 1, Processors: 2}}}
	both := Books{Underway: runs.Underway, Running: runs.Underway}
	for name, c := range map[string]struct {
		site *Site
		had  Books
		want string // in the detail; empty: it may
	}{
		"a job":                           {site("MaxTRESPJ=billing=6", ""), Books{}, "bills a job 6 at most (MaxTRES billing of user alice in account physics), and this one 7"},
		"as much as may":                  {site("MaxTRESPJ=billing=7", ""), Books{}, ""},
		"too little":                      {site("", ""), Books{}, ""},
		"all together":                    {site("", "GrpTRES=billing=11(0)"), runs, "GrpTRES billing=11 of account physics, of which 5 are used, and this job would be 7 more"},
		"as much as they may":             {site("", "GrpTRES=billing=12(0)"), runs, ""},
		"what Slurm counted, once":        {site("", "GrpTRES=billing=12(5)"), both, ""},
		"what is others'":                 {site("", "GrpTRES=billing=12(6)"), both, "of which 6 are used"},
		"an allocation that is used up":   {site("", "GrpTRESMins=billing=1000(1000)"), Books{}, "GrpTRESMins billing=1000 is used up"},
		"and one that is not":             {site("", "GrpTRESMins=billing=1000(999)"), Books{}, ""},
		"the time that they have of it":   {site("", "GrpTRESRunMins=billing=419(0)"), Books{}, "GrpTRESRunMins billing=419"},
		"exactly as much":                 {site("", "GrpTRESRunMins=billing=420(0)"), Books{}, ""},
		"a node may have so many of each": {site("MaxTRESPN=cpu=2", ""), Books{}, "at most 2 processors on a node (MaxTRESPerNode of user alice"},
	} {
		e := c.site.Check(ask, c.had)
		if (e == nil) != (c.want == "") || e != nil && !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %+v, want %q", name, e, c.want)
		}
	}
}

// What a job has on a node is what it has in all, divided by its nodes: so Slurm reckons, tried on 22.05
// (QOSMaxCpuPerNode).
func TestWhatAJobHasOnANode(t *testing.T) {
	site := func(limit string) *Site {
		return Read(Said{
			Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra State=UP\n",
			Manager: "ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n\nQOS=normal(1)\n    MaxTRESPN=" + limit + "\n",
		})
	}
	ask := Ask{User: "alice", Processors: 4, Programs: 1, MemoryMB: 100, GPUs: 2, GPUKind: "a100"}
	two, array := ask, ask
	two.Programs, array.Jobs, array.Elements = 2, 4, 4
	for name, c := range map[string]struct {
		limit string
		ask   Ask
		field string // of the excess; empty: it may
		most  int64
	}{
		"processors":             {"cpu=3", ask, "processors", 3},
		"as many":                {"cpu=4", ask, "", 0},
		"on two nodes":           {"cpu=2", two, "", 0},
		"and too many on two":    {"cpu=1", two, "processors", 2},
		"memory":                 {"mem=399", ask, "memory_mb", 99},
		"that much":              {"mem=400", ask, "", 0},
		"GPUs":                   {"gres/gpu=1", ask, "gpus", 1},
		"as many as there may":   {"gres/gpu=2", ask, "", 0},
		"GPUs of its kind":       {"gres/gpu:a100=1", ask, "gpus", 1},
		"of another":             {"gres/gpu:v100=1", ask, "", 0},
		"each element of itself": {"cpu=1", array, "", 0},
	} {
		e := site(c.limit).Check(c.ask, Books{})
		if (e == nil) != (c.field == "") || e != nil && (e.Field != c.field || e.Most != c.most) {
			t.Errorf("%s: %+v, want %q, at most %d", name, e, c.field, c.most)
		}
	}
}
