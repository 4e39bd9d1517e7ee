package spec

import (
	yaml "go.yaml.in/yaml/v3"
)

// value is a place in a job or a cluster that a file can speak of. It is read
// from a node of the file and written back as one.
type value interface {
	// read sets the place, or tells the reader what is wrong.
	read(r *reader, path string, n *yaml.Node)
	// write returns nil if the place holds what it holds in usual, which is
	// the same place of a default; usual is nil if it is to be written anyway.
	write(usual value) *yaml.Node
}

// field is a value with its name.
type field struct {
	name     string
	value    value
	required bool
}

// table is a mapping of the file: its fields in the order in which they are
// written. It is made anew for every job and points into it, so that one list
// of names serves reading, writing and suggestions.
type table []field

func (t table) names() []string {
	names := make([]string, len(t))
	for i, f := range t {
		names[i] = f.name
	}
	return names
}

func (t table) find(name string) (field, bool) {
	for _, f := range t {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (t table) read(r *reader, path string, n *yaml.Node) {
	t.readOr(r, path, n, func(key, _ *yaml.Node) {
		r.fail(key, join(path, key.Value), "unknown field%s", r.hint(key.Value, path, t.names()))
	})
}

// readOr reads the mapping and leaves what is in none of the fields to other.
func (t table) readOr(r *reader, path string, n *yaml.Node, other func(key, value *yaml.Node)) {
	given := map[string]bool{}
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			f, known := t.find(key.Value)
			if !known {
				other(key, value)
				continue
			}
			at := join(path, f.name)
			r.seen(at, key)
			if null(value) {
				continue // a name without a value says nothing, as in JSON
			}
			given[f.name] = true
			f.value.read(r, at, value)
		}
	case !null(n):
		r.fail(n, path, "want fields such as %s, not %s", example(t), describe(n))
		return
	}
	t.missing(r, path, n, given)
}

// missing names the required fields that were not given, also within tables
// that were not given at all.
func (t table) missing(r *reader, path string, n *yaml.Node, given map[string]bool) {
	n = r.nearest(path, n) // the line of the name, where the mapping has one
	for _, f := range t {
		if given[f.name] {
			continue
		}
		at := join(path, f.name)
		if inner, ok := f.value.(table); ok {
			inner.missing(r, at, n, nil)
		} else if f.required {
			r.fail(r.nearest(at, n), at, "missing")
		}
	}
}

func (t table) write(usual value) *yaml.Node {
	mapping := &yaml.Node{Kind: yaml.MappingNode}
	others, _ := usual.(table)
	for i, f := range t {
		var other value
		if others != nil && !f.required {
			other = others[i].value
		}
		if n := f.value.write(other); n != nil {
			mapping.Content = append(mapping.Content, stringNode(f.name), n)
		}
	}
	if len(mapping.Content) == 0 {
		return nil
	}
	return mapping
}

// example shows what a line of the table looks like.
func example(t table) string {
	for _, f := range t {
		if f.required {
			return f.name
		}
	}
	return t[0].name
}

func join(path, name string) string {
	if path == "" {
		return plainKey(name)
	}
	return path + "." + plainKey(name)
}
