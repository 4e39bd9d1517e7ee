package journal

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/market"
)

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
	jobs    []Touch // as they came; see Jobs
	Procs   map[int]bool
	Quotes  map[string]bool
	Nodes   map[int]bool
	Epochs  int // that were written down before
	Stepped bool
	Bound   bool
	Resumed string
}

// Touch is a job of which something has changed.
type Touch struct {
	ID   int64
	What Extent
}

// Job notes that something of a job has changed. An event under proportional share says
// it of many, mostly in their order: they are put together when somebody asks.
func (c *Changes) Job(id int64, what Extent) {
	if n := len(c.jobs); n >= 1024 && n == cap(c.jobs) { // before more room is taken for the same ones
		c.Jobs()
	}
	c.jobs = append(c.jobs, Touch{id, what})
}

// Jobs are the jobs of which something has changed, each once and in order.
func (c *Changes) Jobs() []Touch {
	slices.SortFunc(c.jobs, func(a, b Touch) int { return cmp.Compare(a.ID, b.ID) })
	all := c.jobs[:0]
	for _, t := range c.jobs {
		if n := len(all); n > 0 && all[n-1].ID == t.ID {
			all[n-1].What |= t.What
		} else {
			all = append(all, t)
		}
	}
	c.jobs = all
	return all
}

// Next is empty, with room for as many jobs as there were.
func (c *Changes) Next(epochs int) Changes { return Changes{jobs: c.jobs[:0], Epochs: epochs} }

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
