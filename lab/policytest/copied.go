package policytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/sim"
)

// copied: what is kept from event to event is what would be worked out anew. A copy that is made now and then, by
// writing the cluster down, under a policy that has seen nothing, is quoted the same and says the same to what happens next.
func copied(t *testing.T, w *world) {
	t.Helper()
	_, err := w.play(t, w.policy(t), nil, func(c *cluster.Cluster) sim.World {
		c.Punctual = w.seed%3 > 0
		return newFloor(w, &beside{Cluster: c, t: t, w: w, rand: rand.New(rand.NewPCG(w.seed, 11))})
	})
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
}

// beside is a cluster that is held against copies of itself.
type beside struct {
	*cluster.Cluster
	t    *testing.T
	w    *world
	rand *rand.Rand
}

func (b *beside) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	if b.rand.IntN(3) > 0 {
		return b.Cluster.Step(at, happened)
	}
	c, err := again(b.Cluster, b.w.nodes, b.w.policy(b.t))
	if err != nil {
		return nil, err
	}
	for i := range happened {
		if j := happened[i].Spec; j != nil {
			got, no := b.Cluster.Quote(at, *j)
			want, not := c.Quote(at, *j)
			if said, anew := fmt.Sprint(got, no), fmt.Sprint(want, not); said != anew {
				return nil, fmt.Errorf("at %v a quote for job %d is %s, and made anew %s", at, j.ID, said, anew)
			}
		}
	}
	events, err := c.Step(at, happened)
	if err != nil {
		return nil, err
	}
	want := words(events)
	if events, err = b.Cluster.Step(at, happened); err == nil {
		if got := words(events); !slices.Equal(got, want) {
			return nil, fmt.Errorf("at %v it says\n%v\nand made anew\n%v", at, got, want)
		}
	}
	return events, err
}

// words is what a cluster says. When it wants to be asked again is left out: it may wake for what has gone, for
// nothing, and a copy does not.
func words(events []market.Event) (said []string) {
	for _, e := range events {
		if e.Spec = nil; e.Kind != market.Wake {
			said = append(said, fmt.Sprintf("%+v", e))
		}
	}
	return said
}
