package sim_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// otherWays are settings under which a policy decides in another way.
var otherWays = map[string][]map[string]string{
	"fcfs-bf": {{"late": "lapsed"}},
	"edf-bf":  {{"late": "lapsed", "pbase": "2"}},
	"libra": {
		{"spare": "none", "fit": "least-loaded"},
		{"commitment": "current", "gamma": "0", "delta": "3"},
		{"replan": "touched"},
		{"replan": "touched", "spare": "none", "fit": "least-loaded"},
	},
	"libra-plus": {
		{"beta": "0.5", "alpha": "2"},
		{"spare": "none", "commitment": "current"},
		{"replan": "touched", "per": "processor"},
		{"replan": "touched", "spare": "none", "resources": "time"},
	},
	"hol":          {{"q": "0.3/0.9", "seed": "4", "forfeit": "0.5"}},
	"hol-optimal":  {{"load": "2", "phi": "0.9"}},
	"first-reward": {{"alpha": "1", "discount": "0.1"}, {"alpha": "0", "slack": "5"}},
	"make-way":     {{"follow": "0.5"}, {"price": "posted", "follow": "0.5", "per": "processor"}},
	"going-rate":   {{"part": "0.1", "room": "0.2"}, {"price": "posted", "follow": "0.5", "per": "processor"}},
	"qops":         {{"slack": "0.5", "pbase": "3"}},
}

// Decisions stay as they are, job by job, whatever else changes: what every policy
// said in a few worlds that have everything in them (unequal nodes, memory, wide
// jobs, wrong estimates, lost nodes) is kept as a line and a number. Who changes
// one on purpose rewrites the lines with -update and says why; plays explain,
// these only notice.
func TestScriptOfAllDecisions(t *testing.T) {
	const golden = "testdata/decisions.golden"
	var out strings.Builder
	for _, kind := range policy.Kinds() {
		for _, set := range append([]map[string]string{nil}, otherWays[kind.Name]...) {
			for world := range uint64(4) {
				fmt.Fprintf(&out, "%s %v world %d: %s\n", kind.Name, set, world, decisions(t, kind, set, world))
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("decisions have changed:\n%s", firstDifference(out.String(), string(want)))
	}
}

// decisions plays one world and says how it went.
func decisions(t *testing.T, kind policy.Kind, set map[string]string, seed uint64) string {
	t.Helper()
	chosen, err := kind.New(set)
	if err != nil {
		t.Fatal(err)
	}
	nodes, jobs, changes := diverse(seed)
	c, err := cluster.New(nodes, chosen)
	if err != nil {
		t.Fatal(err)
	}
	p := play{nodes: nodes}
	said := fnv.New64a()
	teller := teller{nodeOf: p.nodeOf, waits: map[market.JobID]bool{}, names: map[market.JobID]string{}}
	summary := report.NewSummary(kind.Name, p.processors())
	see := func(r *market.Record) {
		summary.See(r)
		if r.Kind == market.Submitted {
			teller.names[r.Job] = r.Spec.Name
		}
		if words := teller.words(r); words != "" {
			fmt.Fprintf(said, "%s %s\n", plain(float64(r.At)), words)
		}
	}
	if err := sim.Run(context.Background(), c, workload.FromSlice(jobs), sim.Options{See: see, Changes: changes}); err != nil {
		t.Fatal(err)
	}
	summary.Close()
	return fmt.Sprintf("%d in time, revenue %s, said %016x", summary.MetDeadline, plain(summary.Revenue), said.Sum64())
}

// diverse is a world of a seed: each has something that the others have not.
func diverse(seed uint64) ([]market.Node, []workload.Arrival, []sim.NodeChange) {
	draw := rand.New(rand.NewPCG(seed, 11))
	nodes := market.PlainNodes(6)
	var changes []sim.NodeChange
	if seed%2 == 1 { // unequal nodes, some with several processors
		for i := range nodes {
			nodes[i].Rating = []float64{1, 2, 0.5, 1.5, 1, 3}[i]
			nodes[i].Processors = []int{1, 2, 1, 4, 2, 1}[i]
			nodes[i].Memory, nodes[i].Disk = int64(100*(i+1)), int64(1000-100*i)
			nodes[i].Base = market.Rates{Processor: market.Price(1 + i%3), Memory: 0.01, Disk: 0.001}
		}
	}
	if seed >= 2 {
		changes = []sim.NodeChange{{At: 60, Node: 1, Down: true}, {At: 90, Node: 3, Down: true}, {At: 150, Node: 1}, {At: 200, Node: 3}}
	}
	var jobs []workload.Arrival
	at := market.Time(0)
	for i := range 90 {
		at += market.Time(draw.IntN(8)) / 2
		j := market.Job{
			Name: fmt.Sprint("j", i), Submit: at, Width: int32(1 + draw.IntN(2)*draw.IntN(5)), Estimate: market.Work(1+draw.IntN(40)) / 2, Class: int32(draw.IntN(3)),
			SLA: market.SLA{Deadline: market.Never, Budget: market.Price(5 + draw.IntN(200)), Penalty: market.Price(draw.IntN(3)) / 2},
		}
		if draw.IntN(8) > 0 {
			j.SLA.Deadline = market.Time(j.Estimate) * market.Time(2+draw.IntN(12)) / 2
			j.SLA.Soft = draw.IntN(2) == 0
		}
		if seed%2 == 1 {
			j.Memory, j.Disk = int64(draw.IntN(4)*40), int64(draw.IntN(3)*150)
			j.Objective = market.Objective(draw.IntN(3))
			if j.Width%2 == 0 {
				j.Threads = int32(1 + draw.IntN(2))
			}
		}
		jobs = append(jobs, workload.Arrival{Job: j, Actual: j.Estimate * market.Work(5+draw.IntN(8)) / 8})
	}
	return nodes, jobs, changes
}
