package survey

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/slurm/client"
)

// Finding is one thing that was found out about a Slurm cluster.
type Finding struct {
	Wrong bool   `json:"wrong"` // it keeps a market from working
	Text  string `json:"text"`
}

func (f Finding) String() string {
	if f.Wrong {
		return "slurm: WRONG: " + f.Text
	}
	return "slurm: " + f.Text
}

func good(format string, args ...any) Finding { return Finding{Text: fmt.Sprintf(format, args...)} }
func wrongf(format string, args ...any) Finding {
	return Finding{Wrong: true, Text: fmt.Sprintf(format, args...)}
}

// Inspect says what was found of a Slurm cluster, and what to do about what
// is not as a market needs it.
func Inspect(ctx context.Context, c *config.Slurm, batch client.Slurm) []Finding {
	found := []Finding{}
	if err := batch.Ping(ctx); err != nil {
		return append(found, wrongf("slurmctld does not answer through %s (%v): is it running, and is this host allowed to speak to it?", batch.Name(), err))
	}
	found = append(found, good("spoken to through %s%s", batch.Name(), version(ctx, c)))
	if c.Rest != "" && !strings.HasPrefix(batch.Name(), client.RestName) {
		found = append(found, wrongf("no slurmrestd answers at %s: the market would go by commands, which are several times slower, until it is started anew; start slurmrestd (docs/slurm.md), or leave it out of the settings", c.Rest))
	}
	conf := scontrol(ctx, c, "show", "config")
	for _, name := range c.Partitions() {
		one, good := inspectPartition(ctx, c, batch, name, conf)
		if found = append(found, one...); !good {
			return found
		}
	}
	if several, err := batch.Nodes(ctx, c.Partition); err == nil {
		found = append(found, overlaps(several)...)
	}
	return append(found, inspectSettings(c, conf)...)
}

// Shared are the nodes that are in several partitions of a market: nobody could say what they
// cost.
func Shared(nodes []client.Node) (names []string) {
	for i := range nodes {
		if n := &nodes[i]; len(n.Also) > 0 {
			names = append(names, n.Name+" ("+strings.Join(append([]string{n.Partition}, n.Also...), ", ")+")")
		}
	}
	return names
}

func overlaps(nodes []client.Node) []Finding {
	names := Shared(nodes)
	if len(names) == 0 {
		return nil
	}
	return []Finding{wrongf("nodes are in several of the market's partitions, and each can have one price: %s; give each node to one of them in slurm.conf, or the market fewer partitions", strings.Join(names, ", "))}
}

// inspectPartition says what was found of a partition, and whether it is worth while to look on.
func inspectPartition(ctx context.Context, c *config.Slurm, batch client.Slurm, name, conf string) (found []Finding, there bool) {
	nodes, err := batch.Nodes(ctx, name)
	switch {
	case err != nil:
		return append(found, wrongf("partition %s: %v: add a PartitionName=%[1]s line to slurm.conf and say scontrol reconfigure", name, err)), false
	case len(nodes) == 0:
		return append(found, wrongf("partition %s has no nodes: is it in slurm.conf, as in PartitionName=%[1]s Nodes=n[1-4] OverSubscribe=FORCE:64?", name)), false
	}
	var down []string
	processors, gpus, largest := 0, 0, 0
	for i := range nodes {
		largest = max(largest, nodes[i].Processors)
		gpus += nodes[i].GPUs
		if processors += nodes[i].Processors; !nodes[i].Up || nodes[i].Draining {
			down = append(down, nodes[i].Name+because(nodes[i].Reason))
		}
	}
	has := number(processors, "processor")
	if gpus > 0 {
		has += " and " + number(gpus, "GPU")
	}
	found = append(found, good("partition %s has %s with %s", name, number(len(nodes), "node"), has))
	if len(down) > 0 {
		found = append(found, good("of these are down or drained: %s", strings.Join(down, ", ")))
	}
	return append(found, inspectSharing(ctx, c, name, conf, largest)...), true
}

// because is a reason in brackets, if Slurm gives one: it has none for a node that it has
// not heard of since it was started.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// number counts things: 1 node, 2 nodes, 1,024 nodes.
func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits + " " + thing + "s"
}
