package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
)

// nodeColumns are what can be asked of nodes.
var nodeColumns = columns[v1.NodeView]{
	{name: "node", words: true, shown: func(n *v1.NodeView) string { return n.Node }},
	{name: "state", words: true, shown: nodeState},
	{name: "procs", shown: func(n *v1.NodeView) string { return strconv.Itoa(n.Processors) }, order: func(n *v1.NodeView) int64 { return int64(n.Processors) }},
	{
		name: "rating", shown: func(n *v1.NodeView) string { return strconv.FormatFloat(n.Rating, 'g', 3, 64) },
		exact: func(n *v1.NodeView) string { return strconv.FormatFloat(n.Rating, 'f', -1, 64) }, order: func(n *v1.NodeView) int64 { return int64(n.Rating * 1e6) },
	},
	{name: "given", shown: func(n *v1.NodeView) string { return partOf(given(n), n) }, exact: func(n *v1.NodeView) string { return processors(given(n)) }, order: func(n *v1.NodeView) int64 { return int64(given(n) * 1e6) }},
	{name: "promised", shown: func(n *v1.NodeView) string { return partOf(promised(n), n) }, exact: func(n *v1.NodeView) string { return processors(promised(n)) }, order: func(n *v1.NodeView) int64 { return int64(promised(n) * 1e6) }},
	{name: "free", shown: func(n *v1.NodeView) string { return memory(n.FreeMB) }, exact: func(n *v1.NodeView) string { return strconv.FormatInt(n.FreeMB, 10) }, order: func(n *v1.NodeView) int64 { return n.FreeMB }},
	{name: "memory", wide: true, shown: func(n *v1.NodeView) string { return memory(n.MemoryMB) }, exact: func(n *v1.NodeView) string { return strconv.FormatInt(n.MemoryMB, 10) }, order: func(n *v1.NodeView) int64 { return n.MemoryMB }},
	{name: "disk", wide: true, shown: func(n *v1.NodeView) string { return memory(n.DiskMB) }, exact: func(n *v1.NodeView) string { return strconv.FormatInt(n.DiskMB, 10) }, order: func(n *v1.NodeView) int64 { return n.DiskMB }},
	{name: "limits", wide: true, shown: func(n *v1.NodeView) string { return cmp.Or(n.Limits, "-") }, exact: func(n *v1.NodeView) string { return n.Limits }},
	{name: "jobs", wide: true, shown: func(n *v1.NodeView) string { return cmp.Or(jobsOn(n), "-") }, exact: jobsOn},
	{name: "why", wide: true, shown: func(n *v1.NodeView) string { return n.Why }},
	{name: "features", wide: true, shown: func(n *v1.NodeView) string { return cmp.Or(n.Features, "-") }, exact: func(n *v1.NodeView) string { return n.Features }},
	{name: "partition", wide: true, shown: func(n *v1.NodeView) string { return cmp.Or(n.Partition, "-") }, exact: func(n *v1.NodeView) string { return n.Partition }},
	{name: "reserved", wide: true, shown: func(n *v1.NodeView) string { return cmp.Or(n.Reserved, "-") }, exact: func(n *v1.NodeView) string { return n.Reserved }},
}

func nodeState(n *v1.NodeView) string {
	switch {
	case !n.Up:
		return "down"
	case n.Closed:
		return "closed"
	}
	return "up"
}

// given is how many processors' worth of a node its jobs have now.
func given(n *v1.NodeView) float64 {
	return overAll(n, n.Given, func(p *v1.ProcessorView) float64 { return p.Share })
}

// promised is how much of it they were promised.
func promised(n *v1.NodeView) float64 {
	return overAll(n, n.Kept, func(p *v1.ProcessorView) float64 { return p.Kept })
}

// overAll adds up over the processors of a node, or takes the sum of a large one.
func overAll(n *v1.NodeView, sum float64, of func(*v1.ProcessorView) float64) float64 {
	if n.More > 0 {
		return sum
	}
	sum = 0
	for i := range n.Loads {
		sum += of(&n.Loads[i])
	}
	return sum
}

func partOf(processors float64, n *v1.NodeView) string {
	return percent(processors / float64(max(1, n.Processors)))
}

func processors(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }

// jobsOn lists the jobs of a node that one may know of, each once.
func jobsOn(n *v1.NodeView) string {
	var ids []int64
	for i := range n.Loads {
		for _, t := range n.Loads[i].Jobs {
			if t.Owner != "" && !slices.Contains(ids, t.Job) {
				ids = append(ids, t.Job)
			}
		}
	}
	slices.Sort(ids)
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(words, " ")
}
