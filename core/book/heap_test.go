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
		waiting := map[market.JobID]heapSlot{}
		waits := func(s heapSlot) bool { return waiting[s.id] == s }
		ticket := uint32(0)
		for range rapid.IntRange(1, 400).Draw(t, "operations") {
			id := market.JobID(rapid.IntRange(0, 80).Draw(t, "job"))
			if _, here := waiting[id]; here {
				delete(waiting, id)
				h.stale++
				h.settle(waits)
			} else {
				ticket++
				s := heapSlot{key: float64(rapid.IntRange(0, 5).Draw(t, "key")), id: id, ticket: ticket}
				waiting[id] = s
				h.push(s)
			}
			first, any := heapSlot{}, false
			for _, s := range waiting {
				if !any || s.before(first) {
					first, any = s, true
				}
			}
			if any && h.slots[0] != first {
				t.Fatalf("first is %v, want %v", h.slots[0], first)
			}
			if len(h.slots) != len(waiting)+h.stale {
				t.Fatalf("%d slots for %d that wait and %d that left", len(h.slots), len(waiting), h.stale)
			}
			if h.stale > 64 && h.stale > 2*len(waiting)+1 {
				t.Fatalf("%d that left are kept for %d that wait", h.stale, len(waiting))
			}
		}
	})
}
