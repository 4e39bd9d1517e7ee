package slurm

import (
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// A node that is reserved before a job could be done is closed before anything is promised;
// a shorter one is sold there, with a time limit that ends before.
func TestNodesThatAreReservedLater(t *testing.T) {
	for name, c := range map[string]struct {
		from, till time.Duration
		asks       trade.Request
		closed     bool
	}{
		"done before":                  {time.Hour, 2 * time.Hour, trade.Request{EstimateMS: 60_000, DeadlineMS: 50 * 60_000}, false},
		"not done before":              {time.Hour, 2 * time.Hour, trade.Request{EstimateMS: 60_000, DeadlineMS: 59 * 60_000}, true},
		"no deadline, done before":     {time.Hour, 2 * time.Hour, trade.Request{EstimateMS: 10 * 60_000}, false},
		"no deadline, not done before": {time.Hour, 2 * time.Hour, trade.Request{EstimateMS: 15 * 60_000}, true},
		"it has begun":                 {-time.Hour, time.Hour, trade.Request{EstimateMS: 1000, DeadlineMS: 1000}, true},
		"it is over":                   {-time.Hour, 0, trade.Request{EstimateMS: 1000, DeadlineMS: 10 * 3600_000}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := idle(t, Agents)
			b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
			if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, Runs: Runs}); err != nil {
				t.Fatal(err)
			}
			n.door = trade.DoorOpen
			w := b.gate.wicket("libra")
			w.site, w.asked = limit.Read(limit.Said{Reserved: []limit.Reserved{
				{Name: "works", From: noon.Add(c.from), Till: noon.Add(c.till), Nodes: []string{"n1", "n9"}},
			}}), noon
			b.SteerClear(t.Context(), &c.asks)
			if got := n.door == trade.DoorClosed; got != c.closed {
				t.Errorf("closed: %v", got)
			}
			if door, why := n.doorOf(noon); (door == trade.DoorClosed) != c.closed || c.closed && why != "it is reserved in Slurm (works) from "+noon.Add(c.from).UTC().Format(time.RFC3339)+" on" {
				t.Errorf("%s: %s", door, why)
			}
			if door, _ := n.doorOf(noon.Add(shyFor)); door != trade.DoorOpen {
				t.Error("it stays closed")
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
