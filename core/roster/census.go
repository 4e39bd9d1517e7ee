package roster

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Census is what every request asks of all nodes together. It is taken when somebody
// asks after a node has come, gone or changed, so that a request costs the same on a
// cluster of ten nodes and of ten thousand.
type Census struct {
	Processors int // of the nodes that are up, as all that follows
	GPUs       int
	MemoryMB   int64
	DiskMB     int64
	Fastest    float64 // rating
	HoldAll    bool    // all nodes that have not retired stop by themselves what has had what was sold to it

	batch *Node   // one where a batch system runs the tasks
	usual []int64 // memory of a processor, one number for a node, by size
	ahead []*Node // that have not retired and are somebody else's from some time on
	up    int
	shut  []*Node // that are up and take no new jobs
	alike []*Node // of the nodes that have not retired, one of each shape
}

// Census is that of now.
func (r *Roster) Census() *Census {
	if r.census == nil {
		r.census = r.count()
	}
	return r.census
}

// CensusOf is that of a partition; "": of all nodes.
func (r *Roster) CensusOf(partition string) *Census {
	if partition == "" {
		return r.Census()
	}
	c := r.parts[partition]
	if c == nil {
		c = &Census{}
		for _, n := range r.nodes {
			if n.Up && !n.Retired && n.Partition == partition {
				c.add(n)
			}
		}
		if r.parts == nil {
			r.parts = map[string]*Census{}
		}
		r.parts[partition] = c
	}
	return c
}

// recount has the next who asks count again.
func (r *Roster) recount() {
	r.census, r.parts, r.places, r.shut, r.changed = nil, nil, places{}, nil, true
}

// Changed reports whether a node has come, gone or changed since it was asked last.
func (r *Roster) Changed() bool {
	changed := r.changed
	r.changed = false
	return changed
}

// shape is what tells a node from another to somebody who asks what could run there.
type shape struct {
	up, closed        bool
	processors, gpus  int
	memoryMB, diskMB  int64
	rating, fullSpeed float64
	gpuKind, reserved string
}

func shapeOf(n *Node) shape {
	return shape{n.Up, n.Closed, n.Processors, n.GPUs, n.MemoryMB, n.DiskMB, n.Rating, n.Speed, n.GPUKind, n.Reserved}
}

func (r *Roster) count() *Census {
	c := &Census{HoldAll: true}
	seen := map[shape]bool{}
	for _, n := range r.nodes {
		if n.Retired {
			continue
		}
		c.HoldAll = c.HoldAll && n.Holds
		if n.AheadUS != 0 {
			c.ahead = append(c.ahead, n)
		}
		if s := shapeOf(n); !seen[s] {
			seen[s] = true
			c.alike = append(c.alike, n)
		}
		if n.Up {
			c.add(n)
		}
	}
	slices.Sort(c.usual)
	return c
}

// add counts a node that is up.
func (c *Census) add(n *Node) {
	c.up++
	if n.Closed {
		c.shut = append(c.shut, n)
	}
	c.Processors += n.Processors
	c.GPUs += n.GPUs
	c.MemoryMB += n.MemoryMB
	c.DiskMB += n.DiskMB
	c.Fastest = max(c.Fastest, n.Rating)
	if c.batch == nil && n.Runs != "" {
		c.batch = n
	}
	if n.Processors > 0 {
		c.usual = append(c.usual, n.MemoryMB/int64(n.Processors))
	}
}

// Shut says after some words how many of the nodes that a job may be on take no new jobs, and whether none
// does; empty: all do.
func Shut(c *Census, words string, where *market.Where) (text string, all bool) {
	shut := Among(c.shut, where)
	switch {
	case len(shut) == 0:
		return "", false
	case len(shut) == c.up && shut[0].Why != "":
		return fmt.Sprintf("%sno node takes new jobs now (%s: %s)", words, shut[0].Node, shut[0].Why), true
	case len(shut) == c.up:
		return words + "no node takes new jobs now", true
	case len(shut) == 1:
		return fmt.Sprintf("%snode %s takes no new jobs now", words, shut[0].Node), false
	}
	return fmt.Sprintf("%s%d nodes take no new jobs now", words, len(shut)), false
}

// Barred says that none of the nodes that a job may be on takes new jobs, or that some are reserved before it
// may be done; empty: neither.
func Barred(c *Census, where *market.Where, now, until int64) string {
	if shut, all := Shut(c, "", where); all {
		return shut
	}
	return Soon(c, "", where, now, until)
}

// Worth is how many processors' worth of all nodes a job takes that takes so many: memory, disk
// and GPUs that nobody else can have count as the part of the cluster's that they are.
func (c *Census) Worth(asked *market.Job, processors float64) float64 {
	if c.GPUs > 0 {
		processors = max(processors, float64(asked.AllGPUs())/float64(c.GPUs)*float64(c.Processors))
	}
	for _, r := range [...]struct{ asked, all int64 }{{asked.Memory, c.MemoryMB}, {asked.Disk, c.DiskMB}} {
		if r.all > 0 {
			processors = max(processors, float64(r.asked)*float64(asked.Width)/float64(r.all)*float64(c.Processors))
		}
	}
	return processors
}
