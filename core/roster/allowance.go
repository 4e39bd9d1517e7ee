package roster

import (
	"fmt"
	"path"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Allowance is what the owner of a market lets nodes announce. A node is a party
// that may lie: what it says of its size makes prices and promises, and what it
// costs to keep the book. Zero is no limit.
type Allowance struct {
	Names         []string `json:"names,omitempty"` // patterns; none: any
	Nodes         int      `json:"nodes,omitempty"`
	Processors    int      `json:"processors,omitempty"` // of one node
	Rating        float64  `json:"rating,omitempty"`     // and speed
	Speed         float64  `json:"speed,omitempty"`      // how many times its rating
	MemoryMB      int64    `json:"memory_mb,omitempty"`
	DiskMB        int64    `json:"disk_mb,omitempty"`
	GPUs          int      `json:"gpus,omitempty"`
	AllProcessors int      `json:"all_processors,omitempty"` // of all nodes together
	AllMemoryMB   int64    `json:"all_memory_mb,omitempty"`
	AllDiskMB     int64    `json:"all_disk_mb,omitempty"`
	AllGPUs       int      `json:"all_gpus,omitempty"`
}

// DefaultAllowance is far above what a site has and far below what would put a
// market out of order.
func DefaultAllowance() Allowance {
	return Allowance{
		Nodes: 10_000, Processors: 4096, Rating: 1000, Speed: 4, MemoryMB: 64 << 20, DiskMB: 1 << 30, GPUs: 64,
		AllProcessors: 1 << 17, AllMemoryMB: 64 << 30, AllDiskMB: 1 << 40, AllGPUs: 1 << 15,
	}
}

// Validate names the first limit that makes no sense.
func (a *Allowance) Validate() error {
	for _, pattern := range a.Names {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return market.Wrong("names", fmt.Sprintf("names, or patterns such as node*, not %q", pattern))
		}
	}
	for _, n := range []struct {
		name  string
		limit float64
	}{
		{"most", float64(a.Nodes)},
		{"processors", float64(a.Processors)},
		{"rating", a.Rating},
		{"speed", a.Speed},
		{"memory_mb", float64(a.MemoryMB)},
		{"disk_mb", float64(a.DiskMB)},
		{"gpus", float64(a.GPUs)},
		{"all_processors", float64(a.AllProcessors)},
		{"all_memory_mb", float64(a.AllMemoryMB)},
		{"all_disk_mb", float64(a.AllDiskMB)},
		{"all_gpus", float64(a.AllGPUs)},
	} {
		if !(n.limit >= 0) {
			return market.Wrong(n.name, "0 (no limit) or more")
		}
	}
	return nil
}

// Of what a node says of itself in words, so much is kept.
const (
	MostSaid    = 256 // bytes of one
	mostMissing = 32
)

// admitsAlone looks at one node by itself.
func (a *Allowance) admitsAlone(h *task.Hello) error {
	why := "%v or less: the owner of the market allows no more (nodes.%s)"
	switch {
	case !a.named(h.Node):
		return market.Wrong("node", "a name that the owner of the market allows (nodes.names)")
	case over(h.Processors, a.Processors):
		return market.Wrong("processors", fmt.Sprintf(why, a.Processors, "processors"))
	case h.Rating < task.LeastRating:
		return market.Wrong("rating", fmt.Sprintf("%v at least: a processor of rating 1 does a second of work in a second", task.LeastRating))
	case over(h.Speed, a.Rating): // of a whole processor: what was used is reckoned with it
		return market.Wrong("speed", fmt.Sprintf(why, a.Rating, "rating"))
	case a.Speed > 0 && h.Speed > a.Speed*h.Rating: // it is sold by its rating, and would use up what was sold so many times as fast
		return market.Wrong("speed", fmt.Sprintf("at most %v times the rating, %v: the owner of the market allows no more (nodes.speed)", a.Speed, h.Rating))
	case over(h.MemoryMB, a.MemoryMB):
		return market.Wrong("memory_mb", fmt.Sprintf(why, a.MemoryMB, "memory_mb"))
	case over(h.DiskMB, a.DiskMB):
		return market.Wrong("disk_mb", fmt.Sprintf(why, a.DiskMB, "disk_mb"))
	case over(h.GPUs, a.GPUs):
		return market.Wrong("gpus", fmt.Sprintf(why, a.GPUs, "gpus"))
	case len(h.Missing) > mostMissing:
		return market.Wrong("missing", fmt.Sprintf("at most %d words", mostMissing))
	}
	for _, text := range append([]string{h.Boot, h.Agent, h.Limits, h.User, h.Runs, h.Seat, h.GPUKind, h.Features, h.Partition, h.Reserved}, h.Missing...) {
		if len(text) > MostSaid {
			return market.Wrong("node", fmt.Sprintf("nothing longer than %d bytes about itself", MostSaid))
		}
	}
	return nil
}

// named reports whether a node may have a name.
func (a *Allowance) named(name string) bool {
	for _, pattern := range a.Names {
		if is, err := path.Match(pattern, name); err == nil && is {
			return true
		}
	}
	return len(a.Names) == 0
}

// over reports whether a number is above a limit, if there is one.
func over[N int | int64 | float64](n, limit N) bool { return limit > 0 && n > limit }
