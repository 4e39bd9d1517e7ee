package replay

import (
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/experiment"
)

// Ground is what the jobs of a market run on, and what its partitions cost.
type Ground struct {
	Processors int
	Cluster    *experiment.Cluster // the nodes as they are; nil: so many plain ones
	Partitions *trade.Rates        // nil: the market has none

	rating float64 // of a processor of the market, as one of the ground does its work
	names  map[string]bool
}

// GroundOf is the nodes of a market that are up, each as fast as it is and in its partition,
// at the market's rates.
func GroundOf(nodes []v1.NodeView, rates v1.Rates) *Ground {
	g := &Ground{Cluster: &experiment.Cluster{}, rating: 1, names: map[string]bool{}}
	if len(rates.Partitions) > 0 {
		priced := trade.Rates(rates)
		g.Partitions = &priced
	}
	var up []market.Node
	for i := range nodes {
		n := &nodes[i]
		if !n.Up {
			continue
		}
		g.Processors += n.Processors
		g.names[n.Node] = true
		as := market.Plain()
		as.Name, as.Processors, as.Rating, as.Features, as.Base = n.Node, n.Processors, n.Rating, n.Features, market.Rates{}
		if g.Partitions != nil {
			as.Partition = n.Partition
		}
		up = append(up, as)
	}
	g.Cluster.Nodes = market.Each(up)
	return g
}

// Under is what the partitions cost at other rates; where those know none, what they cost now.
func (g *Ground) Under(rates v1.Rates) *trade.Rates {
	if g.Partitions == nil || len(rates.Partitions) == 0 {
		return g.Partitions
	}
	other := trade.Rates(rates)
	return &other
}

// Plain is as many plain processors in the place of these nodes, each as fast as these are on
// average. Of partitions it knows nothing.
func (g *Ground) Plain(processors int) *Ground {
	rating, all := 0.0, 0
	for i := range g.Cluster.Nodes.Len() {
		n := g.Cluster.Nodes.At(i)
		rating, all = rating+n.Rating*float64(n.Processors), all+n.Processors
	}
	p := &Ground{Processors: processors, rating: 1}
	if all > 0 {
		p.rating = rating / float64(all)
	}
	return p
}

// where is on which nodes of the ground a job of the past may be. Nodes that are not there any
// more are not asked for, and one whose partition is not sold any more is in the usual one.
func (g *Ground) where(r *v1.Request) *market.Where {
	if g.Cluster == nil {
		return nil
	}
	gone := func(name string) bool { return !g.names[name] }
	w := market.Where{
		Nodes: strings.Join(slices.DeleteFunc(slices.Clone(r.Nodelist), gone), ","), Exclude: strings.Join(r.Exclude, ","), Constraint: r.Constraint,
	}
	if g.Partitions != nil && g.Partitions.Knows(r.Partition) {
		w.Partition = r.Partition
	}
	if w == (market.Where{}) {
		return nil
	}
	return &w
}
