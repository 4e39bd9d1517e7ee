package directive

import "github.com/libra-market/libra/client/v1"

// Spread puts the tasks of a request on another number of nodes that it may be on (Spreads),
// as many on each.
func (h *Head) Spread(r *v1.Request, nodes int) {
	r.Threads, r.Spread = 0, nodes > 1 && r.Array == nil
	if each := r.Processors / nodes; each > 1 {
		r.Threads = each
	}
}
