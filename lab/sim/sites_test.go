package sim_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// siteNodes are two processors and one with another rating: 3 processors on 2 nodes.
var siteNodes = []market.Node{{Processors: 2, Rating: 1}, {Processors: 1, Rating: 2}}

func drawnArrivals(seed uint64, n int) []workload.Arrival {
	r := rand.New(rand.NewPCG(seed, 1))
	arrivals := make([]workload.Arrival, n)
	at := 0.0
	for i := range arrivals {
		at += r.ExpFloat64() * 4
		actual := 1 + r.Float64()*30
		j := market.Job{
			Name: fmt.Sprint(i), Submit: market.Time(at), Width: 1 + r.Int32N(3), Estimate: market.Work(actual * (0.8 + r.Float64())),
			SLA: market.SLA{Deadline: market.Time(actual * (1 + 4*r.Float64())), Budget: market.Price(20 + actual*6*r.Float64()), Penalty: market.Price(r.Float64())},
		}
		arrivals[i] = workload.Arrival{Job: j, Actual: market.Work(actual)}
	}
	return arrivals
}

func runSites(t *testing.T, kind policy.Kind, arrivals []workload.Arrival, clusters int, choice sim.Choice) (_ *report.Summary, rows [][]string, site []int) {
	t.Helper()
	var table bytes.Buffer
	site = make([]int, len(arrivals))
	try := trial.Trial{Kind: kind, Nodes: market.Each(siteNodes), Clusters: clusters, Choice: choice, Table: &table, Watch: func(r *market.Record) {
		switch r.Kind {
		case market.Submitted:
			site[r.Job] = -1
		case market.Queued, market.Accepted:
			site[r.Job] = int(r.Slot) % clusters
		default:
		}
	}}
	summary, err := try.Run(t.Context(), workload.FromSlice(arrivals))
	if err != nil {
		t.Fatalf("%s: %v", kind.Name, err)
	}
	if rows, err = csv.NewReader(&table).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return summary, rows[1:], site
}

// Whatever a site was handed it does as if it stood alone: the fate of each job is
// the one it has on a single cluster that is given the jobs of that site.
func TestASiteIsAClusterOfItsOwn(t *testing.T) {
	const sites = 3
	for _, kind := range policy.Kinds() {
		if kind.Name == "hol" || kind.Name == "hol-optimal" {
			continue // whom they admit hangs on the numbers of jobs, which are others alone
		}
		arrivals := drawnArrivals(7, 300)
		for _, w := range wish.All() {
			summary, rows, at := runSites(t, kind, arrivals, sites, sim.Choice{Wish: w})
			mine := make([][]workload.Arrival, sites)
			fate := make([][][]string, sites)
			for i, row := range rows {
				site := max(0, at[i]) // who would be taken by none is refused by the first
				for n := range strings.SplitSeq(row[7], ";") {
					var node int
					if _, err := fmt.Sscan(n, &node); n != "" && (err != nil || node/len(siteNodes) != site) {
						t.Fatalf("%s, %s: job %s of site %d is on nodes %s", kind.Name, w, row[0], site, row[7])
					}
				}
				mine[site] = append(mine[site], arrivals[i])
				fate[site] = append(fate[site], row)
			}
			used := 0
			for site := range sites {
				if len(mine[site]) > 0 {
					used++
				}
				_, alone, _ := runSites(t, kind, mine[site], 1, sim.Choice{})
				for i, row := range alone {
					want := strings.Join(fate[site][i][:7], ",") + "," + strings.Join(fate[site][i][8:], ",")
					if got := strings.Join(row[:7], ",") + "," + strings.Join(row[8:], ","); got != want {
						t.Fatalf("%s, %s, site %d:\nalone  %s\nbeside %s", kind.Name, w, site, got, want)
					}
				}
			}
			if used < 2 && w == wish.Cheapest {
				t.Errorf("%s: %d refused, and %d sites were used", kind.Name, summary.Rejected, used)
			}
		}
	}
}

// One cluster behind the door is the cluster without it, event for event.
func TestOneSiteIsTheCluster(t *testing.T) {
	for _, kind := range policy.Kinds() {
		arrivals := drawnArrivals(11, 200)
		for i := 1; i < len(arrivals); i += 3 { // some come at one instant
			arrivals[i].Job.Submit = arrivals[i-1].Job.Submit
		}
		changes := []sim.NodeChange{{At: 100, Node: 0, Down: true}, {At: 180, Node: 0}}
		log := func(behind bool) []string {
			p, err := kind.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := cluster.New(siteNodes, p)
			if err != nil {
				t.Fatal(err)
			}
			var world sim.World = c
			if behind {
				if world, err = sim.NewSites([]*cluster.Cluster{c}, market.Each(siteNodes)); err != nil {
					t.Fatal(err)
				}
			}
			var lines []string
			see := func(r *market.Record) {
				if r.Kind != market.Wake { // a door asks once
					lines = append(lines, fmt.Sprintf("%v %v %d %d %v %v %v %v", r.At, r.Kind, r.Job, r.Slot, r.Start, r.Finish, r.Speed, r.Slices))
				}
			}
			if err := sim.Run(t.Context(), world, workload.FromSlice(arrivals), sim.Options{See: see, Changes: changes}); err != nil {
				t.Fatalf("%s: %v", kind.Name, err)
			}
			return lines
		}
		alone, behind := log(false), log(true)
		for i := range alone {
			if i >= len(behind) || alone[i] != behind[i] {
				t.Fatalf("%s: event %d is %q, behind the door %q", kind.Name, i, alone[i], behind[min(i, len(behind)-1)])
			}
		}
	}
}

// The door takes the best of those that are asked: a third job of nearly a whole
// processor each finds the first site full or dear.
func TestTheDoorChooses(t *testing.T) {
	kind, err := policy.Find("libra-plus")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []workload.Arrival
	for i, deadline := range []market.Time{11, 11, 11, 11, 11, 11, 11, 100} {
		jobs = append(jobs, workload.Arrival{
			Job: market.Job{
				Name: fmt.Sprint(i), Submit: market.Time(i) / 8, Width: 3, Estimate: 10, SLA: market.SLA{Deadline: deadline, Budget: market.Unlimited},
			},
			Actual: 10,
		})
	}
	for _, c := range []struct {
		choice    sim.Choice
		where     string
		forwarded int64
	}{
		{sim.Choice{Wish: wish.First}, "[0 1 2 3 -1 -1 -1 -1]", 3},
		{sim.Choice{Wish: wish.Cheapest}, "[0 1 2 3 -1 -1 -1 -1]", 3},
		{sim.Choice{Wish: wish.First, Ask: 1}, "[0 1 2 3 -1 -1 -1 -1]", 0},
		{sim.Choice{Wish: wish.First, Ask: 2}, "[0 2 1 3 -1 -1 -1 -1]", 2},
	} {
		summary, _, where := runSites(t, kind, jobs, 4, c.choice)
		if fmt.Sprint(where) != c.where || summary.Dealt.Forwarded != c.forwarded {
			t.Errorf("%v: %v, forwarded %d; want %s, %d", c.choice, where, summary.Dealt.Forwarded, c.where, c.forwarded)
		}
	}
}
