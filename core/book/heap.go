package book

import "github.com/libra-market/libra/core/market"

// heap gives the waiting job with the smallest (key, id). Jobs that left the
// queue stay in it until they come up or until they are the larger half:
// leaving from the middle of a queue is common and must not cost a search.
type heap struct {
	items []heapItem
	stale int
}

type heapItem struct {
	key    float64
	id     market.JobID
	slot   Slot
	ticket uint32 // of this wait: a job that waits again has another
}

func (a heapItem) before(b heapItem) bool {
	return a.key < b.key || a.key == b.key && a.id < b.id
}

func (h *heap) push(s heapItem) {
	h.items = append(h.items, s)
	i := len(h.items) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !s.before(h.items[up]) {
			break
		}
		h.items[i] = h.items[up]
		i = up
	}
	h.items[i] = s
}

func (h *heap) pop() {
	last := len(h.items) - 1
	s := h.items[last]
	h.items = h.items[:last]
	if last > 0 {
		h.down(0, s)
	}
}

func (h *heap) down(i int, s heapItem) {
	n := len(h.items)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h.items[child+1].before(h.items[child]) {
			child++
		}
		if !h.items[child].before(s) {
			break
		}
		h.items[i] = h.items[child]
		i = child
	}
	h.items[i] = s
}

// prune brings a job that still waits to the top, after some have left.
func (h *heap) prune(waits func(heapItem) bool) {
	for h.stale > 0 && len(h.items) > 0 && !waits(h.items[0]) {
		h.pop()
		h.stale--
	}
	if h.stale <= 64 || h.stale*2 < len(h.items) {
		return
	}
	kept := h.items[:0]
	for _, s := range h.items {
		if waits(s) {
			kept = append(kept, s)
		}
	}
	h.items, h.stale = kept, 0
	for i := len(kept)/2 - 1; i >= 0; i-- {
		h.down(i, kept[i])
	}
}
