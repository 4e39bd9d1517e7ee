package book

import "github.com/libra-market/libra/core/market"

// mostChosen bounds what is remembered of the nodes that jobs may be on.
const mostChosen = 256

// may reports whether a job may be on a node. What was found out once is remembered:
// policies ask it of every processor, and then of the same job: even to look up a list of many
// names is too much for each.
func (p *processors) may(node int, where *market.Where) bool {
	if where == p.asked {
		return p.askedOn[node]
	}
	on, known := p.chosen[*where]
	if !known {
		on = p.choose(where)
		if p.chosen == nil || len(p.chosen) >= mostChosen {
			p.chosen = map[market.Where][]bool{}
		}
		p.chosen[*where] = on
	}
	p.asked, p.askedOn = where, on
	return on[node]
}

// choose is on which nodes such a job may be: on none where it names one that is not there.
func (p *processors) choose(where *market.Where) []bool {
	on, found := make([]bool, len(p.nodes)), map[string]bool{}
	takes := where.Chooser()
	for i := range p.nodes {
		on[i] = takes(&p.nodes[i])
		found[p.nodes[i].Name] = true
	}
	for _, name := range where.Names() {
		if !found[name] {
			return make([]bool, len(p.nodes))
		}
	}
	return on
}

// within reports whether a job may be on some processors.
func (p *processors) within(procs market.Procs, where *market.Where) bool {
	for proc := range procs.All() {
		if !p.may(int(p.nodeOf[proc]), where) {
			return false
		}
	}
	return true
}
