package slurm

import "time"

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

	renewed map[int64]int64 // those under which users have put jobs back: the job of the market that each is since
}

// renew notes that a number is that of another job from now on, since its user has put it back.
func (n *numbers) renew(id, job int64) {
	if n.renewed == nil {
		n.renewed = map[int64]int64{}
	}
	n.renewed[id] = job
}

// keptNumbers is how many numbers back they are kept: what is forgotten is the last.
const keptNumbers = 1 << 14

// spend notes that a run is let go under a number.
func (n *numbers) spend(id int64, of runKey) {
	if was, is := n.of[id]; is && was == of {
		return // elements of arrays are seen time and again
	}
	n.of[id] = of
	if len(n.of) < 2*keptNumbers {
		return
	}
	for old := range n.of {
		if far(id, old) {
			delete(n.of, old)
			delete(n.renewed, old)
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

// A number of Slurm's is that of a run as long as the slurmctld lives that gave it out. The
// next may have forgotten the run and give the number to another, or to a stranger: to let
// that go would start it, and to cancel it would end it. So Slurm is told nothing by a
// number that it has not just called the run's own; sooner than this no slurmctld is
// killed, begins anew, and gives numbers out.
const vouching = 1500 * time.Millisecond

// vouchedFor reports whether Slurm has just said that the number of a run is its own.
func (r *run) vouchedFor(w *world) bool { return w.now.Sub(r.vouched) < vouching }

// occupied reports whether a number that Slurm has now given to a run is that of another
// which may have been let go under it. One that certainly was not is handed in again. The
// lock is held.
func (b *Backend) occupied(id int64, by *run) bool {
	r := b.byBatch[id]
	if r == nil || r == by || !r.state.inSlurm() {
		return false
	}
	r.vouched = time.Time{}
	if r.state != held || r.busy || r.used() {
		return true
	}
	b.cfg.Log.Warn("Slurm has forgotten a job that had not started, and gave its number to another", "run", r.key, "slurm", id)
	r.forget()
	b.releaseID(id, r)
	b.dirty[r] = true
	return false
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
