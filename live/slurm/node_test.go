package slurm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
	"github.com/libra-market/libra/live/store"
)

// idle is a backend that nobody runs, with one node that has one order.
func idle(t testing.TB, control Control) (*Backend, *node) {
	t.Helper()
	b, err := New(t.Context(), Config{Partition: "libra", Control: control, Now: func() time.Time { return noon }},
		newFakeMarket(1), model.New(1, "n1"), &fakeNotes{luck: newFakeMarket(1).luck, notes: map[string]store.Note{}})
	if err != nil {
		t.Fatal(err)
	}
	b.ctx = t.Context()
	n := b.node("n1")
	n.attention = awaited // by nobody
	b.applyOrders(n, &task.Desired{Version: 1, LeaseMS: 60_000, Orders: []task.Order{{
		Spec: task.Spec{Key: task.Key{Job: 5}, Size: 1, Nodes: []string{"n1"}, User: "ann", Argv: []string{"true"}}, CPU: 0.5,
	}}})
	return b, n
}

func TestWhenANodeIsLost(t *testing.T) {
	up := client.Node{Name: "n1", Up: true}
	for name, c := range map[string]struct {
		control Control
		is      client.Node
		gone    bool // from the partition
		runs    bool
		later   time.Duration
		silent  time.Duration
		want    string
	}{
		"well":                        {Agents, up, false, false, time.Hour, 0, ""},
		"down for a moment":           {Agents, client.Node{Name: "n1"}, false, true, 5 * time.Second, 0, ""},
		"down":                        {Agents, client.Node{Name: "n1", Reason: "no answer"}, false, true, 11 * time.Second, 0, "no answer"},
		"taken out":                   {Agents, up, true, true, 11 * time.Second, 0, "not in partition libra"},
		"drained, with nothing to do": {Agents, client.Node{Name: "n1", Up: true, Draining: true}, false, false, time.Hour, 0, ""},
		"drained, at work":            {Agents, client.Node{Name: "n1", Up: true, Draining: true}, false, true, time.Hour, 0, ""},
		"silent for less than it may": {Agents, up, false, true, 0, 67 * time.Second, ""},
		"silent":                      {Agents, up, false, true, 0, 69 * time.Second, "its agent has not been heard of"},
		"without an agent":            {None, up, false, true, 0, time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := idle(t, c.control)
			if c.runs {
				b.runs[runKey{5, 0}].state = running
			}
			listed := map[string]client.Node{"n1": c.is}
			if c.gone {
				listed = nil
			}
			b.silent = noon
			b.applyNodes(listed, noon)
			b.applyNodes(listed, noon.Add(c.later))
			n.heard = noon.Add(c.later - c.silent)
			switch got := b.lostReason(n, noon.Add(c.later)); {
			case c.want == "" && got != "":
				t.Errorf("lost because %q", got)
			case !strings.Contains(got, c.want) || c.want != "" && got == "":
				t.Errorf("lost because %q, want %q", got, c.want)
			}
		})
	}
}

// What Slurm said of a node counts while it goes on saying so: not what it said before it
// went away, or in its first moments.
func TestWhatSlurmSaidOfANodeIsNoLongerTrue(t *testing.T) {
	const well = time.Duration(-30) // then it says that the node is up
	at := func(seconds ...time.Duration) (all []time.Time) {
		for _, s := range seconds {
			all = append(all, noon.Add(s*time.Second))
		}
		return all
	}
	for name, c := range map[string]struct {
		said   []time.Time
		silent time.Duration // seconds after noon
		want   bool
	}{
		"it goes on saying so":       {at(0, 5, 10), -1, true},
		"it said so once":            {at(0), -1, false},
		"it was silent":              {at(0, 5, 10, 14), 5, false},
		"it was silent before that":  {at(0, 5, 10, 15), 5, true},
		"it was away for long":       {at(0, 5, 25), 5, false},
		"and says so again for long": {at(0, 5, 25, 35), 20, true},
		"it is slow":                 {at(0, 10, 20, 30, 40, 50, 59), 59, false},
		"and says so for a minute":   {at(0, 10, 20, 30, 40, 50, 60), 60, true},
		"it is slower":               {at(-60, -40, -20, 0, 20, 40), 40, false},
		"and says so six times":      {at(-60, -40, -20, 0, 20, 40, 60), 60, true},
		"it was well in between":     {at(-80, -60, -40, well, -20, 0, 20, 40), 40, false},
		"it was away for hours":      {at(0, 7200, 7201), 7200, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := idle(t, Agents)
			for _, said := range c.said {
				b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: said.Equal(noon.Add(well * time.Second))}}, said)
			}
			b.silent, n.heard = noon.Add(c.silent*time.Second), noon.Add(time.Minute)
			if got := b.lostReason(n, noon.Add(time.Minute)) != ""; got != c.want {
				t.Errorf("lost: %v, want %v", got, c.want)
			}
		})
	}
}

func TestWhoMayJoin(t *testing.T) {
	good := task.Hello{Node: "n1", Processors: 8, MemoryMB: 9999, Rating: 1, Speed: 1, Runs: Runs}
	b, n := idle(t, Agents)
	b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
	if _, err := b.Hello(t.Context(), good); err != nil || n.hello.Processors != 2 || n.hello.MemoryMB != 4000 {
		t.Errorf("%v: %+v", err, n.hello)
	}
	for name, h := range map[string]task.Hello{
		"an agent that runs jobs itself": {Node: "n1", Processors: 1, Rating: 1},
		"a node that Slurm has not":      {Node: "n9", Processors: 1, Rating: 1, Runs: Runs},
	} {
		if _, err := b.Hello(t.Context(), h); err == nil {
			t.Errorf("%s has joined", name)
		}
	}
	n.health = ill
	if _, err := b.Hello(t.Context(), good); err == nil {
		t.Error("a node that is down has joined")
	}
	if b, _ = idle(t, None); b.cfg.Control == None {
		if _, err := b.Hello(t.Context(), good); err == nil {
			t.Error("an agent has joined where none is wanted")
		}
	}
}

func TestAgentsHearOfJobsThatAreInSlurm(t *testing.T) {
	b, n := idle(t, Agents)
	b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true}}, noon)
	if _, err := b.Desired(t.Context(), "n1", -1, 0); err == nil {
		t.Error("a node that has not registered got orders")
	}
	if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 1, Rating: 1, Speed: 1, Runs: Runs}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Desired(t.Context(), "n1", -1, 0)
	if err != nil || len(d.Orders) != 0 {
		t.Errorf("before it is in Slurm: %+v, %v", d.Orders, err)
	}
	got := make(chan task.Desired)
	go func() {
		d, _ := b.Desired(context.Background(), "n1", d.Version, time.Minute)
		got <- d
	}()
	r := b.runs[runKey{5, 0}]
	b.mu.Lock()
	b.assignID(r, 77)
	b.mu.Unlock()
	if d = <-got; len(d.Orders) != 1 || d.Orders[0].Batch != "77" || d.Orders[0].CPU != 0.5 {
		t.Errorf("when it is in Slurm: %+v", d.Orders)
	}
	said := task.Status{Key: task.Key{Job: 5}, State: task.Running, CPUUS: 3, Batch: "76"}
	if _, err = b.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{said}}); err != nil || r.used() {
		t.Errorf("another Slurm job's words were taken for its own: %v", err)
	}
	// Another node that knows its number has no say in it.
	said.Batch = "77"
	b.node("n2").hello = &task.Hello{Node: "n2"}
	if _, err = b.Report(t.Context(), task.Report{Node: "n2", Tasks: []task.Status{said}}); err != nil || r.used() {
		t.Errorf("another node's words were taken for its own: %v", err)
	}
	if _, err = b.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{said}}); err != nil || !r.used() || n.reported != noon {
		t.Errorf("its agent was not heard: %v", err)
	}
	// What ended there and is not known here need not be said again.
	old := task.Status{Key: task.Key{Job: 4}, State: task.Lost, Batch: "70"}
	if reply, err := b.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{old}}); err != nil || len(reply.Forget) != 1 {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestNumbersThatAreGivenOutAgain(t *testing.T) {
	b, _ := idle(t, Agents)
	r := b.runs[runKey{5, 0}]
	b.assignID(r, 7)
	mine := client.Job{ID: 7, User: "ann", Comment: b.commentOf(r), Submitted: 100, State: client.Pending}
	if b.runOf(&mine) != r {
		t.Error("not known by its nonce")
	}
	r.observeJob(&mine, noon)
	renamed := mine
	renamed.Comment = "I changed it"
	if b.runOf(&renamed) != r {
		t.Error("not known by its number and time")
	}
	other := client.Job{ID: 7, User: "bob", Comment: "mine", Submitted: 200}
	if b.runOf(&other) != nil {
		t.Error("another job of that number was taken for it")
	}
	r.forget()
	b.releaseID(7, r)
	copied := mine
	copied.ID, copied.User = 8, "bob"
	if b.runOf(&copied) != nil {
		t.Error("another user's job was taken for it")
	}
}

// What a user says of a job stands behind the mark by which it is known again.
func TestWhatAUserSaysOfAJobIsShown(t *testing.T) {
	b, _ := idle(t, Agents)
	r := b.runs[runKey{5, 0}]
	for said, want := range map[string]string{"": "", "project 17": " project 17", " two\nlines:\t3 ": " two lines: 3", strings.Repeat("ä", 600): " " + strings.Repeat("ä", 450)} {
		got := withText(b.commentOf(r), said)
		if got != b.commentOf(r)+want {
			t.Errorf("%q: %q", said, got)
		}
		if key, nonce, mine := b.parseComment(got); !mine || key != r.key || nonce != r.nonce {
			t.Errorf("%q is not known again: %v %q", got, key, nonce)
		}
	}
}

// A node whose agent is silent takes no new jobs, long before it is lost: they would not be begun.
// An agent that waits for news says nothing, and is there.
func TestASilentNodeIsNotSold(t *testing.T) {
	b, n := idle(t, Agents)
	n.hello = &task.Hello{Node: "n1", Agent: "1"}
	at := func(later time.Duration) trade.Door {
		b.mu.Lock()
		defer b.mu.Unlock()
		door, why := n.doorOf(n.heard.Add(later))
		if (door == trade.DoorClosed) != strings.Contains(why, "its agent has not been heard of") {
			t.Errorf("%s because %q", door, why)
		}
		return door
	}
	if door := at(deafAfter - 1); door != trade.DoorOpen {
		t.Errorf("for less than %s it is %s", deafAfter, door)
	}
	if door := at(deafAfter); door != trade.DoorClosed {
		t.Errorf("after %s it is %s", deafAfter, door)
	}
	gone := b.listens("n1")
	if door := at(time.Minute); door != trade.DoorOpen {
		t.Errorf("while its agent listens it is %s", door)
	}
	gone()
	if door := at(time.Minute); door != trade.DoorClosed {
		t.Errorf("after its agent has listened it is %s", door)
	}
	b.listens("unknown")()
	if n.hello.Agent = noAgent; at(time.Hour) != trade.DoorOpen {
		t.Error("one without an agent is closed")
	}
}

// A market that is started anew knows its nodes from before. One that drains meanwhile, or whose agent
// does not come, is not sold, though nobody has introduced it; none is opened before somebody has.
func TestANodeThatNobodyIntroducesIsNotSold(t *testing.T) {
	for _, c := range []struct {
		what    string
		drains  bool
		control Control
		later   time.Duration
		want    trade.Door
	}{
		{"it drains", true, Agents, 0, trade.DoorClosed},
		{"its agent does not come", false, Agents, deafAfter, trade.DoorClosed},
		{"its agent may come", false, Agents, deafAfter - 1, ""},
		{"it has none, and is introduced from here", true, None, deafAfter, ""},
	} {
		b, n := idle(t, c.control)
		told := &doors{Fleet: b.fleet}
		b.fleet, b.ctx = told, t.Context()
		b.mu.Lock()
		n.hello, n.attention, n.door = nil, instructed, ""
		n.slurm.Draining = c.drains
		b.turnNode(n, n.heard.Add(c.later))
		b.mu.Unlock()
		b.going.Wait()
		if told.door != c.want || n.door != c.want {
			t.Errorf("%s: the market is told %q, noted is %q, want %q", c.what, told.door, n.door, c.want)
		}
	}
}

// doors is a market that notes what it is told of doors.
type doors struct {
	Fleet
	door trade.Door
}

func (d *doors) Turn(_ context.Context, _ string, door trade.Door, _ string, _ int64) error {
	d.door = door
	return nil
}

// strict is a market that takes no node.
type strict struct{ Fleet }

func (strict) Hello(context.Context, task.Hello) (task.Welcome, error) {
	return task.Welcome{}, market.Wrong("speed", "another")
}

// Who calls and is refused is no agent of the node: it is not heard of by that.
func TestARefusedAgentIsNotHeardOf(t *testing.T) {
	b, n := idle(t, Agents)
	before := noon.Add(-time.Minute)
	n.heard, b.fleet = before, strict{b.fleet}
	if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Runs: Runs}); err == nil || !n.heard.Equal(before) {
		t.Errorf("%v: it was heard at %v, want %v", err, n.heard, before)
	}
}
