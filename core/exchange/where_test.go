package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// openLabelled is a market of three nodes with two processors each: n1 is plain, n2 is fast,
// n3 is fast and has ib.
func openLabelled(t *testing.T, policy string) *floor {
	t.Helper()
	f := open(t, policy, 2)
	f.label("n2", "fast")
	f.label("n3", "fast,ib")
	return f
}

func (f *floor) label(name, features string) {
	f.do(trade.Command{Enlist: &task.Hello{Node: name, Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Features: features, Boot: "b"}})
}

// on are the nodes that a job has orders on.
func (f *floor) on(id int64) (on []string) {
	for _, name := range []string{"n1", "n2", "n3"} {
		if slices.ContainsFunc(f.x.Orders(name), func(o task.Order) bool { return o.Spec.Job == id }) {
			on = append(on, name)
		}
	}
	return on
}

// A job is on the nodes that it names, on none that it excludes, and on such as have the
// features that it asks for: under every policy, and quoted like that.
func TestJobsAreOnTheirNodes(t *testing.T) {
	for _, kind := range policy.Kinds() {
		if kind.Name == "hol-optimal" {
			continue // it admits by chance, and none of these
		}
		t.Run(kind.Name, func(t *testing.T) {
			for _, c := range []struct {
				r    trade.Request
				want string
			}{
				{trade.Request{Nodelist: []string{"n3"}}, "n3"},
				{trade.Request{Nodelist: []string{"n2", "n1"}, Exclude: []string{"n1"}}, "n2"},
				{trade.Request{Exclude: []string{"n1", "n2", "elsewhere"}}, "n3"},
				{trade.Request{Constraint: "fast&ib"}, "n3"},
				{trade.Request{Constraint: "ib|slow"}, "n3"},
				{trade.Request{Constraint: "fast", Exclude: []string{"n3"}}, "n2"},
				{trade.Request{Nodelist: []string{"n1", "n3"}, Processors: 4}, "n1 n3"},
			} {
				f := openLabelled(t, kind.Name)
				r := c.r
				r.EstimateMS, r.DeadlineMS, r.Budget, r.Processors = 10_000, 400_000, budget(300), max(2, r.Processors)
				f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 900_000, Budget: budget(300), Nodelist: []string{"n1"}})
				if strings.HasPrefix(c.want, "n1") { // a policy that gives whole processors has none left there
					f = openLabelled(t, kind.Name)
				}
				o := f.submit(alice, r)
				if o.Job == nil || o.Refusal != nil {
					t.Fatalf("%+v: %+v", c.r, o.Refusal)
				}
				if got := strings.Join(f.on(o.Job.ID), " "); got != c.want {
					t.Errorf("%+v is on %q, want %q", c.r, got, c.want)
				}
			}
		})
	}
}

// What no node is, and what the nodes that are named do not have, is refused with what there
// is, and on other nodes it may be had.
func TestNodesThatThereAreNot(t *testing.T) {
	f := openLabelled(t, "libra")
	for _, c := range []struct {
		r     trade.Request
		words string
	}{
		{trade.Request{Nodelist: []string{"n1", "n9"}}, "no node is called n9: there are n1, n2, n3"},
		{trade.Request{Constraint: "gpu"}, "no node has the feature gpu: there are fast, ib"},
		{trade.Request{Constraint: "fast", Nodelist: []string{"n1"}}, "there is no node that it may be on (n1, with fast)"},
		{trade.Request{Nodelist: []string{"n1"}, Processors: 3}, "it asks for 3 processors, and the nodes that it may be on have 2"},
		{trade.Request{Exclude: []string{"n1"}, Threads: 3}, "none of the nodes that it may be on has more than 2"},
	} {
		r := c.r
		r.EstimateMS, r.DeadlineMS = 10_000, 100_000
		o := f.submit(alice, r)
		if o.Refusal == nil || o.Refusal.Reason != market.CannotMeetResources.String() || !strings.Contains(o.Refusal.Detail, c.words) {
			t.Errorf("%+v: %+v", c.r, o.Refusal)
			continue
		}
		offered := slices.ContainsFunc(o.Refusal.Offers, func(o trade.Offer) bool { return o.Change == "nodes" && !o.Quote.Request.Chooses() })
		if fits := r.PerProgram() < 3; offered != fits {
			t.Errorf("%+v on any node is offered: %v, %+v", c.r, offered, o.Refusal.Offers)
		}
	}
	if o := f.submit(bob, trade.Request{EstimateMS: 90_000, DeadlineMS: 100_000, Processors: 2, Nodelist: []string{"n3"}}); o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	o := f.submit(alice, trade.Request{EstimateMS: 90_000, DeadlineMS: 100_000, Constraint: "ib"})
	if o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "on the nodes that it may be on (with ib)") {
		t.Errorf("%+v", o.Refusal)
	}
}

// Nobody is in the way of a job whose nodes are down.
func TestItsNodesAreDown(t *testing.T) {
	f := openLabelled(t, "libra")
	f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000})
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n3", Why: "burnt"}})
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000, Constraint: "ib"})
	if o.Refusal == nil || o.Refusal.Detail != "none of the nodes that it may be on is up (with ib)" {
		t.Errorf("%+v", o.Refusal)
	}
}

// Of an array as many elements run at a time as its nodes have processors.
func TestAnArrayOnItsNodes(t *testing.T) {
	f := openLabelled(t, "libra")
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 900_000, Budget: budget(300), Nodelist: []string{"n2"}, Array: &trade.Array{First: 1, Last: 6}})
	if o.Refusal != nil || o.Job.Width != 2 || strings.Join(f.on(o.Job.ID), " ") != "n2" {
		t.Errorf("%+v, %+v on %v", o.Refusal, o.Job, f.on(o.Job.ID))
	}
}

// A node that comes with other features is the same node: its jobs stay, and new ones find
// it by what it is now. A market that was restored knows it, too.
func TestANodeIsLabelledAnew(t *testing.T) {
	f := openLabelled(t, "libra")
	first := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Budget: budget(300), Constraint: "ib"})
	f.label("n3", "slow")
	f.label("n1", "ib")
	if got := f.on(first.Job.ID); strings.Join(got, " ") != "n3" || f.job(first.Job.ID).Attempt > 1 {
		t.Errorf("it is on %v: %+v", got, f.job(first.Job.ID))
	}
	next := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Budget: budget(300), Constraint: "ib"})
	if got := f.on(next.Job.ID); strings.Join(got, " ") != "n1" {
		t.Errorf("it is on %v: %+v", got, next.Refusal)
	}
}

// A job that loses its node begins again on one that it may be on, or not at all.
func TestAJobLosesANodeThatItNamed(t *testing.T) {
	f := openLabelled(t, "libra")
	moves := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 900_000, Budget: budget(300), Constraint: "fast", Processors: 2})
	stays := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 900_000, Budget: budget(300), Nodelist: f.on(moves.Job.ID)[:1]})
	lost := f.on(moves.Job.ID)[0]
	f.do(trade.Command{Node: &trade.NodeChange{Node: lost, Why: "burnt"}})
	for _, name := range f.on(moves.Job.ID) {
		if name == "n1" {
			t.Errorf("it is on %v", f.on(moves.Job.ID))
		}
	}
	if got := f.on(stays.Job.ID); len(got) > 0 && !slices.Equal(got, []string{lost}) {
		t.Errorf("it is on %v, and may be on %s alone", got, lost)
	}
}
