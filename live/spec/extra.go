package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// rawValue is a guarded node as plain data; see [Job.Extra].
func rawValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = rawValue(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = rawValue(item)
		}
		return list
	default: // a scalar
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if jsonNumber(n.Value) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

// rawNode writes an extra segment. A program may have put anything there that
// JSON can carry, so it goes through JSON first.
func rawNode(v any) (*yaml.Node, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return nil, err
	}
	return plainNode(plain, 2)
}

func plainNode(v any, depth int) (*yaml.Node, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("more than %d levels", MaxDepth)
	}
	switch v := v.(type) {
	case nil:
		return numberNode("null"), nil
	case bool:
		return numberNode(fmt.Sprint(v)), nil
	case json.Number:
		return numberNode(v.String()), nil
	case string:
		return stringNode(v), nil
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			n, err := plainNode(item, depth+1)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, n)
		}
		return list, nil
	case map[string]any:
		mapping := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n, err := plainNode(v[key], depth+1)
			if err != nil {
				return nil, err
			}
			mapping.Content = append(mapping.Content, stringNode(key), n)
		}
		return mapping, nil
	default:
		return nil, fmt.Errorf("%T cannot be written", v) // not reached: JSON has no more
	}
}
