package slurm

// numbers are those of Slurm's that a run was let go under, and which it was. A
// slurmctld that was killed has forgotten its last seconds and gives numbers out again;
// a node that has begun something under a number begins nothing else under it, tells
// slurmctld to cancel the job, and is drained for it (Duplicate jobid). And what went on
// under the number before would be measured as another's.
type numbers struct {
	of map[int64]runKey
	// before is the greatest of those that an earlier backend let runs go under: of the
	// runs that have ended since, nobody knows which was whose.
	before int64
	began  int64 // when this one did, in seconds
}

// keptNumbers is how many numbers back they are kept: what is forgotten is the last.
const keptNumbers = 1 << 14

// spend notes that a run is let go under a number.
func (n *numbers) spend(id int64, of runKey) {
	n.of[id] = of
	if len(n.of) < 2*keptNumbers {
		return
	}
	for old := range n.of {
		if far(id, old) {
			delete(n.of, old)
		}
	}
}

// spent reports whether another run was let go under a number that Slurm gave out at a
// time. What it had given to an earlier backend is what that one had asked for.
func (n *numbers) spent(id int64, of runKey, at int64) bool {
	if was, is := n.of[id]; is {
		return was != of
	}
	return at > n.began && id <= n.before && !far(id, n.before)
}

// far reports whether two numbers are so far apart that one was not forgotten, but Slurm
// has begun anew after its greatest.
func far(a, b int64) bool { return a-b > keptNumbers || b-a > keptNumbers }

// greater is the greatest number of two that runs were let go under.
func greater(known, next int64) int64 {
	if next > known || far(known, next) {
		return next
	}
	return known
}
