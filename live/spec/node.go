package spec

import (
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v3"
)

// null reports whether a name was given no value.
func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// describe says to the writer of a file what stands at a place.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case null(n):
		return "nothing"
	default:
		return quote(n.Value)
	}
}

// numberNode writes its text as it is, without quotes.
func numberNode(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// stringNode writes a string, quoted where it could be read as something else.
func stringNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if oldBool(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) {
		n.Style = yaml.DoubleQuotedStyle // nothing is lost between quotes
	}
	return n
}

// oldBool reports whether a reader of YAML 1.1 would take the word for true or
// false. We do not, but what we write may be read by others.
func oldBool(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}
