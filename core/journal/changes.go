package journal

import "github.com/libra-market/libra/core/market"

// Extent is how much of a job has changed.
type Extent uint8

// What has changed of a job. They add up.
const (
	Speed   Extent = 1 << iota // how fast it advances
	Used                       // how far it is, as the core was told
	Reading                    // what was measured of its tasks that go on
	Whole                      // anything else
)

// Changes is what commands have changed since somebody last asked.
type Changes struct {
	Jobs    map[int64]Extent
	Procs   map[int]bool
	Quotes  map[string]bool
	Nodes   map[int]bool
	Epochs  int // that were written down before
	Stepped bool
	Bound   bool
	Resumed string
}

// Job notes that something of a job has changed.
func (c *Changes) Job(id int64, what Extent) {
	if c.Jobs == nil {
		c.Jobs = map[int64]Extent{}
	}
	c.Jobs[id] |= what
}

// Proc notes that something has changed on a processor.
func (c *Changes) Proc(proc int32) {
	if c.Procs == nil {
		c.Procs = map[int]bool{}
	}
	c.Procs[int(proc)] = true
}

// OnAll notes that something has changed on each of some processors.
func (c *Changes) OnAll(procs market.Procs) {
	for proc := range procs.All() {
		c.Proc(market.Int32(proc))
	}
}

// Quote notes that a quote has changed.
func (c *Changes) Quote(id string) {
	if c.Quotes == nil {
		c.Quotes = map[string]bool{}
	}
	c.Quotes[id] = true
}

// Node notes that a node has changed.
func (c *Changes) Node(index int) {
	if c.Nodes == nil {
		c.Nodes = map[int]bool{}
	}
	c.Nodes[index] = true
}
