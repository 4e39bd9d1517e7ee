package roster_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
)

// announced are four nodes, of which three are somebody else's after 5, 3 and 4 seconds.
func announced() *roster.Roster {
	r := joined(task.Hello{Node: "n1"}, task.Hello{Node: "n2"}, task.Hello{Node: "n3"}, task.Hello{Node: "n4"})
	r.Census() // it is counted before, too
	for i, us := range []int64{5e6, 3e6, 4e6} {
		roster.Announce(r, i, us)
	}
	return r
}

// A job is not on nodes that are somebody else's before it may be done, beside those that it
// does not want; what it says is not changed for that.
func TestClear(t *testing.T) {
	r := announced()
	for _, c := range []struct {
		where *market.Where
		until int64
		want  string
	}{
		{nil, 3e6, ""},
		{nil, 3e6 + 1, "n2"},
		{nil, 6e6, "n1,n2,n3"},
		{&market.Where{Exclude: "x", Constraint: "ib"}, 3e6, "x"},
		{&market.Where{Exclude: "x", Constraint: "ib"}, 5e6, "n2,n3,x"},
		{&market.Where{Constraint: "ib"}, 4e6, "n2"},
	} {
		was := market.Where{}
		if c.where != nil {
			was = *c.where
		}
		got := roster.Clear(r.Census(), c.where, c.until)
		if c.where != nil && *c.where != was {
			t.Errorf("%+v became %+v", was, *c.where)
		}
		if got == nil {
			got = &market.Where{}
		}
		if got.Exclude != c.want || got.Constraint != was.Constraint {
			t.Errorf("%+v until %d: %+v, want %q", was, c.until, *got, c.want)
		}
	}
	if roster.Clear(r.Census(), nil, 3e6) != nil {
		t.Error("a job that may be anywhere is kept from nothing")
	}
	roster.Announce(r, 1, 0)
	if got := roster.Clear(r.Census(), nil, 4e6); got != nil {
		t.Errorf("it is nobody else's any more: %+v", got)
	}
}

// It is said which node is the first that a job cannot have, when, and how many more there are,
// of those that it may be on.
func TestSoon(t *testing.T) {
	r := announced()
	const sure = ": what is sure to be done before may be there"
	for _, c := range []struct {
		where      *market.Where
		now, until int64
		want       string
	}{
		{nil, 1e6, 3e6, ""},
		{nil, 1e6, 4e6, "so: node n2 is reserved for others in 2s" + sure},
		{nil, 1e6, 5e6, "so: node n2 is reserved for others in 2s, and 1 more by when it may be done" + sure},
		{nil, 1e6, 9e6, "so: node n2 is reserved for others in 2s, and 2 more by when it may be done" + sure},
		{&market.Where{Exclude: "n2"}, 1e6, 9e6, "so: node n3 is reserved for others in 3s, and 1 more by when it may be done" + sure},
		{&market.Where{Nodes: "n4"}, 1e6, 9e6, ""},
		{&market.Where{Nodes: "n2"}, 3e6 - 1000, 9e6, "so: node n2 is reserved for others in 0.001s" + sure},
		{&market.Where{Nodes: "n2"}, 3e6 - 999, 9e6, "so: node n2 is reserved for others now" + sure},
		{&market.Where{Nodes: "n2"}, 8e6, 9e6, "so: node n2 is reserved for others now" + sure},
	} {
		if got := roster.Soon(r.Census(), "so: ", c.where, c.now, c.until); got != c.want {
			t.Errorf("%+v at %d until %d: %q, want %q", c.where, c.now, c.until, got, c.want)
		}
	}
	roster.Announce(r, 2, 3e6) // as soon as the other: the first of them is named
	if got := roster.Soon(r.Census(), "", nil, 1e6, 4e6); got != "node n2 is reserved for others in 2s, and 1 more by when it may be done"+sure {
		t.Errorf("of two at the same time: %q", got)
	}
}

// Nodes are set aside for a reservation until the last of them has retired.
func TestSetAside(t *testing.T) {
	r := joined(task.Hello{Node: "n1"}, task.Hello{Node: "n2", Reserved: "course"})
	if !roster.SetAside(r.All(), "course") || roster.SetAside(r.All(), "other") || roster.SetAside(r.All()[:1], "course") {
		t.Error("a reservation has nodes that it has not, or none that it has")
	}
	r.Lower(1, "gone")
	if !roster.SetAside(r.All(), "course") {
		t.Error("a node that is down is not set aside any more")
	}
	r.At(1).Retired = true
	if roster.SetAside(r.All(), "course") {
		t.Error("a node that has retired is set aside")
	}
}
