package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/workload"
)

// sweep is all the runs of a sweep, in their order.
type sweep struct {
	id     string // tells sweeps apart: a hash of all they hang on, and how many runs there are
	names  []string
	cells  []experiment.Cell
	labels [][]string // of each cell: the values in the order of names
}

// sweepAxis is one --vary.
type sweepAxis struct {
	name   string
	values []string
}

// What --vary can change beside the settings of policies and models.
const (
	varyFactor = "arrival-factor"
	varyNodes  = "nodes"
)

// mostCells keeps a slip of the pen from filling the memory.
const mostCells = 10_000_000

func planSweep(ctx context.Context, con *console, opts sweepOptions) (*sweep, error) {
	contenders, err := findPolicies(opts.policies)
	if err != nil {
		return nil, err
	}
	settings, err := parseSettings(opts.set)
	if err != nil {
		return nil, err
	}
	axes, err := sweepAxes(opts.vary)
	if err != nil {
		return nil, err
	}
	// The workload is read and the cluster found as libra simulate does it.
	like := &simulation{simulateOptions: simulateOptions{
		policies: opts.policies, workload: opts.workload, nodes: opts.nodes, last: opts.last, factor: opts.factor, sla: opts.sla,
	}, con: con, contenders: contenders, settings: settings}
	file, err := con.openWorkload(ctx, opts.workload)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if like.model, err = newModel(like.modelName(file)); err != nil {
		return nil, err
	}
	nodes := opts.nodes
	if !slices.ContainsFunc(axes, func(a sweepAxis) bool { return a.name == varyNodes }) {
		found, none := like.findNodes(file)
		if none != nil {
			return nil, none
		}
		nodes = len(found)
	}
	arrivals, err := con.loadWorkload(ctx, file, opts.last)
	if err != nil {
		return nil, err
	}
	con.warnSkipped(opts.workload, file.Skipped())
	workload.Sort(arrivals)
	base := experiment.Cell{Nodes: nodes, Jobs: experiment.Jobs{
		Base: &experiment.Base{Name: opts.workload, Arrivals: arrivals}, Model: like.model.name, Factor: opts.factor,
	}}
	s := &sweep{}
	if err := s.lay(base, like, axes, opts.seeds); err != nil {
		return nil, err
	}
	return s, s.sign(arrivals)
}

// lay makes the cells: policies, then values with the last axis fastest, then
// seeds.
func (s *sweep) lay(base experiment.Cell, like *simulation, axes []sweepAxis, seeds int) error {
	for _, a := range axes {
		s.names = append(s.names, a.name)
	}
	known := make([]bool, len(axes))
	for _, c := range like.contenders {
		cell := base
		cell.Policy = c.kind.Name
		for _, set := range like.settings {
			if ok, err := adjust(&cell, c.kind, like.model, set.name, set.value); err != nil {
				return err
			} else if !ok && !someoneKnows(like, set.name) {
				return usagef("--set: nobody knows %q: %s", set.name, whoKnows(like.contenders, like.model))
			}
		}
		if err := s.combine(cell, c.kind, like.model, axes, known, nil, seeds); err != nil {
			return err
		}
	}
	for i, a := range axes {
		if !known[i] {
			return usagef("--vary: nobody knows %q: %s; and there are %s and %s", a.name, whoKnows(like.contenders, like.model), varyFactor, varyNodes)
		}
	}
	return nil
}

// combine goes through the values of the axes that are left.
func (s *sweep) combine(cell experiment.Cell, kind policy.Kind, model slaModel, axes []sweepAxis, known []bool, labels []string, seeds int) error {
	at := len(labels)
	if at == len(axes) {
		if len(s.cells)+seeds > mostCells {
			return usagef("--vary: more than %d runs", mostCells)
		}
		for seed := range seeds {
			cell.Jobs.Seed = uint64(seed) + 1
			s.cells = append(s.cells, cell)
			s.labels = append(s.labels, slices.Clone(labels))
		}
		return nil
	}
	for _, value := range axes[at].values {
		changed := cell
		ok, err := adjust(&changed, kind, model, axes[at].name, value)
		if err != nil {
			return err
		}
		label := value
		if !ok {
			label = ""
		}
		known[at] = known[at] || ok
		if err := s.combine(changed, kind, model, axes, known, append(labels[:at:at], label), seeds); err != nil {
			return err
		}
		if !ok {
			break // the other values would be the same run
		}
	}
	return nil
}

// adjust changes a parameter of a cell, if the cell has it.
func adjust(cell *experiment.Cell, kind policy.Kind, model slaModel, name, value string) (known bool, err error) {
	wrong := func(err error) error { return usagef("%s=%s: %w", name, value, err) }
	switch name {
	case varyFactor:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return false, usagef("%s=%s: not a factor of 0 or more", name, value)
		}
		cell.Jobs.Factor = x
		return true, nil
	case varyNodes:
		n, err := strconv.Atoi(value)
		if err != nil {
			return false, usagef("%s=%s: not a whole number", name, value)
		}
		cell.Nodes = n
		return true, checkNodes(n)
	}
	if slices.ContainsFunc(kind.Settings(), func(p policy.Setting) bool { return p.Name == name }) {
		cell.Set = cell.Set.Set(name, value)
		if _, err := kind.New(cell.Set.Map()); err != nil {
			return true, wrong(err)
		}
		known = true
	}
	if slices.ContainsFunc(model.Params(), func(p workload.Param) bool { return p.Name == name }) {
		cell.Jobs.Set = cell.Jobs.Set.Set(name, value)
		if err := model.Set(name, value); err != nil {
			return true, wrong(err)
		}
		known = true
	}
	return known, nil
}

// someoneKnows reports whether any policy of the sweep has a setting.
func someoneKnows(like *simulation, name string) bool {
	return slices.ContainsFunc(like.contenders, func(c contender) bool {
		return slices.ContainsFunc(c.kind.Settings(), func(p policy.Setting) bool { return p.Name == name })
	})
}

// sign works out the name of the sweep, so that parts of different ones are
// never mixed.
func (s *sweep) sign(arrivals []workload.Arrival) error {
	sum := sha256.New()
	text := json.NewEncoder(sum)
	for i := range arrivals {
		a := &arrivals[i]
		deadline, budget := a.Job.SLA.Deadline, a.Job.SLA.Budget
		if !deadline.Finite() {
			deadline = -1
		}
		if !budget.Limited() {
			budget = -1
		}
		if err := text.Encode([]any{a.Job.Submit, a.Actual, a.Job.Estimate, a.Job.Width, deadline, budget, a.Job.SLA.Penalty, a.Job.SLA.Soft}); err != nil {
			return err
		}
	}
	for i, cell := range s.cells {
		if err := text.Encode([]any{cell.Policy, cell.Set, cell.Nodes, cell.Jobs.Model, cell.Jobs.Set, cell.Jobs.Factor, cell.Jobs.Seed, s.labels[i]}); err != nil {
			return err
		}
	}
	s.id = fmt.Sprintf("%s-%d", hex.EncodeToString(sum.Sum(nil))[:8], len(s.cells))
	return nil
}

// sweepAxes reads --vary name=a,b,c or name=from:to:step.
func sweepAxes(texts []string) ([]sweepAxis, error) {
	var axes []sweepAxis
	for _, text := range texts {
		name, list, found := strings.Cut(text, "=")
		if !found || name == "" || list == "" {
			return nil, usagef("--vary: %q is not name=values", text)
		}
		if slices.ContainsFunc(axes, func(a sweepAxis) bool { return a.name == name }) {
			return nil, usagef("--vary: %s is there twice", name)
		}
		a := sweepAxis{name: name}
		for part := range strings.SplitSeq(list, ",") {
			values, err := sweepValues(part)
			if err != nil {
				return nil, usagef("--vary: %s: %w", name, err)
			}
			a.values = append(a.values, values...)
		}
		for i, value := range a.values {
			if slices.Contains(a.values[:i], value) {
				return nil, usagef("--vary: %s: %s is there twice", name, value)
			}
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// sweepValues reads one value, or a range from:to:step with both ends in it.
func sweepValues(text string) ([]string, error) {
	parts := strings.Split(text, ":")
	if len(parts) == 1 && parts[0] != "" {
		return parts, nil
	}
	var x [3]float64
	for i, part := range parts {
		if len(parts) != 3 {
			return nil, fmt.Errorf("%q is not from:to:step", text)
		}
		var err error
		if x[i], err = strconv.ParseFloat(part, 64); err != nil || math.IsNaN(x[i]) || math.IsInf(x[i], 0) {
			return nil, fmt.Errorf("%q is not a number", part)
		}
	}
	steps := math.Floor((x[1]-x[0])/x[2] + 1e-9)
	if !(x[2] > 0) || !(steps >= 0) || steps > 1e6 {
		return nil, fmt.Errorf("%q is not a range (want from:to:step, upwards)", text)
	}
	var values []string
	for i := 0.0; i <= steps; i++ {
		// Twelve digits: 0.1 + 2 * 0.1 is 0.3 to whoever wrote the range.
		values = append(values, strconv.FormatFloat(market.RoundSignificant(x[0]+float64(i*x[2])), 'g', -1, 64))
	}
	return values, nil
}
