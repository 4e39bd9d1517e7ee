package trade

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
)

// The elements of an array that run at a time may be on any number of nodes, or on no more than it
// says. Then its lanes are as many blocks as there may be nodes, and each block is on one, as the
// processors of one program are: that is what the core knows of.

// blocks is how many of so many lanes an array has on as many nodes as it may be on, and of how many
// each block is.
func (a *Array) blocks(lanes int) (all, each int) {
	if a.Nodes == 0 || lanes <= a.Nodes {
		return lanes, 1
	}
	each = lanes / a.Nodes
	return each * a.Nodes, each
}

// size has the core ask for what an array of a width needs.
func (a *Array) size(j *market.Job, r *Request) {
	j.Threads, j.GPUs = low32(r.Threads), market.Int32(r.GPUs)
	if a == nil {
		return
	}
	if _, each := a.blocks(int(j.Width) / r.PerProgram()); each > 1 {
		j.Threads, j.GPUs = market.Int32(each*r.PerProgram()), market.Int32(each*r.GPUs)
	}
}

// Narrow asks for half as many processors for an array.
func Narrow(j *market.Job, r *Request) {
	j.Width, j.Estimate = r.Width(int(j.Width) / 2)
	r.Array.size(j, r)
}

// lanes is how many processors there are for an array, of as many nodes as it may be on.
func (a *Array) lanes(p *roster.Places, each int) int {
	if a == nil || a.Nodes == 0 {
		return p.Lanes(each)
	}
	return p.LanesOn(a.Nodes, each)
}
