package slurm

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// The market knows of each node from when on it is reserved before anything is promised, and who
// asks closes it to nobody; what is sold there has a time limit that ends before.
func TestNodesThatAreReservedLater(t *testing.T) {
	for name, c := range map[string]struct {
		from, till time.Duration
		aside      string
		ahead      time.Duration
		told       bool
	}{
		"later":               {time.Hour, 2 * time.Hour, "", time.Hour - reservedSlack, true},
		"it has begun":        {-time.Hour, time.Hour, "", -time.Hour - reservedSlack, true},
		"it is set aside":     {-time.Hour, time.Hour, "works", 0, false},
		"it is over":          {-time.Hour, 0, "", 0, false},
		"set aside otherwise": {time.Hour, 2 * time.Hour, "other", time.Hour - reservedSlack, true},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := idle(t, Agents)
			b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
			if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, Runs: Runs}); err != nil {
				t.Fatal(err)
			}
			n.aside, n.hello.Reserved, n.door = c.aside, c.aside, trade.DoorOpen
			w := b.gate.wicket("libra")
			w.site, w.asked = limit.Read(limit.Said{Reserved: []limit.Reserved{
				{Name: "works", From: noon.Add(c.from), Till: noon.Add(c.till), Nodes: []string{"n1", "n9"}},
			}}), noon
			b.Announce(t.Context(), &trade.Request{EstimateMS: 1000, DeadlineMS: 3600_000_000})
			want := int64(0)
			if c.told {
				want = noon.Add(c.ahead).UnixMicro()
			}
			told := b.fleet.(*fakeMarket).member("n1")
			if told.ahead != want || told.closed {
				t.Errorf("it is reserved from %d on, want %d; closed: %v", told.ahead, want, told.closed)
			}
			if door, why := n.doorOf(noon); door != trade.DoorOpen {
				t.Errorf("who asks closes it to all: %s", why)
			}
			if n.aheadTold != want || n.turning {
				t.Error("it would be told again")
			}
			w.site = limit.Read(limit.Said{}) // it was called off
			if b.Announce(t.Context(), &trade.Request{EstimateMS: 1}); told.ahead != 0 {
				t.Error("the market believes that it is still reserved")
			}
		})
	}
	b, _ := idle(t, Agents)
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{Reserved: []limit.Reserved{{From: noon.Add(time.Hour), Till: noon.Add(2 * time.Hour), Nodes: []string{"n1"}}}}), noon
	due := func(d time.Duration) int64 { return noon.Add(d).UnixMicro() }
	for name, c := range map[string]struct {
		nodes []string
		due   int64
		limit time.Duration
		want  time.Duration
	}{
		"elsewhere":             {[]string{"n2"}, due(time.Minute), 3 * time.Hour, 3 * time.Hour},
		"due before":            {[]string{"n2", "n1"}, due(50 * time.Minute), 100 * time.Minute, 59 * time.Minute},
		"short enough as it is": {[]string{"n1"}, due(time.Minute), 11 * time.Minute, 11 * time.Minute},
		"due later":             {[]string{"n1"}, due(2 * time.Hour), 4 * time.Hour, 4 * time.Hour},
		"never due":             {[]string{"n1"}, 0, 0, 59 * time.Minute},
	} {
		if got := b.beforeReserved(t.Context(), c.nodes, c.due, c.limit); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A node that the market does not have, or was told nothing of yet, is told with the rest; and who
// was not heard, or not alone, says it again.
func TestWhoIsToldOfWhatIsReserved(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *Backend, n *node)
		told   bool
		unsure bool
	}{
		"told":              {func(*Backend, *node) {}, true, false},
		"no door yet":       {func(_ *Backend, n *node) { n.door = "" }, false, true},
		"no hello yet":      {func(_ *Backend, n *node) { n.hello = nil }, false, false},
		"no member":         {func(_ *Backend, n *node) { n.membership = away }, false, false},
		"nothing new":       {func(_ *Backend, n *node) { n.aheadTold = noon.Add(time.Hour - reservedSlack).UnixMicro() }, false, false},
		"told at that time": {func(_ *Backend, n *node) { n.turning = true }, true, true},
		"not heard":         {func(b *Backend, _ *node) { b.fleet = deafFleet{b.fleet} }, false, true},
	} {
		b, n := idle(t, Agents)
		b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
		if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, Runs: Runs}); err != nil {
			t.Fatal(err)
		}
		n.door = trade.DoorOpen
		market := b.fleet.(*fakeMarket)
		market.member("n1").ahead = 1 // so that it shows who is told
		c.change(b, n)
		w := b.gate.wicket("libra")
		w.site, w.asked = limit.Read(limit.Said{Reserved: []limit.Reserved{{Name: "works", From: noon.Add(time.Hour), Till: noon.Add(2 * time.Hour), Nodes: []string{"n1"}}}}), noon
		b.Announce(t.Context(), &trade.Request{EstimateMS: 1000})
		if told := market.member("n1").ahead != 1; told != c.told {
			t.Errorf("%s: told %v", name, told)
		}
		if (n.door == "") != c.unsure || c.told && (n.aheadTold == unheard) != c.unsure {
			t.Errorf("%s: the door is %q, and %d was heard", name, n.door, n.aheadTold)
		}
		if len(b.aside.last) != 1 {
			t.Errorf("%s: what was reserved is not known at the next look: %v", name, b.aside.last)
		}
	}
}

// deafFleet does not hear what it is told of doors.
type deafFleet struct{ Fleet }

func (deafFleet) Turn(context.Context, string, trade.Door, string, int64) error {
	return errors.New("the market is away")
}
