package world

import "slices"

// Shrink makes a day smaller that goes wrong, as long as it still does: faults are
// left out, then deeds, first many at a time and then few. It runs a day at most so
// many times.
func Shrink(d *Day, most int, wrong func(*Day) bool) *Day {
	best := *d
	try := func(smaller *Day) bool {
		if most <= 0 {
			return false
		}
		if most--; !wrong(smaller) {
			return false
		}
		best = *smaller
		return true
	}
	for _, change := range []func(*Day){
		func(d *Day) { d.Lose, d.Repeat = 0, 0 },
		func(d *Day) { d.Standby = false },
	} {
		smaller := best
		change(&smaller)
		try(&smaller)
	}
	drop(len(best.Faults), func(from, to int) bool {
		smaller := best
		smaller.Faults = slices.Delete(slices.Clone(best.Faults), from, to)
		return try(&smaller)
	})
	// The program of a task is found by the number of its deed, so one that is left out
	// is made one that does nothing.
	quiet := func(i int) bool { return best.Deeds[i].Kind == nothing }
	drop(len(best.Deeds), func(from, to int) bool {
		smaller := best
		smaller.Deeds = slices.Clone(best.Deeds)
		all := true
		for i := from; i < to && i < len(smaller.Deeds); i++ {
			all = all && quiet(i)
			smaller.Deeds[i].Kind = nothing
		}
		if !all {
			try(&smaller)
		}
		return false // there are as many as before
	})
	return &best
}

// drop tries to leave out stretches of n things, halving them as it goes on; leave
// reports whether they are gone.
func drop(n int, leave func(from, to int) bool) {
	for size := (n + 1) / 2; size > 0; size /= 2 {
		for from := 0; from < n; {
			to := min(n, from+size)
			if leave(from, to) {
				n -= to - from
				continue
			}
			from = to
		}
	}
}
