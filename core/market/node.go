package market

import "math"

// Node is one machine of a cluster. Its processors are what jobs hold; its
// memory, disk and GPUs are shared out among whatever runs on them.
type Node struct {
	Name       string
	Processors int
	Rating     float64 // speed of each processor; an estimate is for rating 1
	Memory     int64   // MB; NoLimit: not counted
	Disk       int64   // MB; NoLimit: not counted
	GPUs       int     // whole ones, of which each is held by one program at a time
	GPUKind    string  // "": they have no name; of several kinds: a100:2,v100:1
	Features   string  // what jobs can ask for, with commas: fast,ib
	Partition  string  `json:",omitempty"` // whose it is, where the market has partitions
	Reserved   string  `json:",omitempty"` // the reservation that it is set aside for: it takes jobs of that alone; empty: of none
	Base       Rates
}

// Rates are the base prices of a node (PBase of 000, equation (3)).
type Rates struct {
	Processor Price // per second of processor time
	Memory    Price // per MB
	Disk      Price // per MB
	GPU       Price // per second of one, by the clock

	GPUKinds string `json:",omitempty"` // what one costs of a kind that has a price of its own: a100:0.5,v100:0.1; see GPUPrice
}

// NoLimit is memory or disk that is not counted.
const NoLimit int64 = math.MaxInt64

// Plain is the node of the papers' experiments: one processor of rating 1 at a
// base price of 1, with memory and disk not counted, and no GPUs.
func Plain() Node {
	return Node{Processors: 1, Rating: 1, Memory: NoLimit, Disk: NoLimit, Base: Rates{Processor: 1}}
}

// PlainNodes is a cluster of n plain nodes.
func PlainNodes(n int) []Node {
	nodes := make([]Node, n)
	for i := range nodes {
		nodes[i] = Plain()
	}
	return nodes
}

// Bounds of a rating. Outside of them times are no times any more: what takes a second
// takes longer than there is, or no time at all.
const (
	minRating = 1e-6
	maxRating = 1e9
)

// Validate names the first field that makes no sense.
func (n *Node) Validate() error {
	switch {
	case n.Processors < 1 || n.Processors > MaxWidth:
		return fieldError("processors", float64(n.Processors), "at least 1")
	case !(n.Rating >= minRating && n.Rating <= maxRating):
		return fieldError("rating", n.Rating, "a number from 0.000001 to 1000000000")
	case n.Memory < 0:
		return fieldError("memory_mb", float64(n.Memory), "0 or more")
	case n.Disk < 0:
		return fieldError("disk_mb", float64(n.Disk), "0 or more")
	case n.GPUs < 0 || n.GPUs > MaxGPUs:
		return fieldError("gpus", float64(n.GPUs), "0 to 32768")
	case !between(float64(n.Base.Processor), 0):
		return fieldError("processor_price", float64(n.Base.Processor), "0 or more")
	case !between(float64(n.Base.Memory), 0):
		return fieldError("memory_price", float64(n.Base.Memory), "0 or more")
	case !between(float64(n.Base.Disk), 0):
		return fieldError("disk_price", float64(n.Base.Disk), "0 or more")
	case !between(float64(n.Base.GPU), 0):
		return fieldError("gpu_price", float64(n.Base.GPU), "0 or more")
	}
	return n.checkGPUs()
}
