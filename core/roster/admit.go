package roster

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// mostShapes is in how many shapes a node may have come.
const mostShapes = 64

// Admits refuses a node that announces more than the owner allows, or that would
// make all of them more than that. One that is known is held to the same when it
// comes again.
func (r *Roster) Admits(a *Allowance, h *task.Hello) error {
	if err := a.admitsAlone(h); err != nil {
		return err
	}
	nodes, processors, gpus, shapes := 1, h.Processors, h.GPUs, 0
	memory, disk := float64(h.MemoryMB), float64(h.DiskMB) // each may be all that an integer holds
	for _, n := range r.nodes {
		if n.Node == h.Node {
			shapes++
			continue // this one stands in its place
		}
		if !n.Retired {
			nodes, processors, gpus = nodes+1, processors+n.Processors, gpus+n.GPUs
			memory, disk = memory+float64(n.MemoryMB), disk+float64(n.DiskMB)
		}
	}
	_, known := r.byName[h.Node]
	switch {
	case over(nodes, a.Nodes):
		return market.Wrong("node", fmt.Sprintf("one of %d: so many have joined, and the owner of the market allows no more (nodes.most)", a.Nodes))
	case over(processors, a.AllProcessors):
		return market.Wrong("processors", fmt.Sprintf("fewer: all nodes together would have %d, and the owner of the market allows %d (nodes.all_processors)", processors, a.AllProcessors))
	case over(memory, float64(a.AllMemoryMB)):
		return market.Wrong("memory_mb", fmt.Sprintf("less: all nodes together would have %.0f, and the owner of the market allows %d (nodes.all_memory_mb)", memory, a.AllMemoryMB))
	case over(disk, float64(a.AllDiskMB)):
		return market.Wrong("disk_mb", fmt.Sprintf("less: all nodes together would have %.0f, and the owner of the market allows %d (nodes.all_disk_mb)", disk, a.AllDiskMB))
	case over(gpus, a.AllGPUs):
		return market.Wrong("gpus", fmt.Sprintf("fewer: all nodes together would have %d, and the owner of the market allows %d (nodes.all_gpus)", gpus, a.AllGPUs))
	case shapes >= mostShapes && known && !r.Same(h):
		return market.Wrong("node", fmt.Sprintf("another name: it has come in %d shapes, and each is kept (a fixed --rating keeps a node in shape)", shapes))
	}
	return nil
}
