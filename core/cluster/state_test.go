package cluster_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

func everyPolicy() (names []string) {
	for _, kind := range policy.Kinds() {
		names = append(names, kind.Name)
	}
	return names
}

func aPolicy(t *testing.T, name string) policy.Policy {
	t.Helper()
	kind, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kind.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// busy is a cluster in which something waits, runs, is reserved, was measured,
// released and has left, as far as its policy knows all that.
func busy(t *testing.T, name string) (*cluster.Cluster, []market.Node) {
	t.Helper()
	nodes := market.PlainNodes(5)
	nodes[1].Processors, nodes[1].Memory = 2, 100
	c, err := cluster.New(nodes, aPolicy(t, name))
	if err != nil {
		t.Fatal(err)
	}
	for id := range market.JobID(12) {
		j := job(id, market.Time(id), 5+market.Work(id%4), 40)
		j.Width, j.SLA.Penalty, j.Memory, j.SLA.Soft = 1+int32(id%3), 1, int64(10*(id%2)), id%3 == 1
		e := submitted(j)
		if id%4 == 3 {
			e = reserved(j)
		}
		step(t, c, market.Time(id), e)
		if s, here := c.Status(0, 0); id == 4 && here && s.Running {
			step(t, c, market.Time(id), market.Event{Kind: market.Released, Job: 0})
		}
		if s, here := c.Status(2, 0); id == 6 && here && s.Running {
			step(t, c, market.Time(id), extended(2, 1, market.Unlimited))
		}
		if _, here := c.Status(1, 0); id == 8 && here {
			step(t, c, market.Time(id), market.Event{Kind: market.Cancelled, Job: 1})
		}
	}
	step(t, c, 12, market.Event{Kind: market.NodeDown, Node: 4})
	return c, nodes
}

// A state that no cluster can be in is an error and nothing worse.
func TestBadStatesAreErrors(t *testing.T) {
	for name, spoil := range map[string]func(*book.State){
		"the same job twice":        func(s *book.State) { s.Running[1].ID = s.Running[0].ID },
		"one slot for two":          func(s *book.State) { s.Running[1].Slot = s.Running[0].Slot },
		"a slot that is not there":  func(s *book.State) { s.Running[0].Slot = 99 },
		"more slots":                func(s *book.State) { s.Slots++ },
		"an unknown processor":      func(s *book.State) { s.Running[0].Procs = "0-9" },
		"no set of processors":      func(s *book.State) { s.Running[0].Procs = "a-b" },
		"processors out of order":   func(s *book.State) { s.Running[0].Procs = "1,0" },
		"fewer processors":          func(s *book.State) { s.Running[0].Procs = "" },
		"too wide":                  func(s *book.State) { s.Running[0].Width = 7 },
		"a lost node":               func(s *book.State) { s.Nodes[0].Down = true },
		"other nodes":               func(s *book.State) { s.Nodes[0].Processors = 2 },
		"other ratings":             func(s *book.State) { s.Nodes[0].Rating = 2 },
		"more nodes than there are": func(s *book.State) { s.Nodes = append(s.Nodes, s.Nodes[0]) },
		"too much memory":           func(s *book.State) { s.Running[0].Memory = 1 << 40; s.Running[1].Memory = 1 << 40 },
		"a job that makes no sense": func(s *book.State) { s.Running[0].Estimate = -1 },
		"an unknown wish":           func(s *book.State) { s.Running[0].Objective = 9 },
		"a time that is none":       func(s *book.State) { s.Now = market.Time(math.NaN()) },
		"from the future":           func(s *book.State) { s.Running[0].Since = 99 },
		"numbers far apart":         func(s *book.State) { s.Running[0].ID = 1 << 60 },
		"alone among others":        func(s *book.State) { s.Running[0].Alone, s.Running[0].Apart = true, true },
		"without a task":            func(s *book.State) { s.Running[0].Apart = true; s.Running[0].Alone = false; s.Tasks = nil },
		"a task of nobody": func(s *book.State) {
			s.Tasks = append(s.Tasks, book.PileState{Proc: 1, Tasks: []book.TaskState{{Job: 77}}})
		},
		"tasks nowhere": func(s *book.State) { s.Tasks = append(s.Tasks, book.PileState{Proc: 77}) },
		"a latest start of nobody": func(s *book.State) {
			s.Latest = append(s.Latest, book.WaitState{At: 1e9, Job: 77})
		},
	} {
		for _, p := range []string{"libra", "libra-sla", "fcfs-bf"} {
			c, nodes := busy(t, p)
			s := c.State()
			if len(s.Book.Running) < 2 {
				t.Fatalf("%s: too quiet: %+v", p, s)
			}
			spoil(&s.Book)
			if _, err := cluster.Restore(nodes, aPolicy(t, p), s); err == nil || !errors.Is(err, book.ErrState) {
				t.Errorf("%s under %s: %v", name, p, err)
			}
		}
	}
	c, nodes := busy(t, "libra")
	if _, err := cluster.Restore(nodes[:2], aPolicy(t, "libra"), c.State()); !errors.Is(err, book.ErrState) {
		t.Errorf("nodes that have gone: %v", err)
	}
	if _, err := cluster.Restore(nil, aPolicy(t, "libra"), cluster.State{}); err == nil {
		t.Error("no nodes at all")
	}
}

// Whatever a state says that was changed at random, restoring it does not stop
// the program.
func TestSpoiledStatesDoNotPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	refused, restored := 0, 0
	for _, name := range everyPolicy() {
		c, nodes := busy(t, name)
		text, err := json.Marshal(c.State())
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			var tree any
			if err := json.Unmarshal(text, &tree); err != nil {
				t.Fatal(err)
			}
			for range 1 + r.IntN(3) {
				tree = spoiled(r, tree)
			}
			bad, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			var s cluster.State
			if json.Unmarshal(bad, &s) != nil {
				continue
			}
			again, err := cluster.Restore(nodes, aPolicy(t, name), s)
			if err != nil {
				refused++
				continue
			}
			restored++
			_ = again.State()
		}
	}
	if refused < 200 || restored < 50 {
		t.Errorf("%d refused, %d restored: that tests too little", refused, restored)
	}
}

// spoiled changes one leaf of a tree of JSON.
func spoiled(r *rand.Rand, tree any) any {
	switch x := tree.(type) {
	case map[string]any:
		names := make([]string, 0, len(x))
		for name := range x {
			names = append(names, name)
		}
		if len(names) == 0 {
			return x
		}
		slices.Sort(names)
		name := names[r.IntN(len(names))]
		x[name] = spoiled(r, x[name])
		return x
	case []any:
		if len(x) == 0 {
			return x
		}
		i := r.IntN(len(x))
		switch r.IntN(6) {
		case 0:
			return append(x[:i], x[i+1:]...)
		case 1:
			return append(x, x[i])
		}
		x[i] = spoiled(r, x[i])
		return x
	case float64:
		return []any{0.0, -1.0, 1.0, 2.0, 3.0, 7.0, 1e6, 1e18, x + 1, "NaN", "+Inf"}[r.IntN(11)]
	case bool:
		return !x
	case string:
		return []any{"", "0", "1", "0-1", "0-3", "9", "+Inf", "NaN", "-", x + "x"}[r.IntN(10)]
	}
	return tree
}

// A node that joins is used at the next step, and by nobody's leave but that of
// a later event: told down, it is down.
func TestANodeJoins(t *testing.T) {
	c := open(t, 1, "fifo", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 50)), submitted(job(1, 0, 10, 50)))
	two := market.PlainNodes(2)
	for name, x := range map[string]struct {
		happened []market.Event
		want     string
	}{
		"up":   {nil, "granted 1"},
		"down": {[]market.Event{{Kind: market.NodeDown, Node: 1}}, ""},
	} {
		grown, err := cluster.Restore(two, aPolicy(t, "fifo"), c.State())
		if err != nil {
			t.Fatal(err)
		}
		// Written down once more before it has planned, it still has to.
		if grown, err = cluster.Restore(two, aPolicy(t, "fifo"), grown.State()); err != nil {
			t.Fatal(err)
		}
		said := step(t, grown, 1, x.happened...)
		if words(said) != x.want {
			t.Errorf("%s: %s", name, words(said))
		}
		if len(said) > 0 && !said[0].Procs.Has(1) {
			t.Errorf("%s: %+v", name, said)
		}
	}
}

// After a plain restart nothing is said; under another policy, or another
// setting of the same, the next step plans afresh, on the terms of before.
func TestAnotherPolicyPlansAfresh(t *testing.T) {
	c := open(t, 1, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	kind, err := policy.Find("libra")
	if err != nil {
		t.Fatal(err)
	}
	frugal, err := kind.New(alone)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		policy policy.Policy
		want   string
	}{
		"the same":        {aPolicy(t, "libra"), ""},
		"another setting": {frugal, "granted 0"},
	} {
		again, err := cluster.Restore(market.PlainNodes(1), x.policy, c.State())
		if err != nil {
			t.Fatal(err)
		}
		// 5 s are left, and 15 s to go.
		said := step(t, again, 5)
		if words(said) != x.want || len(said) > 0 && !near(said[0].Speed, 5.0/15) {
			t.Errorf("%s: %+v", name, said)
		}
		if s, _ := again.Status(0, 5); s.Terms.Price != 10.5 || s.Terms.Finish != 20 {
			t.Errorf("%s: the terms are %+v", name, s.Terms)
		}
	}
	for _, first := range everyPolicy() {
		for _, second := range everyPolicy() {
			if (first == second) != (policy.Describe(aPolicy(t, first)) == policy.Describe(aPolicy(t, second))) {
				t.Errorf("%s and %s are described alike, or one of them in two ways", first, second)
			}
		}
	}
}

// spy is a policy that remembers why it was last asked to plan.
type spy struct {
	policy.Policy
	cause book.Cause
}

func (s *spy) Plan(v book.View, d *book.Draft) {
	s.cause = v.Cause()
	s.Policy.Plan(v, d)
}

// Only where something is new does a restored cluster plan for more than what
// happens, and it does not forget to if it is written down before.
func TestWhyARestoredClusterPlans(t *testing.T) {
	one, two := market.PlainNodes(1), market.PlainNodes(2)
	c, err := cluster.New(one, &spy{Policy: aPolicy(t, "libra")})
	if err != nil {
		t.Fatal(err)
	}
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	for _, x := range []struct {
		name  string
		nodes []market.Node
		spoil func(*cluster.State)
		want  book.Cause
	}{
		{"a plain restart", one, func(*cluster.State) {}, 0},
		{"a node has joined", two, func(*cluster.State) {}, book.NodesChanged},
		{"another policy", one, func(s *cluster.State) { s.Policy = "another" }, book.NodesChanged},
	} {
		s := c.State()
		x.spoil(&s)
		for range 2 {
			p := &spy{Policy: aPolicy(t, "libra")}
			again, err := cluster.Restore(x.nodes, p, s)
			if err != nil {
				t.Fatal(err)
			}
			s = again.State()
			step(t, again, 1)
			if p.cause != x.want {
				t.Errorf("%s: planned because of %b, want %b", x.name, p.cause, x.want)
			}
			step(t, again, 2)
			if p.cause != 0 {
				t.Errorf("%s: planned again because of %b", x.name, p.cause)
			}
		}
	}
}

// A policy goes on serving a cluster that was restored: what it has worked out
// about the processors before is not taken for what is there now.
func TestAPolicyServesARestoredCluster(t *testing.T) {
	p := aPolicy(t, "libra-sla")
	c, err := cluster.New(market.PlainNodes(1), p)
	if err != nil {
		t.Fatal(err)
	}
	step(t, c, 0, submitted(job(0, 0, 9, 10)))
	if _, err = c.Quote(0, *job(1, 0, 5, 10)); !reject(err, market.NotWorthIt) {
		t.Fatal(err)
	}
	if c, err = cluster.Restore(market.PlainNodes(1), p, c.State()); err != nil {
		t.Fatal(err)
	}
	step(t, c, 1, market.Event{Kind: market.Finished, Job: 0, Proc: 0, Work: 1})
	if said := step(t, c, 1, submitted(job(1, 1, 5, 10))); said[0].Kind != market.Accepted {
		t.Errorf("on an empty node: %s", words(said))
	}
}
