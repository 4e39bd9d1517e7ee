package main

import (
	"context"
	"io"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/lab/revenue"
)

type revenueCurveOptions struct {
	modelOptions
	figure string
	over   string
	values string
	out    string
	json   bool
}

func newRevenueCurve(con *console) *cobra.Command {
	var opts revenueCurveOptions
	cmd := &cobra.Command{
		Use:   "curve [CLASSES.json]",
		Short: "Compute the optimum over a range of loads or of another parameter",
		Long: `Compute the optimum of the analytic model over a range of loads, or of another
parameter (--over): capacity, tau_min, phi, decay (a factor on every v1), or
share:NAME, the part of a class while the others keep their proportions. Or
compute a figure of the paper (--figure): 5 to 8, 10, 11, 13 to 15.

The model is a file or a preset, as for libra revenue optimize. A curve is a CSV
with a line for each value: the parameter, revenue_per_s, rho,
revenue_per_admitted_job, then q and delay of each class. A figure is a CSV with
the columns series, x and y.`,
		Example: `  libra revenue curve --preset four-classes --values 0.01:1.4:0.01 --out four.csv
  libra revenue curve --preset two-classes --over share:high --values 0:1:0.05
  libra revenue curve classes.json --over capacity --values 10,20,40,80 --json
  libra revenue curve --figure 15 --phi 0.556`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRevenueCurve(cmd.Context(), con, opts, args, cmd.Flags())
		},
	}
	opts.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&opts.figure, "figure", "", "`number` of a figure of the paper: "+strings.Join(revenue.Figures(), ", "))
	f.StringVar(&opts.over, "over", "load", "`parameter` to vary: "+strings.Join(admission.Parameters(), ", "))
	f.StringVar(&opts.values, "values", "", "`values` of the parameter: from:to:step, or numbers with commas (default for load: 0.02:1.5:0.02)")
	f.StringVarP(&opts.out, "out", "o", "-", "write to a `file`, compressed if it ends in .gz; - is standard output")
	f.BoolVar(&opts.json, "json", false, "write JSON in place of CSV")
	completeFlag(cmd, "figure", revenue.Figures()...)
	completeFlag(cmd, "over", admission.Parameters()...)
	return cmd
}

func runRevenueCurve(ctx context.Context, con *console, opts revenueCurveOptions, args []string, given *pflag.FlagSet) error {
	if opts.figure != "" {
		return opts.drawFigure(con, args, given)
	}
	m, err := opts.model(con, args, given)
	if err != nil {
		return err
	}
	if opts.values == "" {
		if opts.over != "load" {
			return usagef("--values is missing: from:to:step, or numbers with commas between them")
		}
		opts.values = "0.02:1.5:0.02"
	}
	values, err := parseSteps("values", opts.values)
	if err != nil {
		return err
	}
	points := make([]admission.SweepPoint, 0, len(values))
	var done atomic.Int64
	finish := con.progress("curve", int64(len(values)), done.Load)
	defer finish()
	for _, x := range values {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		changed, err := m.With(opts.over, x)
		if err != nil {
			return usagef("--over %s: %w", opts.over, err)
		}
		o, err := changed.Optimize()
		if err != nil {
			return err
		}
		points = append(points, admission.SweepPoint{Value: x, Optimum: o})
		done.Add(1)
	}
	finish()
	return con.writeOutput(opts.out, func(out io.Writer) error {
		if opts.json {
			return encodeJSON(out, map[string]any{"parameter": opts.over, "points": points})
		}
		return writeLines(out, curveRows(&m, opts.over, points))
	})
}

func curveRows(m *admission.Model, over string, points []admission.SweepPoint) [][]string {
	header := []string{quoted(over), "revenue_per_s", "rho", "revenue_per_admitted_job"}
	for _, c := range m.Classes {
		header = append(header, quoted("q_"+c.Name))
	}
	for _, c := range m.Classes {
		header = append(header, quoted("delay_"+c.Name))
	}
	rows := [][]string{header}
	for _, p := range points {
		row := []string{inFull(p.Value), inFull(p.RevenuePerSecond), inFull(p.Rho), inFull(p.RevenuePerAdmittedJob)}
		for _, q := range p.QByClass {
			row = append(row, inFull(q))
		}
		for _, d := range p.DelayByClass {
			row = append(row, inFull(d))
		}
		rows = append(rows, row)
	}
	return rows
}

func (o *revenueCurveOptions) drawFigure(con *console, args []string, given *pflag.FlagSet) error {
	for _, flag := range []string{"preset", "load", "capacity", "tau-min", "over", "values"} {
		if given.Changed(flag) {
			return usagef("--figure and --%s exclude each other", flag)
		}
	}
	if len(args) > 0 {
		return usagef("--figure and a file exclude each other")
	}
	figure, err := revenue.Draw(o.figure, revenue.FigureOptions{Offset: admission.Offset(o.offset), Phi: o.phi})
	if err != nil {
		return usagef("--figure: %w", err)
	}
	return con.writeOutput(o.out, func(out io.Writer) error {
		if o.json {
			return encodeJSON(out, figure)
		}
		rows := [][]string{{"series", "x", "y"}}
		for _, s := range figure.Series {
			for i := range s.X {
				rows = append(rows, []string{quoted(s.Name), inFull(s.X[i]), inFull(s.Y[i])})
			}
		}
		return writeLines(out, rows)
	})
}

// quoted makes a text one cell of a CSV.
func quoted(text string) string {
	if strings.ContainsAny(text, ",\"\r\n") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

func encodeJSON(out io.Writer, value any) error {
	return (&console{out: out}).writeJSON(value)
}
