package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/client"
)

// farOff is how much a rating may differ from the usual one before it is told.
const farOff = 0.2

// Compare says where the nodes of a partition and those of a market on it differ: names,
// processors, GPUs and ratings.
func Compare(partition string, slurms []client.Node, markets []v1.NodeView) []Finding {
	found := []Finding{}
	wrong := 0
	mismatch := func(format string, args ...any) {
		found, wrong = append(found, wrongf(format, args...)), wrong+1
	}
	known := map[string]*client.Node{}
	for i := range slurms {
		known[slurms[i].Name] = &slurms[i]
	}
	var ratings []float64
	for i := range markets {
		n := &markets[i]
		s := known[n.Node]
		delete(known, n.Node)
		if n.Up {
			ratings = append(ratings, n.Rating)
		}
		switch {
		case s == nil && n.Up:
			mismatch("the market has a node %s, and partition %s of Slurm has none of that name: give its agent Slurm's name of the node (libra agent --node)", n.Node, partition)
			continue
		case s == nil:
			found = append(found, good("the market remembers a node %s that partition %s of Slurm has not, or no more", n.Node, partition))
			continue
		case n.Up && n.Processors != s.Processors:
			mismatch("node %s has %s in Slurm and %s in the market: start its agent with --processors %d", n.Node, number(s.Processors, "processor"), number(n.Processors, "processor"), s.Processors)
		}
		if n.Up && n.Partition != s.Partition {
			mismatch("node %s is in partition %s of Slurm and in %s of the market: give libra serve the same partitions (slurm.partition)", n.Node, cmp.Or(s.Partition, partition), cmp.Or(n.Partition, "none"))
		}
		severalKinds := strings.Contains(n.GPUKind+s.GPUKind, ",") // in whatever order they are said
		if n.Up && (n.GPUs != s.GPUs || n.GPUKind != s.GPUKind && !severalKinds) {
			mismatch("node %s has %s in Slurm and %s in the market: start libra serve anew when Gres has changed", n.Node, gpus(s.GPUs, s.GPUKind), gpus(n.GPUs, n.GPUKind))
		}
		if s.Up && !s.Draining && !n.Up {
			mismatch("node %s is up in Slurm and not in the market (%s): see that its agent runs", n.Node, n.Why)
		}
	}
	for i := range slurms {
		if known[slurms[i].Name] != nil {
			mismatch("node %s of partition %s is not in the market: start an agent on it (libra agent --control slurm --node %[1]s)", slurms[i].Name, partition)
		}
	}
	if wrong == 0 {
		found = append(found, good("the market and partition %s have the same %s, with the same processors and GPUs", partition, number(len(slurms), "node")))
	}
	return append(found, oddRatings(markets, ratings)...)
}

// oddRatings tells of nodes that are much faster or slower than the one in the middle.
func oddRatings(markets []v1.NodeView, ratings []float64) []Finding {
	if len(ratings) < 2 {
		return nil
	}
	slices.Sort(ratings)
	middle := ratings[len(ratings)/2]
	var odd []string
	for i := range markets {
		if n := &markets[i]; n.Up && (n.Rating < middle*(1-farOff) || n.Rating > middle*(1+farOff)) {
			odd = append(odd, fmt.Sprintf("%s (%.3g)", n.Node, n.Rating))
		}
	}
	if len(odd) == 0 {
		return nil
	}
	return []Finding{good("ratings differ: %s, where others have about %.3g; if these nodes are alike, something else ran while they were measured (libra agent --rating says what it is)", strings.Join(odd, ", "), middle)}
}

// gpus are so many of a kind.
func gpus(n int, kind string) string {
	if n == 0 || kind == "" {
		return number(n, "GPU")
	}
	return number(n, "GPU") + " (" + kind + ")"
}
