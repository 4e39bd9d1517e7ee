package grid

import "github.com/libra-market/libra/core/market"

// heap gives the first of some jobs, by an order of its own, and lets any of
// them go. A job remembers its place in one of its slots, so that nobody has to
// search for it.
type heap struct {
	before func(a, b *job) bool
	slot   int
	jobs   []*job
}

// The slots of a job.
const (
	slotQueue  = 0
	slotFinish = 1
)

func (h *heap) len() int    { return len(h.jobs) }
func (h *heap) first() *job { return h.jobs[0] }

func (h *heap) push(j *job) {
	h.jobs = append(h.jobs, j)
	h.up(len(h.jobs)-1, j)
}

func (h *heap) remove(j *job) {
	i := int(j.slots[h.slot])
	last := len(h.jobs) - 1
	moved := h.jobs[last]
	h.jobs[last] = nil
	h.jobs = h.jobs[:last]
	if moved == j {
		return
	}
	if i > 0 && h.before(moved, h.jobs[(i-1)/2]) {
		h.up(i, moved)
	} else {
		h.down(i, moved)
	}
}

func (h *heap) put(i int, j *job) {
	h.jobs[i] = j
	j.slots[h.slot] = market.Int32(i)
}

func (h *heap) up(i int, j *job) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(j, h.jobs[parent]) {
			break
		}
		h.put(i, h.jobs[parent])
		i = parent
	}
	h.put(i, j)
}

func (h *heap) down(i int, j *job) {
	for {
		child := 2*i + 1
		if child >= len(h.jobs) {
			break
		}
		if child+1 < len(h.jobs) && h.before(h.jobs[child+1], h.jobs[child]) {
			child++
		}
		if !h.before(h.jobs[child], j) {
			break
		}
		h.put(i, h.jobs[child])
		i = child
	}
	h.put(i, j)
}
