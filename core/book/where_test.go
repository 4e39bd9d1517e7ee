package book

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
)

// A job that names thousands of nodes costs, once that is known, as much for each processor as
// one that names one: policies ask of all of them.
func TestLongListsAreNotReadForEachProcessor(t *testing.T) {
	v := New(market.Alike(market.Plain(), 2000)).View()
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("elsewhere%d", i))
	}
	ask := func(exclude string) time.Duration {
		j := &market.Job{Width: 1, Where: &market.Where{Exclude: exclude}}
		return least(func() {
			for proc := range v.Processors() {
				if !v.Room(proc, j) {
					t.Fatalf("no room on %d", proc)
				}
			}
		})
	}
	if one, many := ask("elsewhere"), ask(strings.Join(names, ",")); many > 20*one {
		t.Errorf("with 5,000 names %v, with one %v", many, one)
	}
}

// What each of a thousand jobs says of nodes is remembered as what ten of them say: policies go
// through all who wait, again and again.
func TestWhatManyJobsSayIsRemembered(t *testing.T) {
	v := New(market.Alike(market.Plain(), 2000)).View()
	ask := func(different int) time.Duration {
		jobs := make([]market.Job, 1000)
		for i := range jobs {
			jobs[i] = market.Job{Width: 1, Where: &market.Where{Exclude: fmt.Sprintf("elsewhere%d", i%different)}}
		}
		return least(func() {
			for i := range jobs {
				if !v.Room(i, &jobs[i]) {
					t.Fatalf("no room on %d", i)
				}
			}
		})
	}
	if few, many := ask(10), ask(1000); many > 20*few {
		t.Errorf("1,000 jobs that say as many things %v, ten things %v", many, few)
	}
}

// least is how long something takes when the machine does nothing else.
func least(do func()) time.Duration {
	least := time.Hour
	for range 20 {
		began := time.Now()
		do()
		least = min(least, time.Since(began))
	}
	return least
}

// Where nodes are set aside, a job may be on those of its reservation, or on those of none, and on
// no other, whatever else it asks for; and a market that has set none aside keeps everybody who
// asks for such away.
func TestWhoMayBeOnANodeThatIsSetAside(t *testing.T) {
	node := func(name, reserved string) market.Node {
		n := market.Plain()
		n.Name, n.Processors, n.Reserved = name, 1, reserved
		return n
	}
	in := func(w market.Where) *market.Where { return &w }
	for name, c := range map[string]struct {
		nodes []market.Node
		where *market.Where
		may   [2]bool
	}{
		"nothing is set aside, or asked for":  {[]market.Node{node("n1", ""), node("n2", "")}, nil, [2]bool{true, true}},
		"one is set aside":                    {[]market.Node{node("n1", ""), node("n2", "course")}, nil, [2]bool{true, false}},
		"the first is":                        {[]market.Node{node("n1", "course"), node("n2", "")}, nil, [2]bool{false, true}},
		"who is in it":                        {[]market.Node{node("n1", ""), node("n2", "course")}, in(market.Where{Reservation: "course"}), [2]bool{false, true}},
		"who is in another":                   {[]market.Node{node("n1", ""), node("n2", "course")}, in(market.Where{Reservation: "other"}), [2]bool{}},
		"who is in one that there is not":     {[]market.Node{node("n1", ""), node("n2", "")}, in(market.Where{Reservation: "course"}), [2]bool{}},
		"who names a node":                    {[]market.Node{node("n1", ""), node("n2", "")}, in(market.Where{Nodes: "n2"}), [2]bool{false, true}},
		"who names one that is set aside":     {[]market.Node{node("n1", ""), node("n2", "course")}, in(market.Where{Nodes: "n2"}), [2]bool{}},
		"who is in it, and names another":     {[]market.Node{node("n1", "course"), node("n2", "course")}, in(market.Where{Nodes: "n2", Reservation: "course"}), [2]bool{false, true}},
		"who excludes one of its reservation": {[]market.Node{node("n1", "course"), node("n2", "course")}, in(market.Where{Exclude: "n2", Reservation: "course"}), [2]bool{true, false}},
	} {
		p := newProcessors(market.Each(c.nodes))
		j := &market.Job{Width: 1, Where: c.where}
		for i, may := range c.may {
			if p.within(market.ProcsOf(i), j) != may {
				t.Errorf("%s: it may be on %s: %v", name, c.nodes[i].Name, !may)
			}
			if kept := p.kept(i, j); kept && p.roomNow(i, j) > 0 {
				t.Errorf("%s: there is room for it on %s, from which it is kept", name, c.nodes[i].Name)
			}
		}
	}
}
