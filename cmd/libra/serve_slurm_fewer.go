package main

import (
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// fewerAtATime has as many elements of an array run at a time as a limit of Slurm's allows, or
// licences, or on as few nodes, as Slurm has them wait for each other itself, and reports whether that is some, and fewer than
// before. What was asked for stays as it was for who holds it.
func fewerAtATime(r *trade.Request, over *limit.Excess) bool {
	if r.Array == nil {
		return false
	}
	if over.Nodes > 0 {
		return onFewerNodes(r, int(over.Nodes))
	}
	each, most := 0, over.Most
	switch {
	case over.Elements > 0:
		each, most = 1, over.Elements
	case over.Fit > 0:
		each, most = r.PerProgram(), over.Fit
	case over.Field == "processors":
		each = r.PerProgram()
	case over.Field == "gpus":
		each = r.GPUs
	}
	fewer, now := *r.Array, r.Array.Len()
	if fewer.Limit > 0 {
		now = min(now, fewer.Limit)
	}
	if each == 0 || most/int64(each) < 1 || most/int64(each) >= int64(now) {
		return false
	}
	fewer.Limit = int(most / int64(each))
	r.Array = &fewer
	return true
}

// onFewerNodes has the elements of an array that run at a time be on so many nodes: to Slurm each is
// a job, on a node, and here they are one.
func onFewerNodes(r *trade.Request, most int) bool {
	if now := r.Array.Nodes; now > 0 && now <= most {
		return false
	}
	fewer := *r.Array
	fewer.Nodes = most
	r.Array = &fewer
	return true
}

// fewerInWords says what is offered of an array.
func fewerInWords(limit, nodes int) string {
	switch on := " on " + number(int64(nodes), "node"); {
	case nodes == 0:
		return number(int64(limit), "element") + " at a time"
	case limit == 0:
		return "all elements that run at a time" + on
	default:
		return number(int64(limit), "element") + " at a time," + on
	}
}
