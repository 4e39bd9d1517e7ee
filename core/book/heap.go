package book

import "github.com/libra-market/libra/core/market"

// heap gives the waiting job with the smallest (key, id). Jobs that left the
// queue stay in it until they come up or until they are the larger half:
// leaving from the middle of a queue is common and must not cost a search.
type heap struct {
	slots []heapSlot
	stale int
}

type heapSlot struct {
	key    float64
	id     market.JobID
	seat   Seat
	ticket uint32 // of this wait: a job that waits again has another
}

func (a heapSlot) before(b heapSlot) bool {
	return a.key < b.key || a.key == b.key && a.id < b.id
}

func (h *heap) push(s heapSlot) {
	h.slots = append(h.slots, s)
	i := len(h.slots) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !s.before(h.slots[up]) {
			break
		}
		h.slots[i] = h.slots[up]
		i = up
	}
	h.slots[i] = s
}

func (h *heap) pop() {
	last := len(h.slots) - 1
	s := h.slots[last]
	h.slots = h.slots[:last]
	if last > 0 {
		h.down(0, s)
	}
}

func (h *heap) down(i int, s heapSlot) {
	n := len(h.slots)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h.slots[child+1].before(h.slots[child]) {
			child++
		}
		if !h.slots[child].before(s) {
			break
		}
		h.slots[i] = h.slots[child]
		i = child
	}
	h.slots[i] = s
}

// settle brings a job that still waits to the top, after some have left.
func (h *heap) settle(waits func(heapSlot) bool) {
	for h.stale > 0 && len(h.slots) > 0 && !waits(h.slots[0]) {
		h.pop()
		h.stale--
	}
	if h.stale <= 64 || h.stale*2 < len(h.slots) {
		return
	}
	kept := h.slots[:0]
	for _, s := range h.slots {
		if waits(s) {
			kept = append(kept, s)
		}
	}
	h.slots, h.stale = kept, 0
	for i := len(kept)/2 - 1; i >= 0; i-- {
		h.down(i, kept[i])
	}
}
