package replay

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// The ground is the nodes that are up, as they are; a job of the past is where it could be now.
func TestGround(t *testing.T) {
	var nodes [3]v1.NodeView
	for i, name := range []string{"n1", "n2", "n3"} {
		n := &nodes[i]
		n.Node, n.Up, n.Processors, n.Rating, n.Features, n.Partition = name, i < 2, 1+2*i, float64(1+i), "ib", "fast"
	}
	rates := v1.Rates{Partitions: map[string]int64{"fast": 2_000_000, "slow": 1_000_000}, Partition: "slow"}
	plain, parted := GroundOf(nodes[:], v1.Rates{}), GroundOf(nodes[:], rates)
	for name, c := range map[string]struct {
		g         *Ground
		partition string
	}{"without partitions": {plain, ""}, "with partitions": {parted, "fast"}} {
		all := c.g.Cluster.Nodes.Kinds()
		if c.g.Processors != 4 || len(all) != 2 || all[1].Name != "n2" || all[1].Processors != 3 || all[1].Rating != 2 || all[1].Features != "ib" || all[1].Partition != c.partition {
			t.Errorf("%s: %d processors, %+v", name, c.g.Processors, all)
		}
	}
	if plain.Partitions != nil || plain.Under(rates) != nil {
		t.Error("a market without partitions has some")
	}
	if parted.Under(v1.Rates{}) != parted.Partitions || parted.Under(v1.Rates{Partitions: map[string]int64{"fast": 5}}).Partitions["fast"] != 5 {
		t.Error("partitions do not cost what they would")
	}
	for name, c := range map[string]struct {
		g    *Ground
		asks v1.Request
		want *market.Where
	}{
		"anywhere":                    {parted, v1.Request{}, nil},
		"on nodes, of which one":      {parted, v1.Request{Nodelist: []string{"n1", "n3", "n9"}}, &market.Where{Nodes: "n1"}},
		"on nodes that are gone":      {parted, v1.Request{Nodelist: []string{"n3"}}, nil},
		"not on some":                 {parted, v1.Request{Exclude: []string{"n1", "n3"}, Constraint: "ib"}, &market.Where{Exclude: "n1,n3", Constraint: "ib"}},
		"in a partition":              {parted, v1.Request{Partition: "fast"}, &market.Where{Partition: "fast"}},
		"in one that is not sold":     {parted, v1.Request{Partition: "gone"}, nil},
		"in one, where there is none": {plain, v1.Request{Partition: "fast", Nodelist: []string{"n2"}}, &market.Where{Nodes: "n2"}},
		"on plain processors":         {parted.Plain(8), v1.Request{Partition: "fast", Nodelist: []string{"n2"}}, nil},
	} {
		if got := c.g.where(&c.asks); (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if p := parted.Plain(8); p.Processors != 8 || p.rating != 7./4 || p.Partitions != nil || p.Cluster != nil { // 1 of 1, 3 of 2
		t.Errorf("%+v", p)
	}
	if p := GroundOf(nil, rates).Plain(8); p.rating != 1 {
		t.Errorf("in the place of no nodes: %+v", p)
	}
}
