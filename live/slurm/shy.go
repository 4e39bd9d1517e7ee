package slurm

import (
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// A node may look well and Slurm not start a job there all the same. That may be the job's own
// matter, and nobody is to close a node to others by a job that Slurm does not start: so it is
// closed for as long as it takes to put that job elsewhere. Where another user's job is not started
// either, or the same one comes back and is not, it is the node: nothing is sold there for a while.

// shyFor is how long that is.
const shyFor = time.Minute

// complaint is of which job Slurm last said that it is not started on a node, and when.
type complaint struct {
	at   time.Time
	user string
	key  runKey
}

// avoid has the market put a run elsewhere that Slurm does not start on its nodes. The lock is held.
func (b *Backend) avoid(r *run, now time.Time) {
	r.avoids = true
	for _, name := range r.Nodes {
		n := b.nodes[name]
		if n == nil {
			continue
		}
		last := n.complaint
		if now.Sub(last.at) < shyFor && (last.user != r.User || last.key.job == r.key.job && last.key != r.key) {
			n.shy = now.Add(shyFor)
		}
		n.complaint, n.moving = complaint{now, r.User, r.key}, true
	}
}

// settleMoves opens a node again from which nothing is to be moved any more: the market wants it
// elsewhere, or it has begun after all. The lock is held.
func (b *Backend) settleMoves(n *node, now time.Time) {
	if !n.moving {
		return
	}
	n.moving = false
	for key := range n.orders {
		r := b.runs[runKey{key.Job, key.Attempt}]
		if r != nil && r.avoids && (r.lost != "" || r.job == nil || r.job.State == client.Pending) && now.Sub(n.complaint.at) < shyFor {
			n.moving = true
		}
	}
}

// spares reports whether a node that is closed is so for the sake of another run than this.
func (n *node) spares(r *run, now time.Time) bool {
	return n.moving && !r.avoids && !now.Before(n.shy)
}
