package client

import (
	"slices"
	"strings"
)

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
