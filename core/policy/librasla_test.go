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

// Who goes by bounds says word for word what asking everybody says, in worlds that are
// rich in ties, exact fits, late jobs, early ends, over-runs and lost nodes: in a small cluster,
// with processors in a grove, and where
// it goes from one to the other.
func TestBoundsAnswerLikeAskingEverybody(t *testing.T) {
	worlds := uint64(80)
	if testing.Short() {
		worlds = 20
	}
	t.Run("one after the other", func(t *testing.T) {
		for seed := range worlds {
			asksAlike(t, seed, "libra-sla", policy.AskingEverybody())
		}
	})
	t.Run("in a grove", func(t *testing.T) {
		defer policy.NothingIsSmall()()
		for seed := range worlds {
			asksAlike(t, seed, "libra-sla", policy.AskingEverybody())
		}
	})
	t.Run("one way and the other", func(t *testing.T) {
		defer policy.Restless()()
		for seed := range worlds {
			asksAlike(t, seed, "libra-sla", policy.AskingEverybody())
		}
	})
}

// What is known of processors in a grove is true whenever somebody is answered: twins are twins, nobody is missing, and none
// would bring more than its bound. Some worlds have twins.
func TestTwinsAndBoundsAreTrue(t *testing.T) {
	defer policy.NothingIsSmall()()
	answers, some := 0, 0
	for seed := range uint64(40) {
		nodes, jobs, changes := bargains(seed)
		c, err := cluster.New(nodes, policy.Watching(func(twins int, wrong error) {
			if wrong != nil {
				t.Fatalf("world %d: %v", seed, wrong)
			}
			answers++
			if twins > 0 {
				some++
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.Run(context.Background(), c, workload.FromSlice(jobs), sim.Options{Changes: changes}); err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
	}
	if some < 100 {
		t.Errorf("of %d answers %d were given beside twins", answers, some)
	}
}

// asksAlike holds a policy against one that asks everybody, in one world.
func asksAlike(t *testing.T, seed uint64, name string, everybody policy.Policy) {
	t.Helper()
	kind, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := kind.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes, jobs, changes := bargains(seed)
	fast, err := cluster.New(nodes, chosen)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := cluster.New(nodes, everybody)
	if err != nil {
		t.Fatal(err)
	}
	w := &alike{fast: fast, slow: slow, rand: rand.New(rand.NewPCG(seed, 3))}
	if err := sim.Run(context.Background(), w, workload.FromSlice(jobs), sim.Options{Changes: changes}); err != nil {
		t.Fatalf("world %d: %v", seed, err)
	}
}

// alike is two clusters that are told the same and must say the same.
type alike struct {
	fast, slow *cluster.Cluster
	rand       *rand.Rand
}

func (w *alike) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	for i := range happened {
		if j := happened[i].Spec; j != nil && w.rand.IntN(8) == 0 {
			// Somebody asks first.
			got, no := w.fast.Quote(at, *j)
			want, not := w.slow.Quote(at, *j)
			if said, asked := fmt.Sprint(got, no), fmt.Sprint(want, not); said != asked {
				return nil, fmt.Errorf("a quote for job %d at %v is %s; asking everybody it is %s", j.ID, at, said, asked)
			}
		}
	}
	want, err := w.slow.Step(at, happened)
	if err != nil {
		return nil, err
	}
	said := tell(want)
	got, err := w.fast.Step(at, happened)
	if err != nil {
		return nil, err
	}
	now := tell(got)
	for i := range min(len(now), len(said)) {
		if now[i] != said[i] {
			return nil, fmt.Errorf("%s\nand asking everybody\n%s", now[i], said[i])
		}
	}
	if len(now) != len(said) {
		return nil, fmt.Errorf("%d events, and asking everybody %d", len(now), len(said))
	}
	return got, nil
}

func tell(events []market.Event) []string {
	said := make([]string, len(events))
	for i, e := range events {
		e.Spec = nil
		said[i] = fmt.Sprintf("%+v", e)
	}
	return said
}

// bargains is a world of a seed.
func bargains(seed uint64) ([]market.Node, []workload.Arrival, []sim.NodeChange) {
	draw := rand.New(rand.NewPCG(seed, 7))
	nodes := market.PlainNodes(1 + draw.IntN(40))
	if seed%5 == 1 {
		for i := range nodes {
			nodes[i].Rating = []float64{1, 2, 0.5}[draw.IntN(3)]
			nodes[i].Memory = int64(50 * (1 + draw.IntN(4)))
		}
	}
	var changes []sim.NodeChange
	if seed%7 == 2 {
		changes = []sim.NodeChange{{At: 20, Node: 0, Down: true}, {At: 60, Node: 0}}
	}
	// In the same number of worlds everything is whole and ties abound, or nothing is.
	number := func(n int) float64 {
		if seed%2 == 0 {
			return float64(1 + draw.IntN(n))
		}
		return 0.5 + draw.Float64()*float64(n)
	}
	crowd := 1 + draw.IntN(4)
	var jobs []workload.Arrival
	at := market.Time(0)
	for i := range 120 {
		if draw.IntN(crowd) == 0 {
			at += market.Time(number(4))
		}
		length := number(12)
		if draw.IntN(6) == 0 {
			length *= 20 // worth little, and there for long
		}
		j := market.Job{
			Name: fmt.Sprint(i), Submit: at, Width: int32(1 + draw.IntN(2)*draw.IntN(len(nodes))), Estimate: market.Work(length),
			SLA: market.SLA{Deadline: market.Time(length * (1 + number(12)/2)), Budget: market.Price(length * number(5)), Soft: draw.IntN(4) > 0},
		}
		if draw.IntN(3) > 0 {
			j.SLA.Penalty = market.Price(number(6) / 4)
		}
		if seed%11 == 3 && draw.IntN(10) == 0 {
			j.SLA.Deadline = market.Never
		}
		if seed%5 == 1 {
			j.Memory = int64(draw.IntN(3) * 30)
		}
		actual := j.Estimate
		if seed%3 == 0 {
			actual *= market.Work(1+draw.IntN(4)) / 4 // and estimates are too long
		}
		if seed%3 == 1 {
			actual *= market.Work(1+draw.IntN(8)) / 4 // or too short, as often as not
		}
		jobs = append(jobs, workload.Arrival{Job: j, Actual: actual})
	}
	return nodes, jobs, changes
}
