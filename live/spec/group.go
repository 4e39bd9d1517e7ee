package spec

import (
	"fmt"

	yaml "go.yaml.in/yaml/v3"
)

// groups is the list of a cluster's node groups as a file holds it.
type groups []Group

func (g *groups) read(r *reader, path string, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, path, "want a list of node groups, not %s", describe(n))
		return
	}
	for i, item := range n.Content {
		group := DefaultGroup()
		at := fmt.Sprintf("%s[%d]", path, i)
		r.seen(at, item)
		group.table().read(r, at, item)
		*g = append(*g, group)
	}
}

func (g *groups) write(value) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range *g {
		usual := DefaultGroup()
		item := (*g)[i].table().write(usual.table())
		if item == nil {
			item = &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		}
		list.Content = append(list.Content, item)
	}
	return list
}
