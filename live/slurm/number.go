package slurm

// numbers are those of Slurm's that a run was let go under, and which it was. A
// slurmctld that was killed has forgotten its last seconds and gives numbers out again;
// a node that has begun something under a number begins nothing else under it, tells
// slurmctld to cancel the job, and is drained for it (Duplicate jobid). And what went on
// under the number before would be measured as another's.
type numbers map[int64]runKey

// keptNumbers is how many numbers back they are kept: what is forgotten is the last.
const keptNumbers = 1 << 14

// spend notes that a run is let go under a number.
func (n numbers) spend(id int64, of runKey) {
	n[id] = of
	if len(n) < 2*keptNumbers {
		return
	}
	for old := range n {
		if id-old > keptNumbers || old-id > keptNumbers { // Slurm begins anew at its greatest
			delete(n, old)
		}
	}
}

// spent reports whether another run was let go under a number.
func (n numbers) spent(id int64, of runKey) bool {
	was, is := n[id]
	return is && was != of
}
