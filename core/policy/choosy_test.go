package policy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// Jobs that ask for memory, threads, GPUs or some nodes alone are put where asking every processor
// would put them, word for word: in the order of all, and where they may be on few.
func TestChoosyJobsArePutWhereAskingEverybodyPutsThem(t *testing.T) {
	worlds := uint64(60)
	if testing.Short() {
		worlds = 20
	}
	for _, fit := range []string{"best", "least-loaded"} {
		t.Run(fit, func(t *testing.T) {
			for seed := range worlds {
				choosyAlike(t, seed, fit)
			}
		})
		t.Run(fit+" in order", func(t *testing.T) {
			defer policy.NoneAreFew()()
			for seed := range worlds {
				choosyAlike(t, seed, fit)
			}
		})
	}
}

func choosyAlike(t *testing.T, seed uint64, fit string) {
	t.Helper()
	kind, err := policy.Find("libra")
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := kind.New(map[string]string{"replan": "touched", "fit": fit})
	if err != nil {
		t.Fatal(err)
	}
	nodes, jobs := choosyWorld(seed)
	fast, err := cluster.New(nodes, chosen)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := cluster.New(nodes, policy.LibraAskingEverybody(fit))
	if err != nil {
		t.Fatal(err)
	}
	w := &closing{alike: alike{fast: fast, slow: slow, rand: rand.New(rand.NewPCG(seed, 3))}, closed: make([]bool, len(nodes))}
	var changes []sim.NodeChange
	if seed%7 == 2 {
		changes = []sim.NodeChange{{At: 20, Node: 0, Down: true}, {At: 60, Node: 0}}
	}
	accepted := 0
	see := func(r *market.Record) {
		if r.Event.Kind == market.Accepted {
			accepted++
		}
	}
	if err := sim.Run(context.Background(), w, workload.FromSlice(jobs), sim.Options{Changes: changes, See: see}); err != nil {
		t.Fatalf("world %d: %v", seed, err)
	}
	if accepted < 20 || accepted == len(jobs) {
		t.Errorf("world %d: %d of %d are accepted, which shows little", seed, accepted, len(jobs))
	}
}

// closing is the two, with a node that is closed or opened now and then.
type closing struct {
	alike
	closed []bool
}

func (w *closing) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	if node := w.rand.IntN(20 * len(w.closed)); node > 0 && node < len(w.closed) { // the first goes down and comes back
		kind := market.NodeClosed
		if w.closed[node] {
			kind = market.NodeOpened
		}
		w.closed[node] = !w.closed[node]
		happened = append([]market.Event{{Kind: kind, Node: int32(node)}}, happened...)
	}
	return w.alike.Step(at, happened)
}

// choosyWorld is a world of a seed: nodes of several shapes, and jobs of which many can be on
// some alone.
func choosyWorld(seed uint64) ([]market.Node, []workload.Arrival) {
	draw := rand.New(rand.NewPCG(seed, 11))
	one := func(of ...string) string { return of[draw.IntN(len(of))] }
	nodes := market.PlainNodes(3 + draw.IntN(30))
	for i := range nodes {
		n := &nodes[i]
		n.Name, n.Processors, n.Memory = fmt.Sprintf("n%d", i), 1+draw.IntN(9), int64(10*draw.IntN(9))
		n.Features, n.Partition, n.Reserved = one("", "fast", "fast,ib"), one("p1", "p1", "p2"), one("", "", "", "course")
		if n.GPUs = max(0, draw.IntN(8)-4); n.GPUs > 0 {
			n.GPUKind = one("a100", "v100")
		}
	}
	number := func(n int) float64 { // in every other world everything is whole, and ties abound
		if seed%2 == 0 {
			return float64(1 + draw.IntN(n))
		}
		return 0.5 + draw.Float64()*float64(n)
	}
	var jobs []workload.Arrival
	at := market.Time(0)
	for i := range 200 {
		if draw.IntN(4) == 0 {
			at += market.Time(number(3))
		}
		length := number(12)
		j := market.Job{
			Name: fmt.Sprint(i), Submit: at, Estimate: market.Work(length), Memory: int64(draw.IntN(2) * draw.IntN(30)),
			Threads: int32(draw.IntN(2) * (1 + draw.IntN(3))), Spread: draw.IntN(6) == 0, GPUs: int32(draw.IntN(2) * draw.IntN(2)),
			SLA: market.SLA{Deadline: market.Time(length * (1 + number(12)/2)), Budget: market.Unlimited},
		}
		j.Width = max(1, j.Threads) * int32(1+draw.IntN(2)*draw.IntN(4))
		if j.GPUs > 0 {
			j.GPUKind = one("", "", "a100")
		}
		if draw.IntN(3) == 0 {
			j.Where = &market.Where{
				Nodes: one("", "", "", "n0,n1,n2"), Exclude: one("", "n1"), Constraint: one("", "", "fast", "ib"),
				Partition: one("", "p1", "p2"), Reservation: one("", "", "course"),
			}
		}
		if seed%3 == 0 && draw.IntN(12) == 0 { // those who live on what others leave are as empty houses
			j.SLA.Deadline = market.Never
		}
		actual := j.Estimate
		switch seed % 4 {
		case 1:
			actual *= market.Work(1+draw.IntN(4)) / 4 // estimates are too long
		case 2:
			actual *= market.Work(1+draw.IntN(8)) / 4 // or too short, as often as not
		}
		jobs = append(jobs, workload.Arrival{Job: j, Actual: actual})
	}
	return nodes, jobs
}
