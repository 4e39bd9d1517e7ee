package trade

import (
	"fmt"

	"github.com/libra-market/libra/core/roster"
)

// Exceeds says what a request asks for that a cluster does not have, even with all of its
// nodes, and how much of it there is; "" if it is nothing of that.
func (r *Request) Exceeds(nodes []*roster.Node) string {
	all, processors, memory, disk := 0, 0, int64(0), int64(0)
	for _, n := range nodes {
		if !n.Retired {
			all += n.Processors
			processors, memory, disk = max(processors, n.Processors), max(memory, n.MemoryMB), max(disk, n.DiskMB)
		}
	}
	switch {
	case r.Array == nil && r.Procs() > all:
		return fmt.Sprintf("it asks for %d processors, and this cluster has %d", r.Procs(), all)
	case r.PerProgram() > processors:
		return fmt.Sprintf("each of its programs asks for %d processors of one node, and no node has more than %d", r.PerProgram(), processors)
	case r.MemoryMB > memory:
		return fmt.Sprintf("it asks for %d MB of memory on each processor, and no node has more than %d", r.MemoryMB, memory)
	case r.DiskMB > disk:
		return fmt.Sprintf("it asks for %d MB of disk on each processor, and no node has more than %d", r.DiskMB, disk)
	}
	return ""
}
