package web

import (
	"github.com/libra-market/libra/client/v1"
)

// round is what has changed since the pages were last told.
type round struct {
	moved map[int64]*v1.Notice
	fresh map[int64]bool // whose row has to be made anew
	nodes bool
	lost  bool  // some changes were missed: everybody has to look again
	atUS  int64 // when the last change was heard of
}

// observe takes in a notice.
func (r *round) observe(n *v1.Notice, known map[int64]v1.State, newest int64) int64 {
	switch {
	case n.Kind == v1.NoticeLost:
		r.lost = true
		return newest
	case n.Kind == "node":
		r.nodes = true
		return newest
	case n.Job == nil:
		return newest
	}
	if r.moved == nil {
		r.moved, r.fresh = map[int64]*v1.Notice{}, map[int64]bool{}
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
