package experiment

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/reading"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// Settings are names with values, as text: "beta=0.3,spare=none". Being a
// string in one canonical order they can be compared and be part of a key.
type Settings string

// Set gives settings with one of them changed.
func (s Settings) Set(name string, value any) Settings {
	all := s.Map()
	all[name] = fmt.Sprint(value)
	parts := make([]string, 0, len(all))
	for _, n := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, n+"="+all[n])
	}
	return Settings(strings.Join(parts, ","))
}

// Map gives the settings by name.
func (s Settings) Map() map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(string(s), ",") {
		if name, value, found := strings.Cut(part, "="); found {
			all[name] = value
		}
	}
	return all
}

// Jobs says what work a run gets: some arrivals, the agreements that a model
// gives them, and how fast they come.
type Jobs struct {
	Base   *Base
	Model  string // of agreements; "" or "none": as they are
	Set    Settings
	Seed   uint64
	Factor float64 // times the gaps between submissions
}

// Base is a list of arrivals that many runs share. Nobody writes to it.
type Base struct {
	Name     string
	Arrivals []workload.Arrival
}

// Bound stands in a cell for a policy: what none could exceed on the jobs.
const Bound = "bound"

// Cell is one run: a policy on some jobs.
type Cell struct {
	Policy  string       // or Bound
	Set     Settings     // of the policy
	Nodes   int          // plain ones
	Cluster *Cluster     // others, in their place; nil: none
	Rate    market.Price // of a second of every processor; 0: 1
	Jobs    Jobs

	Partitions *trade.Rates // what the partitions of the nodes cost; nil: there are none
}

// Cluster is nodes that many runs share. Nobody writes to it.
type Cluster struct {
	Nodes market.Nodes
}

// nodes are those of a run.
func (c Cell) nodes() market.Nodes {
	nodes := market.Alike(market.Plain(), c.Nodes)
	if c.Cluster != nil {
		nodes = c.Cluster.Nodes
	}
	if c.Rate != 0 {
		nodes = nodes.With(func(n *market.Node) { n.Base.Processor = c.Rate })
	}
	return nodes
}

// prepared is the part of Jobs that runs of different speed share.
func (j Jobs) prepared() Jobs {
	j.Factor = 0
	return j
}

// prepare gives the arrivals their agreements. The result is shared by runs
// and only read.
func (j Jobs) prepare() ([]workload.Arrival, error) {
	if j.Model == "" || j.Model == "none" {
		return j.Base.Arrivals, nil
	}
	model, err := workload.NewModel(j.Model)
	if err != nil {
		return nil, err
	}
	set := j.Set.Map()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if err := model.Set(name, set[name]); err != nil {
			return nil, err
		}
	}
	arrivals := slices.Clone(j.Base.Arrivals)
	if err := model.Apply(arrivals, j.Seed); err != nil {
		return nil, err
	}
	return arrivals, nil
}

// Watch is shown every record of a run beside the summary.
type Watch func(*market.Record)

// Run makes one run.
func (c Cell) Run(ctx context.Context) (*report.Summary, error) {
	arrivals, err := c.Jobs.prepare()
	if err != nil {
		return nil, err
	}
	return c.run(ctx, arrivals, nil)
}

// RunOn makes one run on arrivals that have their agreements already, and
// shows its records to watch.
func (c Cell) RunOn(ctx context.Context, arrivals []workload.Arrival, watch Watch) (*report.Summary, error) {
	return c.run(ctx, arrivals, watch)
}

func (c Cell) run(ctx context.Context, arrivals []workload.Arrival, watch Watch) (*report.Summary, error) {
	var err error
	jobs := workload.FromSlice(arrivals)
	if c.Jobs.Factor != 1 && c.Jobs.Factor != 0 {
		if jobs, err = workload.StretchGaps(jobs, c.Jobs.Factor); err != nil {
			return nil, err
		}
	}
	if c.Policy == Bound {
		return c.bound(jobs)
	}
	if reading.Needed(c.Set.Map()) {
		if c.Cluster != nil {
			return nil, fmt.Errorf("%s: such a reading is of plain nodes alone", c)
		}
		all, failed := workload.Load(jobs)
		if failed != nil {
			return nil, failed
		}
		summary, failed := reading.Run(all, c.Nodes, c.Policy, c.Set.Map())
		if failed != nil {
			return nil, fmt.Errorf("%s: %w", c, failed)
		}
		return summary, ctx.Err()
	}
	kind, err := policy.Find(c.Policy)
	if err != nil {
		return nil, err
	}
	t := trial.Trial{Kind: kind, Set: c.Set.Map(), Nodes: c.nodes(), Exact: kind.ExactEstimates, Watch: watch, Partitions: c.Partitions}
	summary, err := t.Run(ctx, jobs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return summary, nil
}

// bound is a summary of which only what has a bound means something. What has none, for
// some jobs name no budget, is not a number.
func (c Cell) bound(jobs workload.Source) (*report.Summary, error) {
	l, err := trial.Limits(jobs, c.nodes(), bound.Quick)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	s := &report.Summary{Policy: Bound, Jobs: l.Jobs, QoSSatisfaction: l.QoS, Utility: l.Utility, Revenue: math.NaN(), Profitability: math.NaN()}
	if l.Revenue != nil {
		s.Revenue, s.Profitability = *l.Revenue, *l.Profitability
	}
	return s, nil
}

// String names the cell in errors.
func (c Cell) String() string {
	parts := []string{c.Policy}
	if c.Set != "" {
		parts = append(parts, string(c.Set))
	}
	if c.Jobs.Set != "" {
		parts = append(parts, string(c.Jobs.Set))
	}
	return fmt.Sprintf("%s (factor %v, seed %d)", strings.Join(parts, " "), c.Jobs.Factor, c.Jobs.Seed)
}
