package trade

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
)

// Exceeds says what a request asks for that a cluster does not have, even with all of its
// nodes, and how much of it there is; "" if it is nothing of that.
func (r *Request) Exceeds(nodes []*roster.Node) string {
	if none := r.nowhere(nodes); none != "" {
		return none
	}
	these, no := "this cluster has", "no node has"
	switch {
	case r.Chooses():
		nodes, these, no = r.Among(nodes), "the nodes that it may be on have", "none of the nodes that it may be on has"
	case r.Partition != "":
		nodes, these, no = r.Among(nodes), "partition "+r.Partition+" has", "no node"+r.OfPartition()+" has"
	}
	all, processors, memory, disk := 0, 0, int64(0), int64(0)
	for _, n := range nodes {
		if !n.Retired {
			all += n.Processors
			processors, memory, disk = max(processors, n.Processors), max(memory, n.MemoryMB), max(disk, n.DiskMB)
		}
	}
	switch {
	case r.Array == nil && r.Procs() > all:
		return fmt.Sprintf("it asks for %d processors, and %s %d", r.Procs(), these, all)
	case r.PerProgram() > processors && r.Array != nil:
		return fmt.Sprintf("each element of its array asks for %d processors of one node, and %s more than %d", r.PerProgram(), no, processors)
	case r.PerProgram() > processors:
		return fmt.Sprintf("each of its programs asks for %d processors of one node, and %s more than %d", r.PerProgram(), no, processors)
	case r.MemoryMB > memory:
		return fmt.Sprintf("it asks for %d MB of memory on each processor, and %s more than %d", r.MemoryMB, no, memory)
	case r.DiskMB > disk:
		return fmt.Sprintf("it asks for %d MB of disk on each processor, and %s more than %d", r.DiskMB, no, disk)
	}
	return exceedsGPUs(r, nodes, these, no)
}

// WithoutGPUs is the request without them.
func (r *Request) WithoutGPUs() Request {
	t := *r
	t.GPUs, t.GPUKind = 0, ""
	return t
}

// GPUsTaken says that others hold what a request asks for, and in how many microseconds they
// are free again if that is known.
func (r *Request) GPUsTaken(us int64) string {
	until := "when those end"
	if us > 0 {
		until = fmt.Sprintf("in %s at the latest, if those are done as they were promised: ask again then", market.Span((us+999)/1000))
	}
	return fmt.Sprintf("each of its programs asks for %s, and others hold them: they are free again %s", market.CountGPUs(r.GPUKind, r.GPUs), until)
}

// exceedsGPUs says what is missing of GPUs.
func exceedsGPUs(r *Request, nodes []*roster.Node, these, no string) string {
	most, all := 0, 0
	for _, n := range nodes {
		if shape := n.Core(market.Rates{}); !n.Retired {
			has := int(shape.OfKind(r.GPUKind))
			most, all = max(most, has), all+has
		}
	}
	what := strings.TrimSpace(r.GPUKind + " GPUs")
	switch programs := max(1, r.Procs()/r.PerProgram()); {
	case r.GPUs > 0 && most == 0:
		return fmt.Sprintf("it asks for %s, and %s any", what, no)
	case r.GPUs > most:
		return fmt.Sprintf("each of its programs asks for %s, and %s more than %d", market.CountGPUs(r.GPUKind, r.GPUs), no, most)
	case r.Array == nil && r.GPUs*programs > all:
		return fmt.Sprintf("it asks for %s, and %s %d", market.CountGPUs(r.GPUKind, r.GPUs*programs), these, all)
	}
	return ""
}
