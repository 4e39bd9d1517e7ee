package config

import (
	"errors"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
)

// Nodes is what the owner of a market lets nodes announce: a node is a party that
// may lie. 0 is no limit.
type Nodes struct {
	Names         []string `yaml:"names"`      // patterns such as node*; none: any
	Most          int      `yaml:"most"`       // nodes
	Processors    int      `yaml:"processors"` // of one node
	Rating        float64  `yaml:"rating"`
	Speed         float64  `yaml:"speed"` // of a whole processor, how many times the rating
	MemoryMB      int64    `yaml:"memory_mb"`
	DiskMB        int64    `yaml:"disk_mb"`
	GPUs          int      `yaml:"gpus"`
	AllProcessors int      `yaml:"all_processors"` // of all nodes together
	AllMemoryMB   int64    `yaml:"all_memory_mb"`
	AllDiskMB     int64    `yaml:"all_disk_mb"`
	AllGPUs       int      `yaml:"all_gpus"`
}

// Allowance is the same for the exchange.
func (n *Nodes) Allowance() roster.Allowance {
	return roster.Allowance{
		Names: n.Names, Nodes: n.Most, Processors: n.Processors, Rating: n.Rating, Speed: n.Speed, MemoryMB: n.MemoryMB, DiskMB: n.DiskMB, GPUs: n.GPUs,
		AllProcessors: n.AllProcessors, AllMemoryMB: n.AllMemoryMB, AllDiskMB: n.AllDiskMB, AllGPUs: n.AllGPUs,
	}
}

func defaultNodes() Nodes {
	a := roster.DefaultAllowance()
	return Nodes{
		Names: a.Names, Most: a.Nodes, Processors: a.Processors, Rating: a.Rating, Speed: a.Speed, MemoryMB: a.MemoryMB, DiskMB: a.DiskMB, GPUs: a.GPUs,
		AllProcessors: a.AllProcessors, AllMemoryMB: a.AllMemoryMB, AllDiskMB: a.AllDiskMB, AllGPUs: a.AllGPUs,
	}
}

func (n *Nodes) wrong(m *mistakes) {
	a := n.Allowance()
	err := a.Validate()
	if err == nil {
		return
	}
	at := "nodes"
	if field, ok := errors.AsType[*market.FieldError](err); ok {
		at += "." + field.Field
	}
	m.Add(err.Error(), "nodes", at)
}
