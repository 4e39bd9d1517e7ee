package trial

import (
	"context"
	"io"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// Trial is a policy and the cluster it is tried on.
type Trial struct {
	Kind  policy.Kind
	Set   map[string]string // settings of the policy, and rules of the market; those not named keep their defaults
	Nodes market.Nodes
	Exact bool // the policy is shown real runtimes as estimates

	Partitions *trade.Rates // what the partitions of the nodes cost; nil: there are none, whatever jobs name

	Clusters int        // so many clusters of these nodes, behind one door; 0 and 1: one, and no door
	Choice   sim.Choice // how the door chooses among them

	Changes []sim.NodeChange // nodes that fail and come back
	Until   market.Time      // the end of the run; zero: when nothing more will happen

	// Watch, if there is one, is shown every record beside the summary. What a
	// record points to holds only during the call, and is not to be changed.
	Watch func(*market.Record)
	// Table, if there is one, gets the job table.
	Table io.Writer
}

// Run makes the run on jobs that come in order of submission.
func (t *Trial) Run(ctx context.Context, jobs workload.Source) (*report.Summary, error) {
	ruled, set, named, err := Rules(t.Set)
	if err != nil {
		return nil, err
	}
	world, sites, err := t.world(set)
	if err != nil {
		return nil, err
	}
	summary := report.NewSummary(t.Kind.Name, t.Nodes.Processors()*max(1, t.Clusters))
	see := []func(*market.Record){summary.See}
	if t.Watch != nil {
		see = append(see, t.Watch)
	}
	var table *report.Table
	if t.Table != nil {
		if table, err = newTable(t.Table, t.nodeOf(sites)); err != nil {
			return nil, err
		}
		see = append(see, table.See)
	}
	shown := all(see)
	parted, dearer := sim.SellPartitions(world, t.Partitions)
	if dearer {
		world = parted
	}
	if gpus, sold := sim.SellGPUs(world, t.Nodes, t.Kind.TimeShared, t.Partitions); sold {
		world, shown = gpus, gpus.Seer(shown)
	}
	if named {
		shown = (&biller{rules: ruled, agreed: map[market.JobID]terms{}, show: shown}).See
	}
	if dearer { // all that is said of money after this is in the prices of the partitions
		shown = parted.Seer(shown)
	}
	jobs = sim.InPartitions(jobs, t.Partitions)
	if t.Exact || t.Table != nil {
		jobs = &tailored{src: jobs, exact: t.Exact, named: t.Table != nil}
	}
	if err := sim.Run(ctx, world, jobs, sim.Options{See: shown, Changes: t.Changes, Until: t.Until}); err != nil {
		return nil, err
	}
	if table != nil {
		if err := table.Close(); err != nil {
			return nil, err
		}
	}
	summary.Close()
	if sites != nil {
		dealt := sites.Dealt()
		summary.Dealt = &dealt
	}
	return summary, nil
}

// world is the cluster that is tried, or several of them.
func (t *Trial) world(set map[string]string) (sim.World, *sim.Sites, error) {
	clusters := make([]*cluster.Cluster, max(1, t.Clusters))
	for i := range clusters {
		p, err := t.Kind.New(set)
		if err != nil {
			return nil, nil, err
		}
		if clusters[i], err = cluster.Of(t.Nodes, p); err != nil {
			return nil, nil, err
		}
	}
	if t.Clusters <= 1 {
		return clusters[0], nil, nil
	}
	sites, err := sim.NewSites(clusters, t.Nodes)
	if err != nil {
		return nil, nil, err
	}
	sites.Choice = t.Choice
	return sites, sites, nil
}

// nodeOf maps processors to their nodes; nil means that each is its own.
func (t *Trial) nodeOf(sites *sim.Sites) func(proc int) int {
	within := nodeOf(t.Nodes)
	if sites == nil {
		return within
	}
	if within == nil {
		within = func(proc int) int { return proc }
	}
	return sites.NodeOf(within)
}

// all shows a record to several. One, which is the usual case and a fast one,
// is called directly.
func all(see []func(*market.Record)) func(*market.Record) {
	if len(see) == 1 {
		return see[0]
	}
	return func(r *market.Record) {
		for _, f := range see {
			f(r)
		}
	}
}

// newTable begins a job table.
func newTable(out io.Writer, nodeOf func(proc int) int) (*report.Table, error) {
	if _, err := io.WriteString(out, report.Header); err != nil {
		return nil, err
	}
	var line []byte
	return report.NewTable(nodeOf, func(r *report.Row) error {
		r.Priced = r.Priced && r.Cost.Limited()
		line = r.AppendCSV(line[:0])
		_, err := out.Write(line)
		return err
	}), nil
}

// nodeOf maps processors to their nodes; nil means that each is its own.
func nodeOf(nodes market.Nodes) func(proc int) int {
	if nodes.Processors() == nodes.Len() {
		return nil
	}
	var owner []int32
	for i := range nodes.Len() {
		for range nodes.At(i).Processors {
			owner = append(owner, market.Int32(i))
		}
	}
	return func(proc int) int { return int(owner[proc]) }
}

// tailored makes jobs fit a policy and the table that is wanted.
type tailored struct {
	src   workload.Source
	exact bool
	named bool // every job has a name, for the job table
}

func (t *tailored) Next(a *workload.Arrival) error {
	if err := t.src.Next(a); err != nil {
		return err
	}
	if t.exact { // where the policy's paper has no others (001)
		a.Job.Estimate = a.Actual
	}
	if t.named {
		a.Job.Name = a.Label()
	}
	return nil
}
