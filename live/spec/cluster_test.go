package spec

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

func TestCluster(t *testing.T) {
	f, err := os.Open("testdata/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cluster, err := ReadCluster("cluster.yaml", f)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cluster.Nodes()
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != 19 {
		t.Fatalf("%d nodes", len(nodes))
	}
	for at, want := range map[int]market.Node{
		0:  {Name: "blade-0", Processors: 8, Rating: 1, Memory: 32000, Disk: 500000, Base: market.Rates{Processor: 1}},
		15: {Name: "blade-15", Processors: 8, Rating: 1, Memory: 32000, Disk: 500000, Base: market.Rates{Processor: 1}},
		17: {
			Name: "fat-1", Processors: 64, Rating: 1.6, Memory: 1099512, Disk: 8000000,
			Base: market.Rates{Processor: 2.5, Memory: 0.00001},
		},
		18: {
			Name: "old-0", Processors: 1, Rating: 0.5, Memory: market.NoLimit, Disk: market.NoLimit,
			Base: market.Rates{Processor: 0.2},
		},
	} {
		if nodes[at] != want {
			t.Errorf("node %d: got %+v, want %+v", at, nodes[at], want)
		}
	}
}

func TestPlainCluster(t *testing.T) {
	cluster, err := ReadCluster("c.json", strings.NewReader(`{"groups": [{"count": 3}, {"memory": "unlimited"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cluster.Nodes()
	if err != nil || !reflect.DeepEqual(nodes, market.PlainNodes(4)) {
		t.Errorf("got %+v, %v", nodes, err)
	}
	var text bytes.Buffer
	if err := cluster.Encode(&text); err != nil {
		t.Fatal(err)
	}
	const want = "groups:\n  - count: 3\n  - {}\n"
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
}

func TestClusterMessages(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "c.yaml: want one description of a cluster, not 0"},
		{"two", "groups: [{}]\n---\ngroups: [{}]\n", "c.yaml: want one description of a cluster, not 2"},
		{"no groups", "{}", "c.yaml:1: groups: missing"},
		{"empty list", "groups: []", "c.yaml:1: groups: a cluster needs at least one group of nodes"},
		{"not a list", "groups: {count: 1}", "c.yaml:1: groups: want a list of node groups, not a mapping"},
		{"a bare list", "- count: 1", "c.yaml:1: want fields such as groups, not a list"},
		{"unknown top", "groups: [{}]\nnodes: 3\n", "c.yaml:2: nodes: unknown field (want groups)"},
		{"field at top", "groups: [{}]\ncount: 3\n", "c.yaml:2: count: unknown field (it belongs in groups)"},
		{"unknown field", "groups:\n  - count: 1\n  - ratings: 2\n", "c.yaml:3: groups[1].ratings: unknown field (did you mean rating?)"},
		{"unknown price", "groups:\n  - prices: {cpu: 2}\n", "c.yaml:2: groups[0].prices.cpu: unknown field (did you mean processor?)"},
		{"no rating", "groups:\n  - count: 1\n    rating: 0\n", "c.yaml:3: groups[0].rating: 0 makes no sense (want a number from 0.000001 to 1000000000)"},
		{"count", "groups:\n  - count: 1000000000\n", `c.yaml:2: groups[0].count: want a whole number from 1 to 4194304, not "1000000000"`},
		{
			"nodes", "groups:\n  - count: 3000000\n  - count: 3000000\n",
			"c.yaml:3: groups[1].count: 6000000 nodes up to here, and a cluster has at most 4194304",
		},
		{
			"processors", "groups:\n  - count: 200000\n    processors: 1000\n",
			"c.yaml:3: groups[0].processors: 200000000 processors up to here, and a cluster has at most 16777216",
		},
		{"names", "groups:\n  - name: a\n  - name: a\n", "c.yaml:3: groups[1].name: groups[0] has that name already"},
		{"price", "groups:\n  - prices: {disk: -1}\n", `c.yaml:2: groups[0].prices.disk: "-1" is less than nothing`},
		{"group", "groups:\n  - 5\n", `c.yaml:2: groups[0]: want fields such as name, not "5"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster, err := ReadCluster("c.yaml", strings.NewReader(c.text))
			if err == nil {
				t.Fatalf("accepted as %+v", cluster)
			}
			if err.Error() != c.want {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}
