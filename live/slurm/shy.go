package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// A node may look well and Slurm not start a job there all the same. That may be the job's own
// matter, and nobody is to close a node to others by a job that Slurm does not start: so it is
// closed for as long as it takes to put that job elsewhere. Where another user's job is not started
// either, or the same one comes back and is not, it is the node: nothing is sold there for a while.
// Where the same job is not started on a second node like the first, and both look well, it is the
// job: it is refused, and no node is closed for it any more.

// shyFor is how long that is, and balkLasts how long it is known on which nodes a job was not started.
const (
	shyFor    = time.Minute
	balkLasts = 10 * time.Minute
)

// balk is which attempt of a job was not started on a node, and when that was said.
type balk struct {
	attempt int
	at      time.Time
}

// complaint is of which job Slurm last said that it is not started on a node, and when.
type complaint struct {
	at   time.Time
	user string
	key  runKey
}

// avoid has the market put a run elsewhere that Slurm does not start on its nodes. The lock is held.
func (b *Backend) avoid(r *run, now time.Time) {
	if why := b.balks(r, now); why != "" {
		r.lost, r.unfit = why, true
		b.pardon(r.key.job)
		b.dirty[r] = true
		b.wakeLoop()
		return
	}
	r.avoids = true
	for _, name := range r.Nodes {
		n := b.nodes[name]
		if n == nil {
			continue
		}
		last := n.complaint
		if now.Sub(last.at) < shyFor && (last.user != r.User || last.key.job == r.key.job && last.key != r.key) {
			n.shy, n.shyOf = now.Add(shyFor), 0
			if last.user == r.User {
				n.shyOf = r.key.job
			}
		}
		n.balk(r.key, now)
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

// balk notes that a job was not started on a node.
func (n *node) balk(key runKey, now time.Time) {
	if n.balked == nil {
		n.balked = map[int64]balk{}
	}
	maps.DeleteFunc(n.balked, func(_ int64, k balk) bool { return now.Sub(k.at) >= balkLasts })
	n.balked[key.job] = balk{key.attempt, now}
}

// balks is why it is a job's own matter that it is not started where it is: the attempts right
// before were not either, one of them on another node of the same kind. Empty: it may be the node's.
// The lock is held.
func (b *Backend) balks(r *run, now time.Time) string {
	for attempt := r.key.attempt - 1; attempt >= 0; attempt-- {
		found, like := false, ""
		for name, n := range b.nodes {
			k, here := n.balked[r.key.job]
			if !here || k.attempt != attempt || now.Sub(k.at) >= balkLasts {
				continue
			}
			if found = true; slices.Contains(r.Nodes, name) {
				return "" // that may be the one
			}
			if b.blameless(n, r, now) && slices.ContainsFunc(r.Nodes, func(other string) bool {
				o := b.nodes[other]
				return o != nil && b.blameless(o, r, now) && o.kind() == n.kind()
			}) {
				like = max(like, name)
			}
		}
		if like != "" {
			return fmt.Sprintf("Slurm does not start it, neither on %s nor on %s: %s", like, strings.Join(r.Nodes, ", "), r.job.Reason)
		}
		if !found { // it has begun in between, or nobody knows any more
			break
		}
	}
	return ""
}

// kind is what nodes have in common to Slurm where a job that is started on one is on another.
type kind struct {
	processors, gpus                    int
	memory                              int64
	gpuKind, features, partition, aside string
}

func (n *node) kind() kind {
	s := &n.slurm
	return kind{s.Processors, s.GPUs, s.MemoryMB, s.GPUKind, s.Features, s.Partition, n.aside}
}

// blameless reports whether nothing is known of a node for which Slurm would not start a run there:
// it is well, and not reserved for others, and no other user has complained of it. The lock is held.
func (b *Backend) blameless(n *node, r *run, now time.Time) bool {
	if n.health != well || n.slurm.Draining || n.slurm.Reserved && (n.aside == "" || n.aside != r.within) || now.Before(n.shy) && n.shyOf != r.key.job {
		return false
	}
	site, _ := b.gate.wicket(b.partitionOf(r.Nodes)).last(now)
	all := b.aside.all
	if site != nil {
		all = slices.Concat(all, site.Reserved())
	}
	return !slices.ContainsFunc(all, func(in limit.Reserved) bool {
		return in.Name != r.within && now.Before(in.Till) && slices.Contains(in.Nodes, n.name)
	})
}

// pardon opens the nodes again that were closed for the sake of a job. The lock is held.
func (b *Backend) pardon(job int64) {
	for _, n := range b.nodes {
		if delete(n.balked, job); n.complaint.key.job == job {
			n.complaint, n.moving = complaint{}, false
		}
		if n.shyOf == job {
			n.shy, n.shyOf = time.Time{}, 0
		}
	}
}
