package main

import (
	"io"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/spec"
)

// printCluster describes the nodes that are up as libra simulate --cluster reads
// it: groups of nodes that are alike. A node is known by its place there, so
// names stay out.
func printCluster(out io.Writer, nodes []v1.NodeView) error {
	var cluster spec.Cluster
	for i := range nodes {
		n := &nodes[i]
		if !n.Up {
			continue
		}
		node := market.Node{
			Processors: n.Processors, Rating: n.Rating, Memory: n.MemoryMB, Disk: n.DiskMB, GPUs: n.GPUs, GPUKind: n.GPUKind,
			Base: trade.Rates(n.Rates).Base(),
		}
		if len(n.Rates.Partitions) > 0 { // else nobody is sold one by its name
			node.Partition = n.Partition
		}
		if last := len(cluster.Groups) - 1; last >= 0 && cluster.Groups[last].Node == node {
			cluster.Groups[last].Count++
			continue
		}
		cluster.Groups = append(cluster.Groups, spec.Group{Count: 1, Node: node})
	}
	return cluster.Encode(out)
}
