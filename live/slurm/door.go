package slurm

import (
	"fmt"
	"time"

	"github.com/libra-market/libra/core/trade"
)

// doorOf is whether a node takes new jobs, and why it does not. One that drains, is in
// maintenance or is reserved runs on what it has; one that is set aside for a reservation that
// the market knows takes the jobs of that.
func (n *node) doorOf(now time.Time) (trade.Door, string) {
	door, why := n.ownDoor(now)
	if door == trade.DoorOpen && n.barred != "" {
		return trade.DoorClosed, n.barred
	}
	return door, why
}

// ownDoor is that, whatever its partition does.
func (n *node) ownDoor(now time.Time) (trade.Door, string) {
	switch {
	case n.slurm.Draining && n.slurm.Reason != "":
		return trade.DoorClosed, "it drains in Slurm: " + n.slurm.Reason
	case n.slurm.Draining:
		return trade.DoorClosed, "it drains in Slurm, or is in maintenance there"
	case n.slurm.Reserved && n.aside == "":
		return trade.DoorClosed, "it is reserved in Slurm"
	case n.hello != nil && n.hello.Reserved != n.aside:
		return trade.DoorClosed, "it is reserved in Slurm, or was: it is given to others"
	case n.deaf(now):
		return trade.DoorClosed, fmt.Sprintf("its agent has not been heard of for %s", deafAfter)
	case now.Before(n.shy):
		return trade.DoorClosed, "Slurm does not start jobs there"
	case n.moving:
		return trade.DoorClosed, "Slurm does not start a job there, which is put elsewhere"
	}
	return trade.DoorOpen, ""
}

// deafAfter is how long the agent of a node may be silent before nothing more is sold there: it
// would not be begun. It is lost, with what runs on it, when its lease is over.
const deafAfter = 20 * time.Second

// deaf reports whether the agent of a node is away for now. One that waits for news is there.
func (n *node) deaf(now time.Time) bool {
	return (n.hello == nil || n.hello.Agent != noAgent) && n.listening == 0 && now.Sub(n.heard) >= deafAfter
}

// turnNode tells the market whether a node takes new jobs, and from when on it is reserved,
// if that is news to it. Of one that has not been introduced since the market was started it is
// told that it takes none, for the market knows it from before; that it does take some is told
// when its agent has come. The lock is held.
func (b *Backend) turnNode(n *node, now time.Time) {
	door, why := n.doorOf(now)
	ahead := n.ahead
	if door == n.door && ahead == n.aheadTold || n.turning || n.membership != member || n.attention != instructed {
		return
	}
	if n.hello == nil && (b.cfg.Control == None || door == trade.DoorOpen) {
		return
	}
	n.turning = true
	was := n.hello
	b.going.Go(func() {
		err := b.fleet.Turn(b.ctx, n.name, door, why, ahead)
		b.mu.Lock()
		defer b.mu.Unlock()
		n.turning = false
		if err != nil || n.hello != was || n.membership.lost() {
			// It is told again, also what it was told before: an error does not say that the
			// market has not heard it.
			n.door = ""
			return
		}
		if n.door != door && (door == trade.DoorClosed || n.door != "") {
			b.cfg.Log.Info("whether a node takes new jobs", "node", n.name, "door", door, "because", why)
		}
		n.door, n.aheadTold = door, ahead
		for key := range n.orders {
			if r := b.runs[runKey{key.Job, key.Attempt}]; r != nil {
				b.dirty[r] = true
			}
		}
	})
}

// innocent reports whether a node that is closed for the market is so only for its partition, or not
// any more: the market is being told, and may have heard.
func (n *node) innocent(now time.Time) bool {
	door, _ := n.ownDoor(now)
	return door == trade.DoorOpen && (n.barred != "" || n.turning)
}

// closedFor is whether a node of a run takes no new jobs, or none of its reservation, and the market knows: it will
// put the job elsewhere. Where its partition takes none there is nowhere else. The lock is held.
func (b *Backend) closedFor(r *run) bool {
	now := b.cfg.Now()
	for _, name := range r.Nodes {
		if n := b.nodes[name]; n != nil && (n.door == trade.DoorClosed && !n.spares(r, now) && !n.innocent(now) || n.shutTo(r.within)) {
			return true
		}
	}
	return false
}
