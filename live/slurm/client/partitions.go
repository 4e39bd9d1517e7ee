package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Closings is a Slurm that can say which partitions begin nothing.
type Closings interface {
	// Closed says of partitions that begin no job in what state they are: DOWN, INACTIVE. One that
	// drains begins those that it has.
	Closed(ctx context.Context) (map[string]string, error)
}

// Closed says which partitions begin nothing.
func (c *commands) Closed(ctx context.Context) (map[string]string, error) {
	out, err := c.run(ctx, call{argv: []string{"scontrol", "--oneliner", "--all", "show", "partitions"}})
	if err != nil {
		return nil, fmt.Errorf("list partitions: %w", err)
	}
	return readClosed(out), nil
}

// Closed says which partitions begin nothing; without Slurm's commands nobody knows.
func (r *rest) Closed(ctx context.Context) (map[string]string, error) {
	if r.killer == nil {
		return nil, nil
	}
	return r.killer.Closed(ctx)
}

// readClosed reads a partition from each line.
func readClosed(out string) map[string]string {
	closed := map[string]string{}
	for line := range strings.Lines(out) {
		name, state := "", ""
		for word := range strings.FieldsSeq(line) {
			if value, is := strings.CutPrefix(word, "PartitionName="); is {
				name = value
			} else if value, is := strings.CutPrefix(word, "State="); is {
				state = value
			}
		}
		if state == "DOWN" || state == "INACTIVE" {
			closed[name] = state
		}
	}
	return closed
}

// among are those of some partitions that are named, several with commas between them.
func among(named string, partitions []string) (found []string) {
	for name := range strings.SplitSeq(named, ",") {
		if slices.Contains(partitions, name) {
			found = append(found, name)
		}
	}
	return found
}

// place notes in which of the partitions that are named a node is, and reports whether it is in
// any. Of one alone there is nothing to note.
func (n *Node) place(named string, partitions []string) bool {
	found := among(named, partitions)
	if len(found) == 0 {
		return false
	}
	if strings.Contains(named, ",") {
		n.Partition, n.Also = found[0], found[1:]
	}
	return true
}
