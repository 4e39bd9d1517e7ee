package slurm

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
)

// A market may sell several partitions of Slurm, each at its own rate. Every node is in one of
// them, which the market is told with the node; a job is handed into that of its nodes.

// partitions are those of the market.
func (b *Backend) partitions() []string { return strings.Split(b.cfg.Partition, ",") }

// alone reports whether it has one, which is asked several times for every job, and of every job.
func (b *Backend) alone() bool { return !strings.Contains(b.cfg.Partition, ",") }

// asked is the partition that a request is for.
func (b *Backend) asked(r *trade.Request) string {
	if b.alone() {
		return b.cfg.Partition
	}
	all := b.partitions()
	if slices.Contains(all, r.Partition) {
		return r.Partition
	}
	return all[0]
}

// partitionOf is the one that some nodes are in; "": nobody has said yet. The lock is held.
func (b *Backend) partitionOf(nodes []string) string {
	if b.alone() {
		return b.cfg.Partition
	}
	for _, name := range nodes {
		if n := b.nodes[name]; n != nil && n.slurm.Partition != "" {
			return n.slurm.Partition
		}
	}
	return ""
}

// errUnplaced says why a job is not handed in yet.
var errUnplaced = errors.New("in which partition its nodes are is not known yet")

// hearClosed asks which partitions begin nothing, and returns what takes that in while the lock is
// held. Nothing is sold on their nodes: who waits in the market waits on, and is sold nothing that
// would not begin. Where nobody can say, it is noticed when Slurm does.
func (b *Backend) hearClosed(ctx context.Context) (take func()) {
	slurm, can := b.slurm.(client.Closings)
	if !can {
		return func() {}
	}
	closed, err := slurm.Closed(ctx)
	if err != nil {
		return func() {} // it is as it was
	}
	return func() {
		for name, n := range b.nodes {
			in := b.partitionOf([]string{name})
			if n.barred = ""; closed[in] != "" {
				n.barred = "partition " + in + " is " + closed[in] + " in Slurm"
			}
		}
	}
}
