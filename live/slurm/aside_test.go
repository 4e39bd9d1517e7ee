package slurm

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/slurm/model"
)

// reserving is a backend of one node, n1 with two processors, on a Slurm with reservations.
func reserving(t *testing.T, all ...limit.Reserved) (*Backend, *node, *model.Slurm) {
	t.Helper()
	b, n := idle(t, Agents)
	slurm := model.New(1, "n1")
	slurm.Reserved = all
	b.slurm = slurm
	b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
	if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, Runs: Runs}); err != nil {
		t.Fatal(err)
	}
	return b, n, slurm
}

func course() limit.Reserved {
	return limit.Reserved{Name: "course", From: noon.Add(-time.Hour), Till: noon.Add(time.Hour), Nodes: []string{"n1"}, Users: []string{"alice"}, CPUs: 2}
}

// Who names a reservation has its nodes set aside for it, or is told why not.
func TestWithinAReservation(t *testing.T) {
	minutes := func(n int64) int64 { return n * 60_000 }
	for name, c := range map[string]struct {
		change func(*limit.Reserved)
		asks   trade.Request
		user   string
		says   string // empty: it may
		most   int64
	}{
		"it may":                  {asks: trade.Request{DeadlineMS: minutes(58)}},
		"without a deadline":      {asks: trade.Request{EstimateMS: minutes(14)}},
		"there is none":           {asks: trade.Request{Reservation: "other"}, says: "Slurm has no reservation other"},
		"not bob's":               {user: "bob", says: "it is for others: users alice"},
		"too late":                {asks: trade.Request{DeadlineMS: minutes(59)}, says: "it may take until its deadline", most: minutes(58)},
		"too late for a guess":    {asks: trade.Request{EstimateMS: minutes(15)}, says: "four times its estimate", most: minutes(58)},
		"too long":                {asks: trade.Request{EstimateMS: minutes(59), DeadlineMS: minutes(100)}, says: "sooner than it would be done", most: minutes(58)},
		"it is over":              {change: func(r *limit.Reserved) { r.Till = noon }, says: "has ended"},
		"not begun":               {change: func(r *limit.Reserved) { r.From = noon.Add(time.Second) }, says: "begins at"},
		"begun by then":           {change: func(r *limit.Reserved) { r.From = noon.Add(time.Minute) }, asks: trade.Request{BeginMS: minutes(2), DeadlineMS: minutes(10)}},
		"begun, and hardly known": {change: func(r *limit.Reserved) { r.From = noon.Add(time.Minute) }, asks: trade.Request{BeginMS: minutes(2) - 1, DeadlineMS: minutes(10)}, says: "with --begin="},
		"later, and too late":     {change: func(r *limit.Reserved) { r.From = noon.Add(time.Minute) }, asks: trade.Request{BeginMS: minutes(20), DeadlineMS: minutes(39)}, says: "ends at", most: minutes(38)},
		"of another partition":    {change: func(r *limit.Reserved) { r.Partition = "plain" }, says: "it is of partition plain"},
		"of some processors":      {change: func(r *limit.Reserved) { r.CPUs = 1 }, says: "some processors"},
		"for maintenance":         {change: func(r *limit.Reserved) { r.Flags = []string{"MAINT"} }, says: "maintenance"},
		"elsewhere":               {change: func(r *limit.Reserved) { r.Nodes = []string{"n9"} }, says: "of its nodes (n9) none"},
	} {
		t.Run(name, func(t *testing.T) {
			r := course()
			if c.change != nil {
				c.change(&r)
			}
			b, n, _ := reserving(t, r)
			if c.asks.Reservation == "" {
				c.asks.Reservation = "course"
			}
			if c.asks.EstimateMS == 0 {
				c.asks.EstimateMS = 1000
			}
			if c.user == "" {
				c.user = "alice"
			}
			ticket, over := b.Admit(t.Context(), c.user, &c.asks, false)
			b.Settle(ticket, 0)
			if (over == nil) != (c.says == "") || over != nil && (!strings.Contains(over.Detail, c.says) || over.Most != c.most) {
				t.Fatalf("%+v", over)
			}
			if now := r.Active(noon) && b.oddity(&r) == "" && r.Nodes[0] == "n1"; over == nil && (n.hello.Reserved == "course") != now {
				t.Errorf("the market was told that it is set aside for %q", n.hello.Reserved)
			}
		})
	}
}

// A node of a reservation is open to it, not to others: who has not begun there is moved, or
// refused when the reservation is over; who is in it has no more time than it.
func TestANodeIsSetAside(t *testing.T) {
	b, n, slurm := reserving(t, course())
	n.slurm.Reserved = true
	if door, why := n.doorOf(noon); door != trade.DoorClosed || why != "it is reserved in Slurm" {
		t.Errorf("before anything is known of it: %s, %s", door, why)
	}
	n.shy, n.shyOf, n.why = noon.Add(shyFor), "course", "it is reserved later"
	if ticket, over := b.Admit(t.Context(), "alice", &trade.Request{Reservation: "course", EstimateMS: 1000}, false); over != nil {
		t.Fatal(over)
	} else {
		b.Settle(ticket, 0)
	}
	if door, why := n.doorOf(noon); door != trade.DoorOpen || n.door != trade.DoorOpen {
		t.Errorf("set aside: %s, %s, told %s", door, why, n.door)
	}
	if n.shyOf = "other"; n.slurm.Reserved {
		if door, _ := n.doorOf(noon); door != trade.DoorClosed {
			t.Error("it is open before another reservation")
		}
	}
	n.shy = time.Time{}
	if !n.shutTo("") || !n.shutTo("other") || n.shutTo("course") {
		t.Error("it is open to others, or shut to who is in it")
	}
	if !b.mindsReserved(nil) {
		t.Error("nobody would notice that it ends")
	}
	b.SteerClear(t.Context(), &trade.Request{EstimateMS: 1000})
	if door, _ := n.doorOf(noon); door != trade.DoorOpen {
		t.Error("it is closed by who is kept away anyway")
	}

	w1 := b.gate.wicket("libra")
	w1.asked = noon.Add(-time.Second) // and knows no more of it than it did
	w1.site = limit.Read(limit.Said{Reserved: []limit.Reserved{{Name: "of before", From: noon, Till: noon.Add(time.Hour), Nodes: []string{"n1"}}}})
	if last := b.lastReserved(t.Context(), "libra"); len(last) != 1 || last[0].Name != "course" {
		t.Errorf("what was reserved a second ago is believed to be: %+v", last)
	}
	w1.asked = noon
	if last := b.lastReserved(t.Context(), "libra"); len(last) != 1 || last[0].Name != "of before" {
		t.Errorf("what Slurm has said last is not believed: %+v", last)
	}
	w1.site = limit.Read(limit.Said{})

	s, spec := client.Submission{Limit: 3 * time.Hour}, task.Spec{Within: "course", DueUS: noon.Add(58 * time.Minute).UnixMicro()}
	if why, err := b.intoReservation(t.Context(), &spec, &s); why != "" || err != nil || s.Reservation != "course" || s.Limit != time.Hour {
		t.Errorf("%q, %v: %+v", why, err, s)
	}
	inIt := &run{binding: binding{Nodes: []string{"n1"}}, within: "course"}
	beside := &run{binding: binding{Nodes: []string{"n1"}}}
	if b.closedFor(inIt) || !b.closedFor(beside) || b.dissolved(inIt, noon) != "" || b.dissolved(beside, noon) != "" {
		t.Error("who is in it is to leave, or who is not stays")
	}
	other := course()
	other.Name, other.Flags = "other", []string{"FLEX"}
	slurm.Reserved = append(slurm.Reserved, other)
	if _, over := b.Admit(t.Context(), "alice", &trade.Request{Reservation: "course", EstimateMS: 1000}, false); over == nil || n.aside != "" {
		t.Errorf("a node of two reservations is sold to one: %+v", over)
	}
	slurm.Reserved = slurm.Reserved[:1]
	slurm.Reserved[0].Till = noon.Add(30 * time.Minute)
	if why, err := b.intoReservation(t.Context(), &spec, &s); !strings.Contains(why, "before the job is due") || err != nil {
		t.Errorf("it ends sooner by now: %q, %v", why, err)
	}
	slurm.Reserved = nil
	if why, err := b.intoReservation(t.Context(), &spec, &s); !strings.Contains(why, "gone from Slurm") || err != nil {
		t.Errorf("it is gone: %q, %v", why, err)
	}
	w := world{now: noon, orders: true, closed: b.closedFor(inIt), over: b.dissolved(inIt, noon)}
	inIt.orders = map[int]task.Order{0: {}}
	if next := inIt.decide(&w); next != report || inIt.end == nil || inIt.end.state != task.Refused || !strings.Contains(inIt.end.why, "hand it in again") {
		t.Errorf("it has not begun: %v, %+v", next, inIt.end)
	}
	if n.slurm.Reserved = false; n.aside != "" {
		t.Errorf("it is still set aside for %s", n.aside)
	}
	if door, _ := n.doorOf(noon); door != trade.DoorClosed {
		t.Error("it is open before the market has heard whose it is")
	}
	b.syncNodes(noon)
	b.going.Wait()
	if n.hello.Reserved != "" {
		t.Errorf("the market believes that it is set aside for %s", n.hello.Reserved)
	}
	if b.mindsReserved(nil) {
		t.Error("it is asked for what is reserved, and nothing is")
	}
}

// A reservation whose name the market has no word for keeps its nodes closed, and they stay in
// the market: what runs there, and was there before it, goes on.
func TestAReservationWithAnOddName(t *testing.T) {
	for _, name := range []string{"theory:2", "günther", strings.Repeat("r", 129)} {
		r := course()
		r.Name = name
		b, n, _ := reserving(t, r)
		n.slurm.Reserved = true
		if err := b.askReserved(t.Context()); err != nil {
			t.Fatal(err)
		}
		h := *n.hello
		n.equip(&h, true)
		if err := roster.Sound(&h); err != nil {
			t.Errorf("%s: the market does not take the node any more: %v", name, err)
		}
		if door, _ := n.doorOf(noon); door != trade.DoorClosed {
			t.Errorf("%s: its node is open to all", name)
		}
		if why := b.oddity(&r); !strings.Contains(why, "its name") {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// Where no agents are, too, a node is set aside, and given back when its reservation is over.
func TestANodeWithoutAnAgentIsGivenBack(t *testing.T) {
	b, n := idle(t, None)
	slurm := model.New(1, "n1")
	b.slurm = slurm
	listed := map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}
	look := func(want string, all ...limit.Reserved) {
		t.Helper()
		slurm.Reserved = all
		b.applyNodes(listed, noon)
		if err := b.askReserved(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 { // it is told, and opened
			b.mu.Lock()
			b.syncNodes(noon)
			b.mu.Unlock()
			b.going.Wait()
		}
		if door, why := n.doorOf(noon); n.hello == nil || n.hello.Reserved != want || door != trade.DoorOpen {
			t.Errorf("the market was told %+v, want %q; %s: %s", n.hello, want, door, why)
		}
	}
	look("")
	look("course", course())
	look("")
}
