package client

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Nodes lists the nodes of a partition.
func (c *commands) Nodes(ctx context.Context, partition string) ([]Node, error) {
	out, err := c.run(ctx, call{argv: []string{"scontrol", "--oneliner", "--all", "--details", "show", "nodes"}})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	nodes, err := readNodes(out, partition)
	if err != nil {
		return nil, fmt.Errorf("%w: list nodes: %w", ErrAway, err)
	}
	return nodes, nil
}

// readNodes reads a node from each line: words Key=value, of which only the last,
// the reason, has space in it.
func readNodes(out, partition string) ([]Node, error) {
	var nodes []Node
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" || line == "No nodes in the system" {
			continue
		}
		rest, reason, _ := strings.Cut(line, " Reason=")
		values := map[string]string{}
		for word := range strings.FieldsSeq(rest) {
			if name, value, ok := strings.Cut(word, "="); ok {
				if _, twice := values[name]; !twice {
					values[name] = value
				}
			}
		}
		n := Node{Name: values["NodeName"], Reason: strings.TrimSpace(reason)}
		var wrong [4]error
		var processors int64
		processors, wrong[0] = strconv.ParseInt(values["CPUTot"], 10, 32)
		n.MemoryMB, wrong[1] = strconv.ParseInt(values["RealMemory"], 10, 64)
		n.Boot, wrong[2] = readTime(values["BootTime"])
		n.Slurmd, wrong[3] = readTime(values["SlurmdStartTime"])
		n.equip(values["Gres"], values["GresUsed"])
		n.label(absent(values["ActiveFeatures"]))
		if err := errors.Join(wrong[:]...); err != nil || n.Name == "" || values["State"] == "" {
			return nil, fmt.Errorf("%w: node %.40q: %w", errListing, n.Name, errors.Join(err))
		}
		n.Processors = int(processors)
		n.Up, n.Draining, n.Reserved = condition(strings.Split(values["State"], "+"))
		if n.place(partition, strings.Split(values["Partitions"], ",")) {
			nodes = append(nodes, n)
		}
	}
	return nodes, nil
}
