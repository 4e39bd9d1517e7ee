package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func newNodes(con *console) *cobra.Command {
	var opts liveOptions
	var form look
	watch, cluster := false, false
	cmd := &cobra.Command{
		Use:   "nodes",
		Short: "Show the nodes and what runs on each processor",
		Long: `Show the nodes, with a bar for each processor: # is promised to jobs, = is given to
them beyond that, and . is idle. Whose the other jobs are is for the owner of the
cluster to see. -o wide, --format and --sort-by show a line for each node; in csv given
and promised are processors, and memory megabytes. --cluster describes those that are up for libra simulate.`,
		Example: `  libra nodes
  libra nodes --watch
  libra nodes -o wide --sort-by=-given
  libra nodes -o csv > nodes.csv

  # how would another policy do here
  libra nodes --cluster > here.yaml
  libra simulate --policy libra-plus --cluster here.yaml --workload jobs.csv`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := nodeColumns.check(&form); err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				show := func(ctx context.Context, out io.Writer) error {
					nodes, err := market.Nodes(ctx)
					if err != nil {
						return err
					}
					switch {
					case opts.json || form.form == asJSON:
						if err := nodeColumns.sort(&form, nodes); err != nil {
							return err
						}
						return (&console{out: out}).writeJSON(v1.NodeList{Nodes: nodes})
					case cluster:
						return printCluster(out, nodes)
					case !form.usual():
						return nodeColumns.print(&form, out, nodes)
					}
					return printNodes(out, con.colours(), nodes)
				}
				if watch {
					return con.watch(ctx, market, show)
				}
				return show(ctx, con.out)
			})
		},
	}
	opts.flags(cmd)
	form.flags(cmd, nodeColumns.names())
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again and again")
	cmd.Flags().BoolVar(&cluster, "cluster", false, "print them as the description of a cluster, in YAML")
	cmd.MarkFlagsMutuallyExclusive("cluster", "watch")
	cmd.MarkFlagsMutuallyExclusive("cluster", "json")
	return cmd
}

const loadBar = 20

func printNodes(out io.Writer, colours bool, nodes []v1.NodeView) error {
	if len(nodes) == 0 {
		_, err := printline(out, "no node has joined")
		return err
	}
	// A line of its own for each node, and below it its processors, which are
	// in columns across all nodes.
	processors, bars := &grid{left: 5}, true
	if most := columnsIn(out); most > 0 && most < 72 { // then the numbers say it alone
		processors.left, bars = 4, false
	}
	for i := range nodes {
		for k := range nodes[i].Loads {
			p := &nodes[i].Loads[k]
			cells := []string{fmt.Sprintf("%5.1f %% given", p.Share*100), fmt.Sprintf("%5.1f %% promised", p.Kept*100), tenants(p.Jobs)}
			if bars {
				cells = slices.Insert(cells, 0, load(p))
			}
			processors.add(slices.Insert(cells, 0, strconv.Itoa(k))...)
		}
	}
	lines := processors.fit(columnsIn(out) - gap)
	b := &board{grid: grid{left: 1}}
	for i := range nodes {
		n := &nodes[i]
		look := headLook
		if !n.Up {
			look = badLook
		}
		b.row(look, nodeLine(n))
		for range n.Loads {
			for _, line := range lines[0] {
				b.row(plainLook, "  "+line)
			}
			lines = lines[1:]
		}
		if n.More > 0 {
			b.row(plainLook, fmt.Sprintf("  and %s more; of all, %.1f are given and %.1f promised", count(int64(n.More)), n.Given, n.Kept))
		}
	}
	return b.paint(out, colours)
}

// nodeLine says what a node is and how it stands.
func nodeLine(n *v1.NodeView) string {
	state := "up"
	if !n.Up {
		state = "down"
		if n.Why != "" {
			state += " (" + n.Why + ")"
		}
	}
	if n.Closed {
		state = "up, takes no new jobs"
		if n.Why != "" {
			state += " (" + n.Why + ")"
		}
	}
	words := []string{
		fmt.Sprintf("%s  %s: %s", n.Node, state, number(int64(n.Processors), "processor")),
		"rating " + strconv.FormatFloat(n.Rating, 'g', 3, 64),
		memory(n.FreeMB) + " free",
	}
	if n.GPUs > 0 {
		words = append(words, fmt.Sprintf("%d of %s free", n.FreeGPUs, number(int64(n.GPUs), strings.TrimSpace(n.GPUKind+" GPU"))))
	}
	if where := partitionWords(n); where != "" {
		words = append(words, where)
	}
	if n.Reserved != "" {
		words = append(words, "for reservation "+n.Reserved)
	}
	if n.Features != "" {
		words = append(words, "features "+n.Features)
	}
	return strings.Join(append(words, enforcement(n)...), ", ")
}

// load is the bar of a processor.
func load(p *v1.ProcessorView) string {
	cells := func(part float64) int { return int(min(1, max(0, part))*loadBar + 0.5) }
	kept := cells(p.Kept)
	given := max(kept, cells(p.Share))
	return strings.Repeat("#", kept) + strings.Repeat("=", given-kept) + strings.Repeat(".", loadBar-given)
}

// memory writes megabytes.
func memory(mb int64) string {
	if mb >= 10<<10 {
		return grouped(float64(mb)/1024, 1) + " GB"
	}
	return count(mb) + " MB"
}

// enforcement says how a node keeps jobs to their shares, and what it cannot.
func enforcement(n *v1.NodeView) []string {
	var words []string
	if n.Limits != "" {
		words = append(words, "by "+n.Limits)
	}
	if len(n.Missing) > 0 {
		words = append(words, "without "+strings.Join(n.Missing, ", "))
	}
	return words
}

// tenants lists jobs on a processor; others' jobs have no names.
func tenants(jobs []v1.Tenant) string {
	var words []string
	others := 0
	for _, t := range jobs {
		if t.Job == 0 && t.Owner == "" {
			others++
			continue
		}
		word := strconv.FormatInt(t.Job, 10)
		if t.Name != "" {
			word += " " + clipped(t.Name, 16)
		}
		words = append(words, fmt.Sprintf("%s (%s, %s)", word, t.Owner, share(t.Share)))
	}
	if others > 0 {
		words = append(words, number(int64(others), "other"))
	}
	return strings.Join(words, ", ")
}
