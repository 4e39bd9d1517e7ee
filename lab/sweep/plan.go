package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// Order is what a sweep is asked to run.
type Order struct {
	// Base is what all runs have in common: the workload, the size of the
	// cluster, the SLA model by name.
	Base     experiment.Cell
	Kinds    []policy.Kind
	Bound    bool            // also say what no policy could exceed
	Settings []trial.Setting // the same in all runs
	Axes     []Axis          // the last changes fastest
	Seeds    int             // counted from 1
	MaxNodes int             // a cluster has no more
}

// Axis is a parameter and the values that it goes through.
type Axis struct {
	Name   string
	Values []string
}

// What a sweep can vary beside the settings of policies and models.
const (
	VaryFactor = "arrival-factor"
	VaryNodes  = "nodes"
)

// maxCells keeps a slip of the pen from filling the memory.
const maxCells = 10_000_000

// UnknownError is a parameter that no policy and no model has.
type UnknownError struct {
	Name   string
	Varied bool // it is an axis, and not a setting
}

func (e *UnknownError) Error() string { return fmt.Sprintf("nobody knows %q", e.Name) }

// Plan is all the runs of a sweep, in their order.
type Plan struct {
	id     string // tells sweeps apart: a hash of all they hang on, and how many runs there are
	names  []string
	cells  []experiment.Cell
	labels [][]string // of each cell: the values in the order of names
}

// New lays out the runs: policies, then values with the last axis fastest, then
// seeds. A parameter that nobody has is an [*UnknownError].
func New(o *Order) (*Plan, error) {
	model, err := workload.NewModel(o.Base.Jobs.Model)
	if err != nil {
		return nil, err
	}
	p := &planner{Order: o, plan: &Plan{}, model: model, known: make([]bool, len(o.Axes))}
	for _, a := range o.Axes {
		p.plan.names = append(p.plan.names, a.Name)
	}
	for _, kind := range o.Kinds {
		cell := o.Base
		cell.Policy = kind.Name
		for _, set := range o.Settings {
			if ok, err := p.adjust(kind)(&cell, set.Name, set.Value); err != nil {
				return nil, err
			} else if !ok && !p.someoneKnows(set.Name) {
				return nil, &UnknownError{Name: set.Name}
			}
		}
		if err := p.combine(cell, p.adjust(kind), nil); err != nil {
			return nil, err
		}
	}
	if o.Bound {
		if err := p.bound(); err != nil {
			return nil, err
		}
	}
	for i, a := range o.Axes {
		if !p.known[i] {
			return nil, &UnknownError{Name: a.Name, Varied: true}
		}
	}
	return p.plan, p.plan.sign(o.Base.Jobs.Base.Arrivals)
}

// bound adds the cells of the bound, which knows what the jobs and the cluster have,
// and nothing of policies.
func (p *planner) bound() error {
	cell := p.Base
	cell.Policy = experiment.Bound
	for _, set := range p.Settings {
		if _, err := p.adjustJobs(&cell, set.Name, set.Value); err != nil {
			return err
		}
	}
	return p.combine(cell, p.adjustJobs, nil)
}

// planner lays out a sweep.
type planner struct {
	*Order
	plan  *Plan
	model workload.Model
	known []bool // of each axis: some policy or the model has it
}

// combine goes through the values of the axes that are left.
func (p *planner) combine(cell experiment.Cell, adjust adjuster, labels []string) error {
	at := len(labels)
	if at == len(p.Axes) {
		if len(p.plan.cells)+p.Seeds > maxCells {
			return fmt.Errorf("more than %d runs", maxCells)
		}
		for seed := range p.Seeds {
			cell.Jobs.Seed = market.Bits(seed) + 1
			p.plan.cells = append(p.plan.cells, cell)
			p.plan.labels = append(p.plan.labels, slices.Clone(labels))
		}
		return nil
	}
	for _, value := range p.Axes[at].Values {
		changed := cell
		ok, err := adjust(&changed, p.Axes[at].Name, value)
		if err != nil {
			return err
		}
		label := value
		if !ok {
			label = ""
		}
		p.known[at] = p.known[at] || ok
		if err := p.combine(changed, adjust, append(labels[:at:at], label)); err != nil {
			return err
		}
		if !ok {
			break // the other values would be the same run
		}
	}
	return nil
}

// adjuster changes a parameter of a cell, if the cell has it.
type adjuster func(cell *experiment.Cell, name, value string) (known bool, err error)

// adjust is that for the run of a policy.
func (p *planner) adjust(kind policy.Kind) adjuster {
	return func(cell *experiment.Cell, name, value string) (known bool, err error) {
		if known, err = p.adjustJobs(cell, name, value); err != nil {
			return known, err
		}
		if rules.Known(name) || slices.ContainsFunc(kind.Settings(), func(s policy.Setting) bool { return s.Name == name }) {
			if err := trial.Plays(name, value); err != nil {
				return true, err
			}
			cell.Set = cell.Set.Set(name, value)
			_, set, _, err := trial.Rules(cell.Set.Map())
			if err == nil {
				_, err = kind.New(set)
			}
			if err != nil {
				return true, fmt.Errorf("%s=%s: %w", name, value, err)
			}
			known = true
		}
		return known, nil
	}
}

// adjustJobs is that for whatever is on the cluster: its size, and the jobs.
func (p *planner) adjustJobs(cell *experiment.Cell, name, value string) (known bool, err error) {
	switch name {
	case VaryFactor:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return false, fmt.Errorf("%s=%s: not a factor of 0 or more", name, value)
		}
		cell.Jobs.Factor = x
		return true, nil
	case VaryNodes:
		n, err := strconv.Atoi(value)
		if err != nil {
			return false, fmt.Errorf("%s=%s: not a whole number", name, value)
		}
		if n < 1 || n > p.MaxNodes {
			return false, fmt.Errorf("%s=%s: makes no sense (want 1 to %d)", name, value, p.MaxNodes)
		}
		cell.Nodes = n
		return true, nil
	}
	if slices.ContainsFunc(p.model.Params(), func(q workload.Param) bool { return q.Name == name }) {
		cell.Jobs.Set = cell.Jobs.Set.Set(name, value)
		if err := p.model.Set(name, value); err != nil {
			return true, fmt.Errorf("%s=%s: %w", name, value, err)
		}
		known = true
	}
	return known, nil
}

// someoneKnows reports whether any policy of the sweep has a setting.
func (p *planner) someoneKnows(name string) bool {
	return slices.ContainsFunc(p.Kinds, func(kind policy.Kind) bool {
		return slices.ContainsFunc(kind.Settings(), func(s policy.Setting) bool { return s.Name == name })
	})
}

// sign works out the name of the sweep, so that parts of different ones are
// never mixed.
func (p *Plan) sign(arrivals []workload.Arrival) error {
	sum := sha256.New()
	text := json.NewEncoder(sum)
	for i := range arrivals {
		a := &arrivals[i]
		deadline, budget := a.Job.SLA.Deadline, a.Job.SLA.Budget // written as plain numbers, whatever their types make of JSON
		if !deadline.Finite() {
			deadline = -1
		}
		if !budget.Limited() {
			budget = -1
		}
		if err := text.Encode([]any{
			float64(a.Job.Submit), float64(a.Actual), float64(a.Job.Estimate), a.Job.Width, float64(deadline), float64(budget),
			float64(a.Job.SLA.Penalty), a.Job.SLA.Soft,
		}); err != nil {
			return err
		}
	}
	for i, cell := range p.cells {
		if err := text.Encode([]any{cell.Policy, cell.Set, cell.Nodes, cell.Jobs.Model, cell.Jobs.Set, cell.Jobs.Factor, cell.Jobs.Seed, p.labels[i]}); err != nil {
			return err
		}
	}
	p.id = fmt.Sprintf("%s-%d", hex.EncodeToString(sum.Sum(nil))[:8], len(p.cells))
	return nil
}
