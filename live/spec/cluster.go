package spec

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// MaxNodes bounds the nodes of one cluster, so that a slip of the hand in a
// count does not become gigabytes.
const MaxNodes = 1 << 22

// Cluster describes a cluster as groups of equal nodes.
type Cluster struct {
	Groups []Group
}

// Group is a number of equal nodes.
type Group struct {
	Count int
	Node  market.Node // each of them; its name is the stem of their names
}

// DefaultGroup is one plain node.
func DefaultGroup() Group { return Group{Count: 1, Node: market.Plain()} }

func (c *Cluster) table() table {
	return table{{name: "groups", value: (*groups)(&c.Groups), required: true}}
}

func (g *Group) table() table {
	n := &g.Node
	return table{
		{name: "name", value: text(&n.Name)},
		{name: "count", value: whole(&g.Count, MaxNodes)},
		{name: "processors", value: whole(&n.Processors, market.MaxWidth)},
		{name: "rating", value: number(&n.Rating)},
		{name: "memory", value: orWord("unlimited", market.NoLimit, &n.Memory, megabytes(&n.Memory))},
		{name: "disk", value: orWord("unlimited", market.NoLimit, &n.Disk, megabytes(&n.Disk))},
		{name: "gpus", value: whole(&n.GPUs, market.MaxGPUs)},
		{name: "gpu_kind", value: text(&n.GPUKind)},
		{name: "partition", value: text(&n.Partition)},
		{name: "prices", value: table{
			{name: "processor", value: number(&n.Base.Processor)},
			{name: "memory", value: number(&n.Base.Memory)},
			{name: "disk", value: number(&n.Base.Disk)},
			{name: "gpus", value: number(&n.Base.GPU)},
			{name: "gpu_kinds", value: text(&n.Base.GPUKinds)},
		}},
	}
}

// Nodes lists the nodes, group by group. The nodes of a group named blade are
// blade-0, blade-1 and so on; those of a group without a name have none.
func (c *Cluster) Nodes() ([]market.Node, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var nodes []market.Node
	for _, g := range c.Groups {
		for i := range g.Count {
			node := g.Node
			if node.Name != "" {
				node.Name = fmt.Sprintf("%s-%d", node.Name, i)
			}
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

var nodePaths = map[string]string{
	"processors":      "processors",
	"rating":          "rating",
	"memory_mb":       "memory",
	"disk_mb":         "disk",
	"processor_price": "prices.processor",
	"memory_price":    "prices.memory",
	"disk_price":      "prices.disk",
	"gpus":            "gpus",
	"gpu_price":       "prices.gpus",
}

// Validate returns an [*Error] naming the first field that makes no sense.
func (c *Cluster) Validate() error {
	if len(c.Groups) == 0 {
		return &Error{Field: "groups", Problem: "a cluster needs at least one group of nodes"}
	}
	nodes, processors := 0, 0
	names := map[string]int{}
	for i, g := range c.Groups {
		wrong := func(field, format string, args ...any) error {
			return &Error{Field: fmt.Sprintf("groups[%d].%s", i, field), Problem: fmt.Sprintf(format, args...)}
		}
		if problem := unfitName(g.Node.Name); problem != "" {
			return wrong("name", "%s", problem)
		}
		if twin, taken := names[g.Node.Name]; taken && g.Node.Name != "" {
			return wrong("name", "groups[%d] has that name already", twin)
		}
		names[g.Node.Name] = i
		if g.Count < 1 || g.Count > MaxNodes {
			return wrong("count", "%d makes no sense (want 1 to %d)", g.Count, MaxNodes)
		}
		if err := g.Node.Validate(); err != nil {
			at := fromMarket(err, nodePaths, "prices")
			return wrong(at.Field, "%s", at.Problem)
		}
		if p := g.Node.Partition; p != "" && !market.Word(p) {
			return wrong("partition", "want a word of letters, digits, - _ and .")
		}
		if beyond(g.Node.Memory) {
			return wrong("memory", "%d MB makes no sense (want at most %.0f, or unlimited)", g.Node.Memory, most)
		}
		if beyond(g.Node.Disk) {
			return wrong("disk", "%d MB makes no sense (want at most %.0f, or unlimited)", g.Node.Disk, most)
		}
		if nodes += g.Count; nodes > MaxNodes {
			return wrong("count", "%d nodes up to here, and a cluster has at most %d", nodes, MaxNodes)
		}
		// Both factors are at most 2^24, so the product is far from overflowing.
		if processors += g.Count * g.Node.Processors; processors > market.MaxWidth {
			return wrong("processors", "%d processors up to here, and a cluster has at most %d",
				processors, market.MaxWidth)
		}
	}
	return nil
}

// beyond reports whether a size could not be read back from a file.
func beyond(mb int64) bool { return mb > most && mb != market.NoLimit }
