package spec

import (
	yaml "go.yaml.in/yaml/v3"
)

// commandLine is what a job runs: a list of words, or one line for the shell.
type commandLine struct{ at *[]string }

func command(at *[]string) commandLine { return commandLine{at} }

func (c commandLine) read(r *reader, path string, n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Value == "" {
			r.fail(n, path, "empty")
			return
		}
		*c.at = []string{"sh", "-c", n.Value}
	case yaml.SequenceNode:
		if len(n.Content) == 0 {
			r.fail(n, path, "empty")
			return
		}
		*c.at = nil
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode || null(item) {
				r.fail(item, path, "want a list of words, and %s is not a word", describe(item))
				return
			}
			*c.at = append(*c.at, item.Value)
		}
	default:
		r.fail(n, path, "want a line for the shell or a list of words, not %s", describe(n))
	}
}

func (c commandLine) write(value) *yaml.Node {
	words := *c.at
	if len(words) == 0 {
		return nil
	}
	if len(words) == 3 && words[0] == "sh" && words[1] == "-c" && words[2] != "" {
		return stringNode(words[2])
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, w := range words {
		list.Content = append(list.Content, stringNode(w))
	}
	return list
}
