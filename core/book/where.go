package book

import "github.com/libra-market/libra/core/market"

// mostChosen bounds what is remembered of the nodes that jobs may be on, in bytes: it is asked for
// all who wait, one after the other, and where there are more than are remembered, each is worked
// out anew each time.
const mostChosen = 32 << 20

// may reports whether a job may be on a node. What was found out once is remembered:
// policies ask it of every processor, and then of the same job: even to look up a list of many
// names is too much for each.
func (p *processors) may(node int, where *market.Where) bool {
	on := p.on(where)
	return on.has(node)
}

// on is on which nodes such a job may be.
func (p *processors) on(where *market.Where) bitset {
	if where == p.asked {
		return p.askedOn
	}
	on, known := p.chosen[*where]
	if !known {
		on = p.choose(where)
		const entry = 128
		size := entry + len(where.Nodes) + len(where.Exclude) + len(where.Constraint) + len(where.Partition) + len(where.Reservation) + p.nodes.Len()/8
		if p.chosen == nil || p.chosenSize+size > mostChosen {
			p.chosen, p.chosenSize = map[market.Where]bitset{}, 0
		}
		p.chosen[*where] = on
		p.chosenSize += size
	}
	p.asked, p.askedOn = where, on
	return on
}

// choose works that out: on none where it names one that is not there.
func (p *processors) choose(where *market.Where) bitset {
	on, takes := newBitset(p.nodes.Len()), where.Chooser()
	if where.Nodes == "" {
		for i := range p.nodes.Len() {
			if takes(p.nodes.At(i)) {
				on.set(i)
			}
		}
		return on
	}
	for _, name := range where.Names() {
		called := p.called(name)
		if len(called) == 0 {
			return newBitset(p.nodes.Len())
		}
		for _, i := range called {
			if takes(p.nodes.At(int(i))) {
				on.set(int(i))
			}
		}
	}
	return on
}

// called are the nodes of a name: there may be some of before, which are down for good.
func (p *processors) called(name string) []int32 {
	if p.byName == nil {
		p.byName = map[string][]int32{}
		for i := range p.nodes.Len() {
			is := p.nodes.At(i).Name
			p.byName[is] = append(p.byName[is], market.Int32(i))
		}
	}
	return p.byName[name]
}

// within reports whether a job may be on some processors.
func (p *processors) within(procs market.Procs, j *market.Job) bool {
	if j.Where == nil && !p.aside {
		return true
	}
	for proc := range procs.All() {
		if node := int(p.nodeOf[proc]); p.kept(node, j) || j.Where != nil && !p.may(node, j.Where) {
			return false
		}
	}
	return true
}

// kept reports whether a node is set aside for others than the job, or for nobody and the job
// is in a reservation. Who is there stays, and may have more of the processors that it is on.
func (p *processors) kept(node int, j *market.Job) bool {
	return p.only == nil && (p.aside || j.Where != nil) && !j.Where.Admits(p.nodes.At(node))
}
