package exchange

import (
	"fmt"
	"path"

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
	MemoryMB      int64    `json:"memory_mb,omitempty"`
	DiskMB        int64    `json:"disk_mb,omitempty"`
	AllProcessors int      `json:"all_processors,omitempty"` // of all nodes together
	AllMemoryMB   int64    `json:"all_memory_mb,omitempty"`
	AllDiskMB     int64    `json:"all_disk_mb,omitempty"`
}

// DefaultAllowance is far above what a site has and far below what would put a
// market out of order.
func DefaultAllowance() Allowance {
	return Allowance{
		Nodes: 10_000, Processors: 4096, Rating: 1000, MemoryMB: 64 << 20, DiskMB: 1 << 30,
		AllProcessors: 1 << 17, AllMemoryMB: 64 << 30, AllDiskMB: 1 << 40,
	}
}

// Validate names the first limit that makes no sense.
func (a *Allowance) Validate() error {
	for _, pattern := range a.Names {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return bad("names", fmt.Sprintf("names, or patterns such as node*, not %q", pattern))
		}
	}
	for _, n := range []struct {
		name  string
		limit float64
	}{
		{"most", float64(a.Nodes)},
		{"processors", float64(a.Processors)},
		{"rating", a.Rating},
		{"memory_mb", float64(a.MemoryMB)},
		{"disk_mb", float64(a.DiskMB)},
		{"all_processors", float64(a.AllProcessors)},
		{"all_memory_mb", float64(a.AllMemoryMB)},
		{"all_disk_mb", float64(a.AllDiskMB)},
	} {
		if !(n.limit >= 0) {
			return bad(n.name, "0 (no limit) or more")
		}
	}
	return nil
}

// Of what a node says in words, so much is kept.
const (
	mostWords   = 256 // bytes of one
	mostMissing = 32
	mostShapes  = 64 // in which a node may have come
)

// admits refuses a node that announces more than the owner allows, or that would
// make all of them more than that. One that is known is held to the same when it
// comes again.
func (x *state) admits(a *Allowance, h *task.Hello) error {
	if err := a.admitsAlone(h); err != nil {
		return err
	}
	nodes, processors, shapes := 1, h.Processors, 0
	memory, disk := float64(h.MemoryMB), float64(h.DiskMB) // each may be all that an integer holds
	for _, n := range x.nodes {
		if n.Node == h.Node {
			shapes++
			continue // this one stands in its place
		}
		if !n.Retired {
			nodes, processors = nodes+1, processors+n.Processors
			memory, disk = memory+float64(n.MemoryMB), disk+float64(n.DiskMB)
		}
	}
	index, known := x.byName[h.Node]
	switch {
	case over(nodes, a.Nodes):
		return bad("node", fmt.Sprintf("one of %d: so many have joined, and the owner of the market allows no more (nodes.most)", a.Nodes))
	case over(processors, a.AllProcessors):
		return bad("processors", fmt.Sprintf("fewer: all nodes together would have %d, and the owner of the market allows %d (nodes.all_processors)", processors, a.AllProcessors))
	case over(memory, float64(a.AllMemoryMB)):
		return bad("memory_mb", fmt.Sprintf("less: all nodes together would have %.0f, and the owner of the market allows %d (nodes.all_memory_mb)", memory, a.AllMemoryMB))
	case over(disk, float64(a.AllDiskMB)):
		return bad("disk_mb", fmt.Sprintf("less: all nodes together would have %.0f, and the owner of the market allows %d (nodes.all_disk_mb)", disk, a.AllDiskMB))
	case shapes >= mostShapes && known && !sameShape(&x.nodes[index].Hello, h):
		return bad("node", fmt.Sprintf("another name: it has come in %d shapes, and each is kept (a fixed --rating keeps a node in shape)", shapes))
	}
	return nil
}

// admitsAlone looks at one node by itself.
func (a *Allowance) admitsAlone(h *task.Hello) error {
	why := "%v or less: the owner of the market allows no more (nodes.%s)"
	switch {
	case !a.named(h.Node):
		return bad("node", "a name that the owner of the market allows (nodes.names)")
	case over(h.Processors, a.Processors):
		return bad("processors", fmt.Sprintf(why, a.Processors, "processors"))
	case over(h.Speed, a.Rating): // of a whole processor: what was used is reckoned with it
		return bad("speed", fmt.Sprintf(why, a.Rating, "rating"))
	case over(h.MemoryMB, a.MemoryMB):
		return bad("memory_mb", fmt.Sprintf(why, a.MemoryMB, "memory_mb"))
	case over(h.DiskMB, a.DiskMB):
		return bad("disk_mb", fmt.Sprintf(why, a.DiskMB, "disk_mb"))
	case len(h.Missing) > mostMissing:
		return bad("missing", fmt.Sprintf("at most %d words", mostMissing))
	}
	for _, text := range append([]string{h.Boot, h.Agent, h.Limits, h.User, h.Runs}, h.Missing...) {
		if len(text) > mostWords {
			return bad("node", fmt.Sprintf("nothing longer than %d bytes about itself", mostWords))
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
