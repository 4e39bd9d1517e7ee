package book

import (
	"fmt"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// gpus is the GPUs of a cluster. A program holds its GPUs whole, until the last of its
// tasks is gone: the processors of a node that a job with threads still has are counted,
// and as many programs as they make up hold GPUs.
type gpus struct {
	free []int64 // on each node; nil where no node has any
	part map[partOf]int64
}

// partOf is what a job with threads has of a node.
type partOf struct {
	job  market.JobID
	node int32
}

func newGPUs(nodes []market.Node) (g gpus) {
	for i := range nodes {
		if nodes[i].GPUs == 0 {
			continue
		}
		if g.free == nil {
			g.free, g.part = make([]int64, len(nodes)), map[partOf]int64{}
		}
		g.free[i] = int64(nodes[i].GPUs)
	}
	return g
}

// on is how many are left on a node.
func (g *gpus) on(node int) int64 {
	if g.free == nil {
		return 0
	}
	return g.free[node]
}

// use takes the GPUs of one task (sign is -1), or gives them back (1).
func (g *gpus) use(node int32, j *market.Job, sign int64) {
	if g.free == nil {
		return // as a state says that is wrong: see short
	}
	threads := int64(max(1, j.Threads))
	if threads == 1 {
		g.free[node] += sign * int64(j.GPUs)
		return
	}
	of := partOf{job: j.ID, node: node}
	had := g.part[of]
	has := had - sign
	if g.part[of] = has; has == 0 {
		delete(g.part, of)
	}
	g.free[node] += ((had+threads-1)/threads - (has+threads-1)/threads) * int64(j.GPUs)
}

func (g *gpus) clone() gpus { return gpus{free: slices.Clone(g.free), part: maps.Clone(g.part)} }

// short finds a node that has fewer than are in use, or a job that has some where there
// are none.
func (b *Book) short() error {
	for node, free := range b.gpus.free {
		if free < 0 {
			return fmt.Errorf("node %d has fewer GPUs than are in use", node)
		}
	}
	for _, s := range b.running {
		if j := &b.slots.at(s).Job; j.GPUs > 0 && b.gpus.free == nil {
			return fmt.Errorf("job %d has GPUs, and no node does", j.ID)
		}
	}
	return nil
}
