package book

import (
	"fmt"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// gpus is the GPUs of a cluster. A program holds its GPUs whole, until the last of its
// tasks is gone: the processors of a node that a job with threads still has are counted,
// and as many programs as they make up hold GPUs. On a node with several kinds nobody knows
// which a program has that names none: it counts against each.
type gpus struct {
	free     []int64 // on each node; nil where no node has any
	withheld []int64 // on each node, by others than jobs: they are not free
	named    map[kindOn]int64
	part     map[partOf]int64
	equipped bitset // nodes that have any
	left     bitset // nodes on which some are free
}

// kindOn is a kind of GPUs on a node, of those that programs hold who name one; "": of all
// kinds together.
type kindOn struct {
	node int32
	kind string
}

// partOf is what a job with threads has of a node.
type partOf struct {
	job  market.JobID
	node int32
}

func newGPUs(nodes market.Nodes) (g gpus) {
	g.free, g.withheld, g.part = make([]int64, nodes.Len()), make([]int64, nodes.Len()), map[partOf]int64{}
	g.equipped, g.left = newBitset(nodes.Len()), newBitset(nodes.Len())
	for i := range nodes.Len() {
		n := nodes.At(i)
		g.free[i] = int64(n.GPUs)
		if n.GPUs > 0 {
			g.equipped.set(i)
			g.left.set(i)
		}
		if n.Mixed() && g.named == nil {
			g.named = map[kindOn]int64{}
		}
	}
	return g
}

// on is how many are left on a node for a job.
func (g *gpus) on(node int32, n *market.Node, j *market.Job) int64 {
	if g.free == nil {
		return 0
	}
	free := g.free[node]
	if j.GPUKind == "" || g.named == nil {
		return free
	}
	unnamed := int64(n.GPUs) - free - g.named[kindOn{node: node}]
	return min(free, n.OfKind(j.GPUKind)-g.named[kindOn{node, j.GPUKind}]-unnamed)
}

// use takes the GPUs of one task (sign is -1), or gives them back (1).
func (g *gpus) use(node int32, j *market.Job, sign int64) {
	if g.free == nil {
		return // as a state says that is wrong: see short
	}
	threads := int64(max(1, j.Threads))
	if threads == 1 {
		g.move(node, j, sign)
		return
	}
	of := partOf{job: j.ID, node: node}
	had := g.part[of]
	has := had - sign
	if g.part[of] = has; has == 0 {
		delete(g.part, of)
	}
	g.move(node, j, (had+threads-1)/threads-(has+threads-1)/threads)
}

// move takes the GPUs of so many programs, or gives them back.
func (g *gpus) move(node int32, j *market.Job, programs int64) {
	n := programs * int64(j.GPUs)
	g.add(node, n)
	if g.named != nil && j.GPUKind != "" {
		g.named[kindOn{node, j.GPUKind}] -= n
		g.named[kindOn{node: node}] -= n
	}
}

// add is how many more are free on a node.
func (g *gpus) add(node int32, n int64) {
	if g.free[node] += n; g.free[node] > 0 {
		g.left.set(int(node))
	} else {
		g.left.clear(int(node))
	}
}

// withheldOn is how many of a node are somebody else's.
func (g *gpus) withheldOn(node int) int64 {
	if g.withheld == nil {
		return 0
	}
	return g.withheld[node]
}

func (g *gpus) clone() gpus {
	return gpus{
		free: slices.Clone(g.free), withheld: slices.Clone(g.withheld), named: maps.Clone(g.named), part: maps.Clone(g.part),
		equipped: g.equipped, left: bitset{words: slices.Clone(g.left.words), summary: slices.Clone(g.left.summary)},
	}
}

// Withhold keeps so many GPUs of a node from jobs, because somebody else has them. Those
// who hold some hold them still.
func (b *Book) Withhold(node int, n int64) {
	if g := &b.gpus; g.free != nil {
		n = max(0, min(n, int64(b.nodes.At(node).GPUs)))
		g.add(market.Int32(node), g.withheld[node]-n)
		g.withheld[node] = n
	}
}

// short finds a node that has fewer than are in use, or a job that has some where there
// are none.
func (b *Book) short() error {
	for node, free := range b.gpus.free {
		if free+b.gpus.withheld[node] < 0 {
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
