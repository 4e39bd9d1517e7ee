package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/spec"
)

// openWorkload opens a workload; "-" is standard input, and sacct:FROM..TO what Slurm's
// accounting says.
func (c *console) openWorkload(ctx context.Context, path string) (*workload.File, error) {
	if isSpec(path) {
		return c.openSpecs(path)
	}
	if span, asked := strings.CutPrefix(path, sacctWorkload); asked {
		return openSacct(ctx, path, span)
	}
	if path != "-" {
		return workload.Open(path)
	}
	// Reading standard input may block for ever; through a pipe it can be
	// given up.
	read, write := io.Pipe()
	go func() {
		_, err := io.Copy(write, c.in)
		write.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { write.CloseWithError(ctx.Err()) })
	return workload.OpenReader(read, "standard input")
}

// loadWorkload reads all of a workload, or its last jobs where last is not 0.
func (c *console) loadWorkload(ctx context.Context, file *workload.File, last int) ([]workload.Arrival, error) {
	finish := c.progress("reading", file.Size(), file.BytesRead)
	defer finish()
	src := workload.Interruptible(ctx, file)
	if last > 0 {
		return workload.Last(src, last)
	}
	return workload.Load(src)
}

// warnSkipped tells of records in which there is nothing to replay.
func (c *console) warnSkipped(path string, records int64) {
	if records > 0 {
		c.warn("%s: records left out because they do not say on how many processors or when: %s", path, count(records))
	}
}

// warnSacct tells of jobs in a history of Slurm's that cannot be replayed.
func (c *console) warnSacct(path string, left workload.SacctLeft) {
	for _, l := range []struct {
		jobs int64
		why  string
	}{{left.NeverRan, "never ran"}, {left.Underway, "had not ended"}} {
		if l.jobs > 0 {
			c.warn("%s: jobs left out because they %s: %s", path, l.why, count(l.jobs))
		}
	}
	if left.GPUs > 0 {
		c.warn("%s: jobs that had GPUs, taken without them since no node has any: %s (--cluster describes nodes)", path, count(left.GPUs))
	}
}

// findNodes gives the cluster. Of a history of Slurm's the GPUs count if it has any.
func (s *simulation) findNodes(file *workload.File) (market.Nodes, error) {
	nodes, err := s.chosenNodes(file)
	if h := file.Sacct(); h != nil && slices.ContainsFunc(nodes.Kinds(), func(n market.Node) bool { return n.GPUs > 0 }) {
		h.TellGPUs()
	}
	return nodes, err
}

// chosenNodes are those that are described in a file, counted on the command line, or as
// many as the header of the log says.
func (s *simulation) chosenNodes(file *workload.File) (market.Nodes, error) {
	if s.cluster != "" {
		return readCluster(s.cluster)
	}
	n := s.simulateOptions.nodes
	if n == 0 && file.Header() != nil {
		n = file.Header().Processors()
	}
	if n == 0 {
		return market.Nodes{}, usagef("%s does not say how large the cluster is: give --nodes", s.workload)
	}
	if err := checkNodes(n); err != nil {
		return market.Nodes{}, err
	}
	return s.plainNodes(n), nil
}

// plainNodes are so many equal nodes, with the GPUs that the command line gives them.
func (s *simulation) plainNodes(n int) market.Nodes {
	node := market.Plain()
	if s.gpus > 0 {
		node.GPUs, node.Base.GPU = s.gpus, market.Price(s.gpuRate)
	}
	return market.Alike(node, n)
}

func checkNodes(n int) error {
	if n < 1 || n > spec.MaxNodes {
		return usagef("--nodes: %d makes no sense (want 1 to %d)", n, spec.MaxNodes)
	}
	return nil
}

func readCluster(path string) (market.Nodes, error) {
	in, err := os.Open(path)
	if err != nil {
		return market.Nodes{}, err
	}
	defer in.Close()
	described, err := spec.ReadCluster(path, in)
	if err != nil {
		return market.Nodes{}, err
	}
	nodes, err := described.Nodes()
	return market.Compact(nodes), err
}

func readFailures(path string, nodes int) ([]sim.NodeChange, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return sim.ReadChanges(path, in, nodes)
}
