package slurm

import (
	"time"

	"github.com/libra-market/libra/core/task"
)

// Slurm may lose sight of a job whose processes go on: slurmd is away, or slurmctld
// has forgotten it. It then says that the job, or its node, is lost, and ends what is
// left only when it finds it. If the agent of the node is there it ends it at once;
// before that the job must not begin anew.

// clearing is how long that is waited for, of agents that are heard. Those of before
// this version are not able to.
const clearing = 5 * time.Minute

// patience is how long the agent of a node may be silent: longer than its lease, so
// that what it ran has ended.
func (n *node) patience() time.Duration { return n.lease + n.lease/10 + 2*time.Second }

// goesOn reports whether processes of a task go on, as far as its agent has said, on
// a node whose agent can be told to end them. The lock is held.
func (b *Backend) goesOn(r *run, rank int, n *node, now time.Time) bool {
	s, said := r.statuses[rank]
	return said && s.State == task.Running && s.EndedUS == 0 && now.Sub(n.heard) <= max(n.patience(), quiet)
}

// gone reports whether Slurm has ended the job of a run, and has nothing of it on its nodes any more.
func (r *run) gone() bool { return r.state == ended && r.job != nil && r.job.State.Over() }

// hasEnded tells the agents of a run that it is gone, where something of it goes on: that is to end, and not
// only when nobody wants anything of it any more. The lock is held.
func (b *Backend) hasEnded(r *run, now time.Time) {
	if r.gone() && r.alive(now) {
		b.refresh(r)
	}
}

// disown has the agents of a run end what is left of it. The lock is held.
func (b *Backend) disown(r *run) {
	if r.orphan {
		return
	}
	r.orphan = true
	b.cfg.Log.Warn("Slurm has lost sight of a job: its agents end what is left of it", "run", r.key, "slurm", r.ID)
	b.refresh(r)
}

// lingers reports whether processes of a run that Slurm has lost go on, and has them
// ended. The lock is held.
func (b *Backend) lingers(r *run, now time.Time) bool {
	if now.Sub(r.end.at) >= clearing {
		return false
	}
	for rank := range r.statuses {
		o, wanted := r.orders[rank]
		if !wanted {
			continue
		}
		if n := b.nodes[o.Spec.Nodes[rank]]; n != nil && !n.membership.lost() && b.goesOn(r, rank, n, now) {
			b.disown(r)
			return true
		}
	}
	return false
}

// clears reports whether there are still processes on a node that Slurm has lost, and
// has its agent end them: the market begins what it ran elsewhere as soon as it hears
// that the node is gone. The lock is held.
func (b *Backend) clears(n *node, now time.Time) bool {
	if b.cfg.Control != Agents || !n.health.bad() || now.Sub(n.since) >= b.cfg.Grace+clearing {
		return false
	}
	some := false
	for key := range n.orders {
		r := b.runs[runKey{key.Job, key.Attempt}]
		if r == nil || r.ID == 0 || r.state == reported || !b.goesOn(r, key.Rank, n, now) {
			continue
		}
		if r.lost == "" {
			r.lost = "its node was lost to Slurm"
		}
		b.disown(r)
		b.dirty[r], some = true, true
	}
	return some
}
