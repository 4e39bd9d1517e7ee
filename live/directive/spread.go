package directive

import "github.com/libra-market/libra/client/v1"

// Spread puts the tasks of a request on another number of nodes that it may be on (Spreads),
// as many on each; where they do not divide each has as many processors as the fullest needs.
func (h *Head) Spread(r *v1.Request, nodes int) {
	r.Threads, r.Spread = 0, nodes > 1
	each := (h.tasks + nodes - 1) / nodes * h.perTask
	if h.oneEach {
		each = h.perTask
	}
	if r.Processors = each * nodes; each > 1 {
		r.Threads = each
	}
	if h.nodeMB > 0 {
		r.MemoryMB = h.memoryOn(nodes, int64(max(1, r.Processors)))
	}
}

// memoryOn is what each of some processors has of the memory that was asked for on each of so many
// nodes.
func (h *Head) memoryOn(nodes int, processors int64) int64 {
	return (h.nodeMB*int64(nodes) + processors - 1) / processors
}
