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
	nodes, err := batch.Nodes(ctx, c.Partition)
	switch {
	case err != nil:
		return append(found, wrongf("partition %s: %v: add a PartitionName=%[1]s line to slurm.conf and say scontrol reconfigure", c.Partition, err))
	case len(nodes) == 0:
		return append(found, wrongf("partition %s has no nodes: is it in slurm.conf, as in PartitionName=%[1]s Nodes=n[1-4] OverSubscribe=FORCE:64?", c.Partition))
	}
	var down []string
	processors, gpus, largest := 0, 0, 0
	for i := range nodes {
		largest = max(largest, nodes[i].Processors)
		gpus += nodes[i].GPUs
		if processors += nodes[i].Processors; !nodes[i].Up || nodes[i].Draining {
			down = append(down, strings.TrimSuffix(nodes[i].Name+" ("+nodes[i].Reason, " (")+")")
		}
	}
	has := number(processors, "processor")
	if gpus > 0 {
		has += " and " + number(gpus, "GPU")
	}
	found = append(found, good("partition %s has %s with %s", c.Partition, number(len(nodes), "node"), has))
	if len(down) > 0 {
		found = append(found, good("of these are down or drained: %s", strings.Join(down, ", ")))
	}
	return append(found, inspectSettings(ctx, c, largest)...)
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
