package main

import (
	"bufio"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

func newPolicies(con *console) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "policies",
		Aliases: []string{"policy"},
		Short:   "List the policies and SLA models with their settings",
		Long:    "List the policies and the SLA models, with what --set can change in each.",
		Example: `  libra policies
  libra policies --json`,
		Args: positional(),
		RunE: func(*cobra.Command, []string) error { return runPolicies(con, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// The listing, as --json prints it.
type (
	listing struct {
		Policies []policyListing `json:"policies"`
		Models   []modelListing  `json:"sla_models"`
	}
	policyListing struct {
		Name           string           `json:"name"`
		Summary        string           `json:"summary"`
		TimeShared     bool             `json:"time_shared"`
		ExactEstimates bool             `json:"exact_estimates"`
		Settings       []settingListing `json:"settings"`
	}
	modelListing struct {
		Name     string           `json:"name"`
		Settings []settingListing `json:"settings"`
	}
	settingListing struct {
		Name    string   `json:"name"`
		Default string   `json:"default"`
		Choices []string `json:"choices,omitempty"`
		Meaning string   `json:"meaning"`
	}
)

func runPolicies(con *console, asJSON bool) error {
	list := listAll()
	if asJSON {
		return con.writeJSON(list)
	}
	out := bufio.NewWriter(con.out)
	for _, p := range list.Policies {
		sharing := "space-shared"
		if p.TimeShared {
			sharing = "time-shared"
		}
		printf(out, "%s (%s)\n  %s\n", p.Name, sharing, p.Summary)
		if err := writeSettings(out, p.Settings); err != nil {
			return err
		}
	}
	for _, m := range list.Models {
		printf(out, "--sla %s\n", m.Name)
		if err := writeSettings(out, m.Settings); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeSettings(out *bufio.Writer, settings []settingListing) error {
	g := &grid{left: 3}
	for _, s := range settings {
		meaning := s.Meaning
		if len(s.Choices) > 0 {
			meaning += " (" + strings.Join(s.Choices, ", ") + ")"
		}
		g.add(s.Name, s.Default, meaning)
	}
	if err := g.write(out, "    "); err != nil {
		return err
	}
	return out.WriteByte('\n')
}

func listAll() listing {
	var list listing
	for _, k := range policy.Kinds() {
		p := policyListing{
			Name: k.Name, Summary: k.Summary, TimeShared: k.TimeShared, ExactEstimates: k.ExactEstimates,
			Settings: []settingListing{},
		}
		for _, s := range k.Settings() {
			p.Settings = append(p.Settings, settingListing{s.Name, s.Value(), s.Choices, s.Meaning})
		}
		list.Policies = append(list.Policies, p)
	}
	for _, name := range workload.Models() {
		model, err := workload.NewModel(name)
		if err != nil || name == trial.NoModel {
			continue
		}
		m := modelListing{Name: name}
		for _, p := range model.Params() {
			m.Settings = append(m.Settings, settingListing{Name: p.Name, Default: p.Default, Meaning: p.Meaning})
		}
		list.Models = append(list.Models, m)
	}
	return list
}

func policyNames() []string {
	var names []string
	for _, k := range policy.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// findPolicies looks up the policies of --policy.
func findPolicies(names []string) ([]trial.Contender, error) {
	found, err := trial.Contenders(names)
	if err != nil {
		return nil, usagef("--policy: %w", err)
	}
	return found, nil
}

// completePolicies completes the last name of a list.
func completePolicies(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var offers []cobra.Completion
	for _, k := range policy.Kinds() {
		offer := before + k.Name
		if strings.HasPrefix(offer, typed) && !slices.Contains(strings.Split(before, ","), k.Name) {
			offers = append(offers, cobra.CompletionWithDesc(offer, k.Summary))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
