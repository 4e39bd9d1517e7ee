package market_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

// A cluster of nodes that are alike is in every answer what it is node by node.
func TestNodesAlike(t *testing.T) {
	node := market.Plain()
	node.Processors, node.GPUs = 3, 2
	for _, count := range []int{0, 1, 5} {
		list := make([]market.Node, count)
		for i := range list {
			list[i] = node
		}
		dearer := func(n *market.Node) { n.Base.Processor = 7 }
		for name, both := range map[string][2]market.Nodes{
			"found alike":  {market.Compact(list), market.Each(list)},
			"as they are":  {market.Alike(node, count), market.Each(list)},
			"changed":      {market.Alike(node, count).With(dearer), market.Each(list).With(dearer)},
			"twice over":   {market.Alike(node, count).Times(2), market.Each(list).Times(2)},
			"thrice, dear": {market.Alike(node, count).Times(3).With(dearer), market.Each(list).Times(3).With(dearer)},
		} {
			alike, each := both[0], both[1]
			if alike.Len() != each.Len() || alike.Processors() != each.Processors() {
				t.Errorf("%s: %d nodes of %d processors, and node by node %d of %d", name, alike.Len(), alike.Processors(), each.Len(), each.Processors())
			}
			for i := range each.Len() {
				if *alike.At(i) != *each.At(i) {
					t.Errorf("%s: node %d is %+v, and by itself %+v", name, i, *alike.At(i), *each.At(i))
				}
			}
		}
		if count > 0 && (market.Alike(node, count).With(dearer).At(count-1).Base.Processor != 7 || market.Each(list).With(dearer).At(count-1).Base.Processor != 7) {
			t.Errorf("%d nodes: they are not changed", count)
		}
		if count > 0 && (list[0].Base.Processor != 1 || market.Alike(node, count).Len() != count || market.Alike(node, count).Processors() != 3*count) {
			t.Errorf("%d nodes: what was changed is theirs, or they are not as many", count)
		}
	}
	if n := market.Each([]market.Node{{Name: "a"}, {Name: "b"}}); n.At(1).Name != "b" || len(n.Kinds()) != 2 || n.Times(2).At(2).Name != "a" {
		t.Error("nodes that differ are taken for one another")
	}
	if n := market.Compact([]market.Node{{Name: "a"}, {Name: "a"}, {Name: "b"}}); n.At(2).Name != "b" || n.Len() != 3 {
		t.Error("nodes that differ are found alike")
	}
	if n := market.Compact([]market.Node{{Name: "a"}, {Name: "a"}}); len(n.Kinds()) != 1 {
		t.Error("nodes that are alike are kept one by one")
	}
	if market.Alike(node, -3).Len() != 0 {
		t.Error("fewer than none")
	}
}
