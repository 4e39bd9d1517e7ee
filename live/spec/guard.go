package spec

import (
	"fmt"

	yaml "go.yaml.in/yaml/v3"
)

// guard refuses what is legal YAML and still has no place in these files:
// whatever reads on behind it meets plain trees with text for keys, no deeper
// than they need to be.
type guard struct{ reader }

func (g *guard) visit(n *yaml.Node, path string, depth int) {
	switch {
	case g.full():
		return
	case depth > MaxDepth:
		g.fail(n, "", "more than %d levels", MaxDepth)
		return
	case n.Kind == yaml.AliasNode:
		// A few aliases of aliases can stand for more than a machine can hold.
		g.fail(n, path, "aliases are not read here (write out what *%s stands for)", n.Value)
		return
	case n.Style&yaml.TaggedStyle != 0:
		g.fail(n, path, "tags are not read here (drop %s)", quote(n.Tag))
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		g.mapping(n, path, depth)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			g.visit(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
	default: // has nothing in it
	}
}

func (g *guard) mapping(n *yaml.Node, path string, depth int) {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			g.fail(key, path, "want a name, not %s", describe(key))
			continue
		}
		at := join(path, key.Value)
		if key.Tag == "!!merge" {
			g.fail(key, at, "merge keys are not read here")
			continue
		}
		g.visit(key, at, depth+1)
		if first, twice := lines[key.Value]; twice {
			g.fail(key, at, "given twice (first in line %d)", first)
			continue
		}
		lines[key.Value] = key.Line
		g.visit(value, at, depth+1)
	}
}
