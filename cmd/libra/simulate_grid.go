package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	imprecise "github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// simulateGridOptions are the flags of libra simulate-grid.
type simulateGridOptions struct {
	policies []string
	sites    string
	workload string
	apps     string
	set      []string
	bound    bool
	json     bool
}

func newSimulateGrid(con *console) *cobra.Command {
	var opts simulateGridOptions
	cmd := &cobra.Command{
		Use:   "simulate-grid --policy P[,P2...] --workload APPS.csv",
		Short: "Run imprecise applications on a grid of sites",
		Long: `Run applications on a grid of sites, each put out to tender and won by the site that
gains most by it, and sum up what they paid. Every job has a mandatory part,
which must be done by the deadline, and an optional part, which pays for as much
of it as gets done. Several policies get the same applications and are
compared, one line each.

` + gridPolicyHelp() + `
Applications are a CSV: id,arrival,p,m,o,deadline,bm,optional_rate. An
application is p jobs of m MI mandatory and o MI optional work, its deadline is
in seconds from its arrival; a job pays bm for its mandatory part, and
optional_rate for each MI of the optional one. A column budget, in place of
optional_rate, gives any other function that never decreases by its corners:
0:0;1000000:5;4000000:8. Sites are a CSV: site,processors,mips; without one they
are the six of the paper. Both may be compressed with gzip; - is standard input.

--set refuse=infeasible refuses only what no site can do in time; the default,
no-gain, also what no site would earn by. --set hurdle=0.4 also refuses what no site
would gain four tenths of its whole offer by: it would be in the way of what comes.

--bound also says what nobody could have exceeded who knows the future: on profit,
whatever is taken and wherever it goes; on what optional parts of those taken pay, the
best order behind the mandatory parts, and the best order of all that keeps them.`,
		Example: `  # the paper's own setting: make the applications, then compare all policies
  libra simulate-grid generate --laxity 0.4 --out apps.csv
  libra simulate-grid --policy mf-edf,mf-hbf,mf-timeshare,mf-rate,hard-m,hard-mo --workload apps.csv

  # how far from the best possible, and how far with a better order and a hurdle
  libra simulate-grid --policy mf-hbf,mf-rate --workload apps.csv --bound
  libra simulate-grid --policy mf-rate --workload apps.csv --bound --set hurdle=0.4

  # your own sites, and a table of what became of each application
  libra simulate-grid --policy mf-hbf --sites sites.csv --workload apps.csv --apps table.csv --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%q: give the applications with --workload", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runSimulateGrid(cmd.Context(), con, opts) },
	}
	f := cmd.Flags()
	f.StringSliceVarP(&opts.policies, "policy", "p", nil, "`policy` to run, or several with commas between them")
	f.StringVar(&opts.sites, "sites", "", "CSV `file` of sites (default: the six of the paper)")
	f.StringVarP(&opts.workload, "workload", "w", "", "CSV `file` of applications, or - for standard input")
	f.StringVar(&opts.apps, "apps", "", "write the table of applications to a CSV `file`; of several policies, one file each")
	f.StringArrayVar(&opts.set, "set", nil, "`name=value` of a setting: refuse, hurdle")
	f.BoolVar(&opts.bound, "bound", false, "also work out what nobody could have exceeded")
	f.BoolVar(&opts.json, "json", false, "print the summary as JSON; of several policies, an array")
	for flag, complete := range map[string]cobra.CompletionFunc{
		"policy": completeGridPolicies, "sites": completeCSV, "workload": completeCSV, "apps": completeCSV,
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err)
		}
	}
	var settings []string
	for _, rule := range tender.Refusals() {
		settings = append(settings, settingRefuse+"="+rule)
	}
	settings = append(settings, settingHurdle+"=0.4")
	completeFlag(cmd, "set", settings...)
	cmd.AddCommand(newSimulateGridGenerate(con))
	return cmd
}

// The settings of the tender.
const (
	settingRefuse = "refuse"
	settingHurdle = "hurdle"
)

// gridSimulation is one workload and all that it is run under.
type gridSimulation struct {
	simulateGridOptions
	con      *console
	policies []imprecise.Policy
	refuse   tender.Refuse
	hurdle   float64
	sites    []imprecise.Resource
	apps     []imprecise.Application
}

func runSimulateGrid(ctx context.Context, con *console, opts simulateGridOptions) error {
	easeCollector(ctx)
	s := &gridSimulation{simulateGridOptions: opts, con: con}
	if err := s.check(); err != nil {
		return err
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	results, err := s.run(ctx)
	if err != nil {
		return err
	}
	return s.print(results)
}

// check finds what is wrong with the flags before any file is opened.
func (s *gridSimulation) check() error {
	opts := &s.simulateGridOptions
	switch {
	case len(opts.policies) == 0:
		return usagef("--policy is missing: one or several of %s", strings.Join(gridPolicyNames(), ", "))
	case opts.workload == "":
		return usagef("--workload is missing: a .csv file, or - for standard input")
	case opts.workload == "-" && opts.sites == "-":
		return usagef("--sites and --workload cannot both be standard input")
	case opts.apps == "-" || opts.apps == "/dev/stdout":
		return usagef("--apps: the summary has standard output; give a file")
	}
	for i, name := range opts.policies {
		p, err := imprecise.FindPolicy(name)
		if err != nil {
			return usagef("--policy: %w", err)
		}
		if slices.Contains(opts.policies[:i], name) {
			return usagef("--policy: %s is there twice", name)
		}
		s.policies = append(s.policies, p)
	}
	settings, err := parseSettings(opts.set)
	if err != nil {
		return err
	}
	for _, set := range settings {
		switch set.Name {
		case settingRefuse:
			s.refuse, err = tender.ParseRefuse(set.Value)
		case settingHurdle:
			s.hurdle, err = tender.ParseHurdle(set.Value)
		default:
			return usagef("--set: nobody knows %q: the tender has %s and %s", set.Name, settingRefuse, settingHurdle)
		}
		if err != nil {
			return usagef("--set: %s: %w", set.Name, err)
		}
	}
	return nil
}

func gridPolicyNames() []string {
	var names []string
	for _, p := range imprecise.Policies() {
		names = append(names, p.Name)
	}
	return names
}

func gridPolicyHelp() string {
	var b strings.Builder
	for _, p := range imprecise.Policies() {
		fmt.Fprintf(&b, "%-13s %s\n", p.Name, p.Summary)
	}
	return b.String()
}

// completeGridPolicies completes the last name of a list.
func completeGridPolicies(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var offers []cobra.Completion
	for _, p := range imprecise.Policies() {
		offer := before + p.Name
		if strings.HasPrefix(offer, typed) && !slices.Contains(strings.Split(before, ","), p.Name) {
			offers = append(offers, cobra.CompletionWithDesc(offer, p.Summary))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeCSV offers the files that can be tables.
func completeCSV(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"csv", "gz"}, cobra.ShellCompDirectiveFilterFileExt
}
