package sim

import "github.com/libra-market/libra/core/market"

// copied is what sites have said at an instant, in the numbers of all of them. What
// an event of a cluster points to holds until that cluster's next step, and a
// cluster may step several times at one instant, so all of it is copied.
type copied struct {
	events []market.Event
	specs  []market.Job
	blocks market.Procs
	slices []market.Slice
}

func (c *copied) clear() {
	c.events, c.specs, c.blocks, c.slices = c.events[:0], c.specs[:0], c.blocks[:0], c.slices[:0]
}

// add copies an event of one of so many sites. Where a list outgrows its array,
// what was said before goes on pointing into the old one.
func (c *copied) add(e *market.Event, site, sites, stride int32) {
	said := *e
	if e.Slot >= 0 {
		said.Slot = e.Slot*sites + site
	}
	if e.Proc >= 0 {
		said.Proc = e.Proc + site*stride
	}
	if e.Spec != nil {
		c.specs = append(c.specs, *e.Spec)
		said.Spec = &c.specs[len(c.specs)-1]
	}
	if len(e.Procs) > 0 {
		from := len(c.blocks)
		for _, b := range e.Procs {
			c.blocks = append(c.blocks, market.Block{Bits: b.Bits, Index: b.Index + site*stride/64})
		}
		said.Procs = c.blocks[from:]
	}
	if len(e.Slices) > 0 {
		from := len(c.slices)
		for _, s := range e.Slices {
			s.Slot = s.Slot*sites + site
			c.slices = append(c.slices, s)
		}
		said.Slices = c.slices[from:]
	}
	c.events = append(c.events, said)
}
