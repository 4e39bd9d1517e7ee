package main

import (
	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/admission"
)

func newRevenueOptimize(con *console) *cobra.Command {
	var opts modelOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "optimize [CLASSES.json]",
		Short: "Find the admission probabilities with the largest revenue",
		Long: `Find the part of each class to admit for the largest revenue per second: the
optimum of the analytic model (equations 13 to 30 of the paper), with head-of-the-line
priority to the most urgent class.

The classes are a file ({"capacity", "tau_min", "phi", "offset", "load",
"classes": [{"name", "p0", "v1", "share", "b1", "b2"}]}; - is standard input) or
one of the paper's models:
` + admission.PresetHelp() + `
Flags change what the file or the preset says. The delay that is printed is that
beyond tau_min, in the form of --offset.`,
		Example: `  libra revenue optimize classes.json --json
  libra revenue optimize --preset four-classes --load 0.3
  libra revenue optimize --preset section-vi --load 3 --phi 0.556`,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := opts.model(con, args, cmd.Flags())
			if err != nil {
				return err
			}
			o, err := m.Optimize()
			if err != nil {
				return err
			}
			if asJSON {
				return con.writeJSON(o)
			}
			return printOptimum(con, &m, o)
		},
	}
	opts.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func printOptimum(con *console, m *admission.Model, o *admission.Optimum) error {
	_, err := printf(con.out, "load %v, capacity %v, tau_min %v s, Phi %v, offset %s\n\n", m.Load, m.Capacity, m.TauMin, m.Phi, m.Offset)
	if err != nil {
		return err
	}
	g := &grid{left: 1, head: true}
	g.add("class", "offered", "admitted", "used", "delay s", "revenue/s")
	beta := m.Beta()
	for s := range m.Classes {
		c := &m.Classes[s]
		earned := m.Capacity * o.RhoByClass[s] / c.B1 * (c.P0 - c.V1*o.DelayByClass[s])
		if o.RhoByClass[s] == 0 {
			earned = 0
		}
		g.add(c.Name, percent(beta[s]), percent(o.QByClass[s]), percent(o.RhoByClass[s]), grouped(o.DelayByClass[s], 0), grouped(earned, 4))
	}
	g.add("all", percent(m.Load), "", percent(o.Rho), "", grouped(o.RevenuePerSecond, 4))
	if err := g.write(con.out, ""); err != nil {
		return err
	}
	all := make([]float64, len(m.Classes))
	for s := range all {
		all[s] = 1
	}
	open := m.Admit(all)
	g = &grid{left: 1}
	g.add("revenue per admitted job", amount(o.RevenuePerAdmittedJob))
	if m.Load < 1 {
		g.add("revenue/s if all were admitted", grouped(open.RevenuePerSecond, 4))
	}
	if _, err := printline(con.out); err != nil {
		return err
	}
	return g.write(con.out, "")
}
