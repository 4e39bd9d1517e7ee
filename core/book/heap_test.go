package book

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// The heap gives the first of those that still wait, though most have left from
// its middle and some wait again under a new ticket.
func TestHeapForgetsWhoLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap
		waiting := map[market.JobID]heapItem{}
		waits := func(s heapItem) bool { return waiting[s.id] == s }
		ticket := uint32(0)
		for range rapid.IntRange(1, 400).Draw(t, "operations") {
			id := market.JobID(rapid.IntRange(0, 80).Draw(t, "job"))
			if _, here := waiting[id]; here {
				delete(waiting, id)
				h.stale++
				h.prune(waits)
			} else {
				ticket++
				s := heapItem{key: float64(rapid.IntRange(0, 5).Draw(t, "key")), id: id, ticket: ticket}
				waiting[id] = s
				h.push(s)
			}
			first, any := heapItem{}, false
			for _, s := range waiting {
				if !any || s.before(first) {
					first, any = s, true
				}
			}
			if any && h.items[0] != first {
				t.Fatalf("first is %v, want %v", h.items[0], first)
			}
			if len(h.items) != len(waiting)+h.stale {
				t.Fatalf("%d items for %d that wait and %d that left", len(h.items), len(waiting), h.stale)
			}
			if h.stale > 64 && h.stale > 2*len(waiting)+1 {
				t.Fatalf("%d that left are kept for %d that wait", h.stale, len(waiting))
			}
		}
	})
}
