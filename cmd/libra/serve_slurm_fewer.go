package main

import (
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// fewerAtATime has as many elements of an array run at a time as a limit of Slurm's allows, as
// Slurm has them wait for each other itself, and reports whether that is some, and fewer than
// before. What was asked for stays as it was for who holds it.
func fewerAtATime(r *trade.Request, over *limit.Excess) bool {
	if r.Array == nil {
		return false
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
