package web

import (
	"github.com/libra-market/libra/core/exchange"
)

// round is what has changed since the pages were last told.
type round struct {
	moved map[int64]*exchange.Notice
	fresh map[int64]bool // whose row has to be made anew
	nodes bool
	lost  bool // some changes were missed: everybody has to look again
}

// hear takes in a notice.
func (r *round) hear(n *exchange.Notice, known map[int64]exchange.State, newest int64) int64 {
	switch {
	case n.Kind == exchange.NoticeLost:
		r.lost = true
		return newest
	case n.Kind == "node":
		r.nodes = true
		return newest
	case n.Job == nil:
		return newest
	}
	if r.moved == nil {
		r.moved, r.fresh = map[int64]*exchange.Notice{}, map[int64]bool{}
	}
	r.nodes = true
	id, state := n.Job.ID, n.Job.State
	if len(r.moved) >= mostMoved && r.moved[id] == nil {
		r.lost = true
		return newest
	}
	r.moved[id] = n
	if id > newest || state.Final() {
		r.fresh[id] = r.fresh[id] || id > newest || known[id] != state
	}
	if known[id] = state; state.Final() {
		delete(known, id)
	}
	return max(newest, id)
}
