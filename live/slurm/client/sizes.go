package client

import (
	"context"
	"sync"
	"time"
)

// sizes remembers how many processors nodes have. Where tasks share processors a
// node may get more of them than it has processors; Slurm would hold such a job for
// good, so it is told of no more than there are.
type sizes struct {
	now  func() time.Time
	list func(ctx context.Context, partition string) ([]Node, error)

	mu     sync.Mutex
	known  map[string]int
	listed map[string]time.Time // by partition
}

// sizesLast is how long nodes are believed to be as they were.
const sizesLast = time.Minute

// fit lowers the processors of a job to what the smallest of its nodes has. Nodes of
// which nothing is known are left to Slurm to judge.
func (z *sizes) fit(ctx context.Context, s *Submission) {
	if s.CPUs <= 1 {
		return // every node has one
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if now := z.now(); z.known == nil || now.Sub(z.listed[s.Partition]) >= sizesLast {
		nodes, err := z.list(ctx, s.Partition)
		if err != nil {
			return // the submission will tell what is wrong
		}
		if z.known == nil {
			z.known, z.listed = map[string]int{}, map[string]time.Time{}
		}
		z.listed[s.Partition] = now
		for _, n := range nodes {
			z.known[n.Name] = n.Processors
		}
	}
	for _, name := range s.Nodes {
		if has := z.known[name]; has > 0 {
			s.CPUs = min(s.CPUs, has)
		}
	}
}
