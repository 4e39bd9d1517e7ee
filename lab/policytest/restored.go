package policytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
)

// restored: a cluster that is written down and put together again, at any
// moment and under a policy made just then, says what it would have said.
func restored(t *testing.T, w *world) {
	t.Helper()
	var sums [2]uint64
	for i := range sums {
		sum, err := w.play(t, w.policy(t), nil, func(c *cluster.Cluster) sim.World {
			c.Punctual = w.seed%3 > 0
			if i == 0 {
				return newFloor(w, c)
			}
			return newFloor(w, &interrupted{Cluster: c, t: t, w: w, rand: rand.New(rand.NewPCG(w.seed, 3))})
		})
		if err != nil {
			t.Fatalf("%v: %v", w, err)
		}
		sums[i] = sum
	}
	if sums[0] != sums[1] {
		t.Errorf("%v: after having been restored it says something else", w)
	}
}

// interrupted is a cluster that is stopped and restored now and then.
type interrupted struct {
	*cluster.Cluster
	t    *testing.T
	w    *world
	rand *rand.Rand
}

func (i *interrupted) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	if i.rand.IntN(6) == 0 {
		c, err := again(i.Cluster, i.w.nodes, i.w.policy(i.t))
		if err != nil {
			return nil, err
		}
		i.Cluster = c
	}
	return i.Cluster.Step(at, happened)
}

// again writes a cluster down and restores it, on nodes that may be more than
// it had.
func again(c *cluster.Cluster, nodes []market.Node, p policy.Policy) (*cluster.Cluster, error) {
	state := c.State()
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	var read cluster.State
	if err = json.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	then, err := cluster.Restore(nodes, p, read)
	if err != nil {
		return nil, err
	}
	if len(nodes) > len(state.Book.Nodes) {
		return then, nil
	}
	found := then.State()
	found.Book.Version = state.Book.Version // of caches: it only has to be another
	if now, err := json.Marshal(found); err != nil || !bytes.Equal(now, text) {
		return nil, fmt.Errorf("restored from\n%s\nit is\n%s (%w)", text, now, err)
	}
	return then, nil
}

// joins: nodes that join one by one are used, and no promise is broken.
func joins(t *testing.T, w *world) {
	t.Helper()
	// Under qops a promise is made for the slowest processor there is: one that
	// is slower still and joins later is not in it.
	w.exact = w.exact && (w.even || w.kind.Name != "qops")
	w.giveBack() // those that a job is to be on may never join
	o := newWatcher(w)
	first := 1 + int(market.Signed(w.seed%market.Bits(len(w.nodes))))
	_, err := w.play(t, w.policy(t), o.see, func(*cluster.Cluster) sim.World {
		c, err := cluster.New(w.nodes[:first], w.policy(t))
		if err != nil {
			t.Fatalf("%v: %v", w, err)
		}
		return &joining{Cluster: c, w: w, nodes: first, policy: w.policy(t), down: make([]bool, len(w.nodes)), rand: rand.New(rand.NewPCG(w.seed, 4))}
	})
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	o.report(t)
}

// joining is a cluster that grows. Its policy stays the same.
type joining struct {
	*cluster.Cluster
	w      *world
	policy policy.Policy
	rand   *rand.Rand
	nodes  int
	down   []bool // as the world says, also of those that have not joined
}

func (j *joining) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	var inputs []market.Event
	if j.nodes < len(j.w.nodes) && j.rand.IntN(8) == 0 {
		j.nodes++
		c, err := again(j.Cluster, j.w.nodes[:j.nodes], j.policy)
		if err != nil {
			return nil, err
		}
		j.Cluster = c
		if j.down[j.nodes-1] {
			inputs = append(inputs, market.Event{Kind: market.NodeDown, Node: market.Int32(j.nodes - 1)})
		}
	}
	for _, e := range happened {
		if e.Kind == market.NodeDown || e.Kind == market.NodeUp {
			j.down[e.Node] = e.Kind == market.NodeDown
			if int(e.Node) >= j.nodes {
				continue
			}
		}
		inputs = append(inputs, e)
	}
	return j.Cluster.Step(at, slices.Clip(inputs))
}

// haggles: what was promised is kept while others reserve, confirm, ask for more
// and over-run.
func haggles(t *testing.T, w *world, count *floor) {
	t.Helper()
	o := newWatcher(w)
	var f *floor
	_, err := w.play(t, w.policy(t), o.see, func(c *cluster.Cluster) sim.World {
		c.Punctual = true
		f = newFloor(w, c)
		f.void = func(id market.JobID) { o.jobs[id].void, o.jobs[id].promised = true, market.Never }
		return f
	})
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	o.report(t)
	count.confirmed += f.confirmed
	count.prolonged += f.prolonged
	count.overran += f.overran
	count.released += f.released
	count.fulfilled += f.fulfilled
}
