package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/lab/revenue"
)

func newRevenue(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revenue",
		Short: "What to admit for the largest revenue: model, curves, simulation",
		Long: `What part of each class of jobs should a provider admit, and what does it earn?
The analytic model of the paper on provider revenue, its curves, its
simulated cluster with bounded penalties, and a search for the admission
probabilities that earn most in that cluster.`,
		Example: `  libra revenue optimize classes.json
  libra revenue curve --figure 13
  libra revenue simulate --load 2 --rule admit-all,optimal
  libra revenue tune --load 2`,
		RunE: showHelp,
	}
	cmd.AddCommand(newRevenueOptimize(con), newRevenueCurve(con), newRevenueSimulate(con), newRevenueTune(con))
	return cmd
}

// modelOptions are the flags with which a model is named and changed.
type modelOptions struct {
	preset   string
	offset   string
	phi      float64
	load     float64
	capacity float64
	tauMin   float64
}

func (o *modelOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.preset, "preset", "", "a `model` of the paper, in place of a file: "+strings.Join(admission.Presets(), ", "))
	f.StringVar(&o.offset, "offset", "", "`form` in which tau_min enters delays: "+strings.Join(admission.Offsets(), ", "))
	f.Float64Var(&o.phi, "phi", 0, "multiply estimated delays by a `factor`")
	f.Float64Var(&o.load, "load", 0, "offered `load` relative to the capacity")
	f.Float64Var(&o.capacity, "capacity", 0, "`number` of jobs that run in parallel")
	f.Float64Var(&o.tauMin, "tau-min", 0, "delay without loss in `seconds`")
	completeFlag(cmd, "preset", admission.Presets()...)
	completeFlag(cmd, "offset", admission.Offsets()...)
}

// model reads the model that the arguments name and changes it by the flags.
func (o *modelOptions) model(con *console, args []string, given *pflag.FlagSet) (admission.Model, error) {
	var m admission.Model
	var err error
	switch {
	case len(args) > 1:
		return m, usagef("%q is one argument too many", args[1])
	case len(args) == 1 && o.preset != "":
		return m, usagef("--preset and a file exclude each other")
	case len(args) == 1:
		m, err = con.readModel(args[0])
	case o.preset != "":
		if m, err = admission.Preset(o.preset); err != nil {
			err = usagef("--preset: %w", err)
		}
	default:
		return m, usagef("CLASSES.json is missing: a file, - for standard input, or --preset")
	}
	if err != nil {
		return m, err
	}
	for _, change := range []struct {
		flag string
		set  func()
	}{
		{"offset", func() { m.Offset = admission.Offset(o.offset) }},
		{"phi", func() { m.Phi = o.phi }},
		{"load", func() { m.Load = o.load }},
		{"capacity", func() { m.Capacity = o.capacity }},
		{"tau-min", func() { m.TauMin = o.tauMin }},
	} {
		if given.Changed(change.flag) {
			change.set()
		}
	}
	if err := m.Validate(); err != nil {
		// The file was valid: a flag is not.
		return m, usagef("--%s", strings.Replace(err.Error(), "tau_min", "tau-min", 1))
	}
	if names := m.Impossible(); len(names) > 0 {
		con.warn("b2 is below the square of b1 in %s: no service time has such moments", strings.Join(names, ", "))
	}
	return m, nil
}

func (c *console) readModel(path string) (admission.Model, error) {
	in, name := c.in, "standard input"
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return admission.Model{}, err
		}
		defer file.Close()
		in, name = file, path
	}
	m, err := revenue.ReadModel(in)
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// parseSteps reads numbers: one, several with commas between them, or
// from:to:step, of which there are not absurdly many.
func parseSteps(flag, text string) ([]float64, error) {
	const most = 100_000
	var values []float64
	for part := range strings.SplitSeq(text, ",") {
		var numbers []float64
		for word := range strings.SplitSeq(part, ":") {
			x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, usagef("--%s: %q is not a number (want numbers with commas between them, or from:to:step)", flag, word)
			}
			numbers = append(numbers, x)
		}
		switch {
		case len(numbers) == 1:
			values = append(values, numbers[0])
		case len(numbers) == 3 && numbers[2] > 0 && numbers[1] >= numbers[0] && (numbers[1]-numbers[0])/numbers[2] < most:
			values = append(values, admission.Steps(numbers[0], numbers[1], numbers[2])...)
		default:
			return nil, usagef("--%s: %q makes no sense (want from:to:step)", flag, part)
		}
	}
	if len(values) > most {
		return nil, usagef("--%s: %d values are too many", flag, len(values))
	}
	return values, nil
}

// inFull writes a number in full, for tables that programs read.
func inFull(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// writeLines writes rows of a CSV whose cells need no quotes.
func writeLines(to io.Writer, rows [][]string) error {
	for _, row := range rows {
		if _, err := io.WriteString(to, strings.Join(row, ",")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
