package roster

import (
	"maps"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Places is what a request asks of all nodes together that it may be on, as they are set aside now.
// Like a census it is taken once, and again when a node has changed.
type Places struct {
	Up      int     // nodes that are up, as all that follows
	Fastest float64 // rating; 0: there is none
	sizes   map[int]int
	alike   []*Node // of the nodes that have not retired, up or not and set aside or not, one of each shape
}

// mostPlaces bounds what is remembered of what requests say, in bytes.
const mostPlaces = 8 << 20

// Lanes is how many processors there are, as many of each node as make up whole sets.
func (p *Places) Lanes(each int) (sum int) {
	for size, nodes := range p.sizes {
		sum += (size - size%each) * nodes
	}
	return sum
}

// LanesOn is the same of no more nodes than so many: of the largest.
func (p *Places) LanesOn(most, each int) (sum int) {
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(p.sizes))) {
		n := min(most, p.sizes[size])
		sum += (size - size%each) * n
		most -= n
	}
	return sum
}

// Places are those of a job.
func (r *Roster) Places(where *market.Where) *Places {
	key := market.Where{}
	if where != nil {
		key = *where
	}
	p := r.places.of[key]
	if p == nil {
		p = r.places.survey(r.nodes, &key)
		const entry = 256
		size := entry + len(key.Nodes) + len(key.Exclude) + len(key.Constraint) + 8*len(p.alike)
		if r.places.of == nil || r.places.size+size > mostPlaces {
			r.places.of, r.places.size = map[market.Where]*Places{}, 0
		}
		r.places.of[key] = p
		r.places.size += size
	}
	return p
}

// places is what is remembered, until a node changes.
type places struct {
	of     map[market.Where]*Places
	size   int                // about, in bytes
	called map[string][]*Node // by name, of which there may be some of before; nil: nobody has asked
}

// survey takes the places of a job.
func (s *places) survey(nodes []*Node, where *market.Where) *Places {
	p, seen := &Places{sizes: map[int]int{}}, map[shape]bool{}
	for _, n := range Among(s.among(nodes, where), where) {
		if n.Up && n.Reserved == where.Reservation {
			p.Up++
			p.sizes[n.Processors]++
			p.Fastest = max(p.Fastest, n.Rating)
		}
		if is := shapeOf(n); !n.Retired && !seen[is] {
			seen[is] = true
			p.alike = append(p.alike, n)
		}
	}
	return p
}

// among are the nodes that are to be asked whether a job may be on them: where it names some,
// those alone.
func (s *places) among(nodes []*Node, where *market.Where) (named []*Node) {
	if where.Nodes == "" {
		return nodes
	}
	if s.called == nil {
		s.called = map[string][]*Node{}
		for _, n := range nodes {
			s.called[n.Node] = append(s.called[n.Node], n)
		}
	}
	twice := map[string]bool{}
	for _, name := range where.Names() {
		if !twice[name] {
			twice[name] = true
			named = append(named, s.called[name]...)
		}
	}
	return named
}
