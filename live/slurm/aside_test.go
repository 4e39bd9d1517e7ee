package slurm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
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
		"of its own partition":    {change: func(r *limit.Reserved) { r.Partition = "libra" }},
		"just begun":              {change: func(r *limit.Reserved) { r.From = noon.Add(-time.Second) }},
		"begun now":               {change: func(r *limit.Reserved) { r.From = noon }},
		"not said of how many":    {change: func(r *limit.Reserved) { r.CPUs = 0 }},
		"said to be of some":      {change: func(r *limit.Reserved) { r.Partial = true }, says: "some processors"},
		"when to hand it in":      {change: func(r *limit.Reserved) { r.From = noon.Add(time.Second) }, says: "--begin=" + moment(noon.Add(2*time.Minute))},
		"begins after it":         {asks: trade.Request{BeginMS: minutes(70), DeadlineMS: minutes(80)}, says: "sooner than it would be done"},
		"as long as it lasts":     {asks: trade.Request{EstimateMS: minutes(58), DeadlineMS: minutes(100)}, says: "it may take until its deadline", most: minutes(58)},
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
			if over != nil && !strings.Contains(over.Detail, "reservation "+c.asks.Reservation) {
				t.Errorf("it is not said which one: %s", over.Detail)
			}
			if !b.mu.TryLock() {
				t.Fatal("nobody else is let in any more")
			}
			b.mu.Unlock()
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
	if ticket, over := b.Admit(t.Context(), "alice", &trade.Request{Reservation: "course", EstimateMS: 1000}, false); over != nil {
		t.Fatal(over)
	} else {
		b.Settle(ticket, 0)
	}
	if door, why := n.doorOf(noon); door != trade.DoorOpen || n.door != trade.DoorOpen {
		t.Errorf("set aside: %s, %s, told %s", door, why, n.door)
	}
	if !n.shutTo("") || !n.shutTo("other") || n.shutTo("course") {
		t.Error("it is open to others, or shut to who is in it")
	}
	if !b.mindsReserved(nil) {
		t.Error("nobody would notice that it ends")
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
	b.mu.Lock()
	b.syncNodes(noon)
	b.mu.Unlock()
	b.going.Wait()
	if n.hello.Reserved != "" {
		t.Errorf("the market believes that it is set aside for %s", n.hello.Reserved)
	}
	if b.mindsReserved(nil) {
		t.Error("it is asked for what is reserved, and nothing is")
	}
}

// What is reserved is asked for with the nodes as long as nothing was heard of it, while a node is
// reserved or set aside, and until one has begun that somebody has asked for, and not else.
func TestWhenItIsAskedWhatIsReserved(t *testing.T) {
	later := course()
	later.From = noon.Add(10 * time.Minute)
	b, n, slurm := reserving(t, later)
	now := noon
	b.cfg.Now = func() time.Time { return now }
	minds := func(want bool, when string, listed ...client.Node) {
		t.Helper()
		if b.mindsReserved(listed) != want {
			t.Errorf("%s it is asked for: %v", when, !want)
		}
	}
	b.aside = aside{}
	minds(true, "before anything was heard")
	if err := b.askReserved(t.Context()); err != nil {
		t.Fatal(err)
	}
	minds(false, "where no node is reserved yet", client.Node{Name: "n1"})
	minds(true, "where one is", client.Node{Name: "n1"}, client.Node{Name: "n2", Reserved: true})
	ask := trade.Request{Reservation: "course", EstimateMS: 1000, BeginMS: (11 * time.Minute).Milliseconds(), DeadlineMS: (20 * time.Minute).Milliseconds()}
	ticket, over := b.Admit(t.Context(), "alice", &ask, false)
	b.Settle(ticket, 0)
	if over != nil {
		t.Fatal(over)
	}
	minds(true, "while somebody waits for it")
	sooner := course()
	sooner.Name, sooner.From, sooner.Nodes = "sooner", noon.Add(time.Minute), []string{"n2"}
	slurm.Reserved = append(slurm.Reserved, sooner)
	ask.Reservation = "sooner"
	if _, over = b.Admit(t.Context(), "alice", &ask, false); over != nil {
		t.Fatal(over)
	}
	now = later.From.Add(onTime - 1)
	minds(true, "until the last of two has begun")
	now = now.Add(1)
	minds(false, "once it has to have been noticed")
	n.aside = "course"
	minds(true, "while a node is set aside")
}

// unanswering is a Slurm that does not say what is reserved.
type unanswering struct{ *model.Slurm }

func (unanswering) Reservations(context.Context) ([]limit.Reserved, error) {
	return nil, errors.New("slurmctld does not answer")
}

// Where Slurm does not say what is reserved nobody is promised any of it, and what was known stays.
func TestReservationsOfASlurmThatDoesNotAnswer(t *testing.T) {
	b, n, slurm := reserving(t, course())
	if err := b.askReserved(t.Context()); err != nil || n.aside != "course" {
		t.Fatalf("%v, %q", err, n.aside)
	}
	b.slurm = unanswering{slurm}
	if _, over := b.Admit(t.Context(), "alice", &trade.Request{Reservation: "course", EstimateMS: 1000}, false); over == nil || !strings.Contains(over.Detail, "is not known") {
		t.Errorf("it is promised: %+v", over)
	}
	if n.aside != "course" || b.reserved("course") == nil {
		t.Error("what was known is forgotten")
	}
	var s client.Submission
	if why, err := b.intoReservation(t.Context(), &task.Spec{Within: "course"}, &s); err == nil || why != "" || s.Reservation != "" {
		t.Errorf("%q, %v: %+v", why, err, s)
	}
	if why, err := b.intoReservation(t.Context(), &task.Spec{}, &s); err != nil || why != "" || s.Reservation != "" || s.Limit != 0 {
		t.Errorf("of a job in none: %q, %v: %+v", why, err, s)
	}
}

// A node is set aside for a reservation that jobs of the market can be in, whose time it is; a
// node that is not the market's, or that it cannot tell of, takes none of its jobs.
func TestWhichNodesAreSetAside(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*limit.Reserved)
		node   func(*node)
		aside  string
		open   int
	}{
		"plain":               {aside: "course", open: 1},
		"for maintenance":     {change: func(r *limit.Reserved) { r.Flags = []string{"MAINT"} }},
		"not yet":             {change: func(r *limit.Reserved) { r.From = noon.Add(1) }},
		"from now on":         {change: func(r *limit.Reserved) { r.From = noon }, aside: "course", open: 1},
		"until now":           {change: func(r *limit.Reserved) { r.Till = noon }},
		"nobody has said hey": {node: func(n *node) { n.hello = nil }, aside: "course"},
		"it is away":          {node: func(n *node) { n.membership = away }, aside: "course"},
		"it is ill":           {node: func(n *node) { n.health = ill }, aside: "course"},
		"it drains":           {node: func(n *node) { n.slurm.Draining = true }, aside: "course"},
	} {
		r := course()
		if c.change != nil {
			c.change(&r)
		}
		b, n, _ := reserving(t, r)
		if err := b.askReserved(t.Context()); err != nil || n.aside != c.aside {
			t.Errorf("%s: %v, it is set aside for %q", name, err, n.aside)
		}
		if c.node != nil {
			c.node(n)
		}
		if open, _ := b.tellAside(t.Context(), "course"); open != c.open {
			t.Errorf("%s: %d nodes take its jobs", name, open)
		}
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

// slow is a Slurm that says what was reserved when it was asked, and is let answer by and by.
type slow struct {
	*model.Slurm

	asked, answer chan struct{}
}

func (s slow) Reservations(ctx context.Context) ([]limit.Reserved, error) {
	all, err := s.Slurm.Reservations(ctx)
	s.asked <- struct{}{}
	<-s.answer
	return all, err
}

// Whoever asked before a reservation was made, and hears of it late, does not undo what is known.
func TestReservationsAreNotForgottenByWhoAskedBefore(t *testing.T) {
	b, n, slurm := reserving(t)
	late := slow{slurm, make(chan struct{}), make(chan struct{})}
	b.slurm = late
	heard := make(chan error)
	go func() { // with a listing of the nodes
		take, err := b.hearReserved(t.Context())
		b.mu.Lock()
		defer b.mu.Unlock()
		take()
		heard <- err
	}()
	<-late.asked
	b.slurm = slurm
	slurm.Reserved = []limit.Reserved{course()}
	if err := b.askReserved(t.Context()); err != nil || n.aside != "course" {
		t.Fatalf("%v, set aside for %q", err, n.aside)
	}
	close(late.answer)
	if err := <-heard; err != nil || n.aside != "course" {
		t.Errorf("%v, by an older answer it is set aside for %q", err, n.aside)
	}
	slurm.Reserved = nil
	if err := b.askReserved(t.Context()); err != nil || n.aside != "" {
		t.Errorf("%v, by a newer answer it is set aside for %q", err, n.aside)
	}
}

// unheeded is a market that is told something by who does not wait for its answer.
type unheeded struct{ *fakeMarket }

func (m unheeded) Turn(ctx context.Context, name string, door trade.Door, why string, ahead int64) error {
	if err := m.fakeMarket.Turn(ctx, name, door, why, ahead); err != nil {
		return err
	}
	return context.Canceled
}

func (m unheeded) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	w, err := m.fakeMarket.Hello(context.WithoutCancel(ctx), h)
	if ctx.Err() != nil {
		return task.Welcome{}, ctx.Err()
	}
	return w, err
}

// Nor is a node set aside for good by who goes away while the market is told of that.
func TestWhoGoesAwayLeavesNoNodeSetAside(t *testing.T) {
	b, n, _ := reserving(t, course())
	if err := b.askReserved(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.fleet = unheeded{b.fleet.(*fakeMarket)}
	ctx, away := context.WithCancel(t.Context())
	away()
	if b.tellAside(ctx, "course"); n.hello.Reserved != "course" {
		t.Error("the market has heard of it, and nobody knows that it did")
	}
}

// Who names a reservation and goes away while the market is told that its node drains does not leave it closed for good
// when it is resumed.
func TestWhoGoesAwayLeavesNoNodeClosed(t *testing.T) {
	b, n, _ := reserving(t, course())
	if err := b.askReserved(t.Context()); err != nil {
		t.Fatal(err)
	}
	if open, shut := b.tellAside(t.Context(), "course"); open != 1 {
		t.Fatal(shut)
	}
	market := b.fleet.(*fakeMarket)
	turn := func(drains bool) {
		b.mu.Lock()
		n.slurm.Draining = drains
		b.mu.Unlock()
		b.tellAside(t.Context(), "course")
	}
	b.fleet = unheeded{market}
	if turn(true); !market.member("n1").closed {
		t.Fatal("the market has not heard of it")
	}
	b.fleet = market
	if turn(false); market.member("n1").closed {
		t.Error("it is resumed, and the market was not told")
	}
}

// lazy is a Slurm that takes a second to say what is reserved, or half a minute to say nothing.
type lazy struct {
	*model.Slurm

	silent bool
	asked  *int
}

func (s lazy) Reservations(ctx context.Context) ([]limit.Reserved, error) {
	*s.asked++
	if s.silent {
		time.Sleep(30 * time.Second)
		return nil, client.ErrAway
	}
	time.Sleep(time.Second)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.Slurm.Reservations(ctx)
}

// However many requests name a reservation, Slurm is asked by one at a time, and who comes meanwhile has an answer of after
// they came; who goes away has nobody else told that there is none, and waits no longer.
func TestManyWhoNameReservationsAskOnce(t *testing.T) {
	for silent, want := range map[bool]struct {
		asked int
		took  time.Duration
	}{false: {2, 2 * time.Second}, true: {1, 30 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			b, n, slurm := reserving(t)
			asked := 0
			b.slurm = lazy{slurm, silent, &asked}
			first, away := context.WithCancel(t.Context())
			begun, said := time.Now(), make(chan error, 21)
			ask := func(ctx context.Context) { go func() { said <- b.askReserved(ctx) }() }
			ask(first)
			synctest.Wait()
			slurm.Mu.Lock()
			slurm.Reserved = []limit.Reserved{course()}
			slurm.Mu.Unlock()
			for range 20 {
				ask(t.Context())
			}
			gone, leave := context.WithCancel(t.Context())
			left := make(chan error)
			go func() { left <- b.askReserved(gone) }()
			synctest.Wait()
			away()
			leave()
			if err := <-left; err == nil || time.Since(begun) > 0 {
				t.Errorf("silent %v: who went away has waited for %v: %v", silent, time.Since(begun), err)
			}
			for range 21 {
				if err := <-said; (err != nil) != silent {
					t.Errorf("silent %v: %v", silent, err)
				}
			}
			if took := time.Since(begun); asked != want.asked || took != want.took || !silent && n.aside != "course" {
				t.Errorf("silent %v: it was asked %d times, in %v; set aside for %q", silent, asked, took, n.aside)
			}
			if err := b.askReserved(t.Context()); asked != want.asked+1 || (err != nil) != silent {
				t.Errorf("silent %v: later it was asked %d times in all: %v", silent, asked, err)
			}
		})
	}
}

// A node of which the market is being told is waited for: it is not one that takes no jobs.
func TestAReservationWaitsForTheMarket(t *testing.T) {
	for name, change := range map[string]func(n *node, busy bool){
		"it joins": func(n *node, busy bool) {
			if n.membership = member; busy {
				n.membership = joining
			}
		},
		"its door is turned": func(n *node, busy bool) { n.turning = busy },
	} {
		t.Run(name, func(t *testing.T) {
			b, n, _ := reserving(t, course())
			change(n, true)
			admitted := make(chan *limit.Excess)
			go func() {
				ticket, over := b.Admit(t.Context(), "alice", &trade.Request{Reservation: "course", EstimateMS: 1000}, false)
				b.Settle(ticket, 0)
				admitted <- over
			}()
			select {
			case over := <-admitted:
				t.Fatalf("it was decided before the market had answered: %+v", over)
			case <-time.After(3 * settlePause):
			}
			b.mu.Lock()
			change(n, false)
			b.mu.Unlock()
			if over := <-admitted; over != nil {
				t.Error(over)
			}
		})
	}
}

// As long as the market is being told of a node it is looked again, and no longer; each node is
// told of once.
func TestHowLongOneWaitsForTheMarket(t *testing.T) {
	for name, c := range map[string]struct {
		busy, stop time.Duration // until then; 0: not at all
		want       time.Duration
	}{
		"it has answered": {0, 0, 0},
		"it answers":      {2*settlePause + 1, 0, 3 * settlePause},
		"it does not":     {time.Hour, 0, (settleLooks - 1) * settlePause},
		"who asks stops":  {time.Hour, settlePause + 1, settlePause + 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, n, _ := reserving(t, course())
			if err := b.askReserved(t.Context()); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			ctx := t.Context()
			if c.stop > 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, c.stop)
				defer stop()
			}
			n.turning = c.busy > 0
			answer := time.AfterFunc(c.busy, func() {
				b.mu.Lock()
				n.turning = false
				b.mu.Unlock()
			})
			defer answer.Stop()
			if its := b.settled(ctx, "course"); len(its) != 1 || its[0] != n || time.Since(begun) != c.want {
				t.Errorf("%s: %d nodes after %s", name, len(its), time.Since(begun))
			}
		})
	}
}

// polled is a Slurm whose nodes may not be had, and that counts how often it is asked what is
// reserved.
type polled struct {
	*model.Slurm

	bad   error
	asked int
}

func (p *polled) Nodes(context.Context, string) ([]client.Node, error) {
	if p.bad != nil {
		return nil, p.bad
	}
	return []client.Node{{Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, nil
}

func (p *polled) Reservations(ctx context.Context) ([]limit.Reserved, error) {
	p.asked++
	return p.Slurm.Reservations(ctx)
}

// Together with the nodes it is heard what is reserved, where anybody minds; where the nodes are
// not heard of nothing is, and all stays as it was.
func TestWhatIsHeardWithTheNodes(t *testing.T) {
	b, n, slurm := reserving(t, course())
	p := &polled{Slurm: slurm}
	b.slurm, b.aside = p, aside{}
	look := func(when string, bad error, asked int, set string) {
		t.Helper()
		p.bad = bad
		if b.pollNodes(t.Context()); p.asked != asked || n.aside != set || !n.slurm.Up {
			t.Errorf("%s: asked %d times, set aside for %q, up %v", when, p.asked, n.aside, n.slurm.Up)
		}
	}
	look("nodes are not heard of", errors.New("slurmctld does not answer"), 0, "")
	look("at first", nil, 1, "course")
	slurm.Reserved = nil
	look("nodes are not heard of again", errors.New("slurmctld does not answer"), 1, "course")
	look("while a node is set aside", nil, 2, "")
	look("when nobody minds", nil, 2, "")
}

// What was seen of a node a moment ago refuses nobody: it is looked at once more, and who is refused is told why it takes
// no jobs.
func TestANodeOfAReservationIsLookedAtOnceMore(t *testing.T) {
	asks := &trade.Request{Reservation: "course", EstimateMS: 1000, DeadlineMS: 60_000}
	for _, drains := range []bool{false, true} {
		whole := course()
		whole.CPUs = 4 // as many as the model's nodes have
		b, n, slurm := reserving(t, whole)
		n.slurm.Draining, slurm.Drains["n1"], b.good = true, drains, noon
		e := b.within(t.Context(), "alice", asks)
		if (e != nil) != drains || e != nil && !strings.Contains(e.Detail, "of its nodes (n1) none takes jobs of it now: n1: it drains in Slurm") {
			t.Errorf("drains: %v: %+v", drains, e)
		}
	}
	b, n, _ := reserving(t, course())
	n.membership = away
	if e := b.within(t.Context(), "alice", asks); e == nil || !strings.Contains(e.Detail, "none is one of the market's, and not another reservation's as well") {
		t.Errorf("away: %+v", e)
	}
}
