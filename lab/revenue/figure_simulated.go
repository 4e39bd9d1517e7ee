package revenue

import (
	"context"

	"github.com/libra-market/libra/core/admission"
)

// SimulatedFigures are figures 16 to 19 from studies at several loads, each of
// which has the same rules in the same order: revenue per second, revenue per
// job, mean delay and utilisation, one curve for each rule.
func SimulatedFigures(loads []float64, studies [][]RuleResult) []Figure {
	list := []Figure{
		{Number: "16", Title: "Average revenue per second", Y: "revenue per second"},
		{Number: "17", Title: "Average revenue per job", Y: "revenue per job"},
		{Number: "18", Title: "Average queueing delay", Y: "delay (s)"},
		{Number: "19", Title: "Average utilisation", Y: "utilisation"},
	}
	measures := []func(*RuleResult) Estimate{
		(*RuleResult).RevenuePerSecond, (*RuleResult).RevenuePerJob, (*RuleResult).MeanDelay, (*RuleResult).Utilisation,
	}
	for i := range list {
		list[i].X = "aggregate load"
		if len(studies) == 0 {
			continue
		}
		for r := range studies[0] {
			s := Series{Name: studies[0][r].Rule.Name}
			for k, load := range loads {
				s.X = append(s.X, load)
				s.Y = append(s.Y, measures[i](&studies[k][r]).Mean)
			}
			list[i].Series = append(list[i].Series, s)
		}
	}
	return list
}

// PaperRules are the two rules that section VI compares, at a load.
func PaperRules(s *System, load, phi float64, offset admission.Offset) ([]Rule, error) {
	t := Tuning{System: *s, Load: load}
	optimal, err := t.modelRule(RuleOptimal, phi, offset)
	if err != nil {
		return nil, err
	}
	return []Rule{AdmitAll(s), optimal}, nil
}

// SectionVIStudy simulates the paper's two rules at a load: figures 16 to 19.
func SectionVIStudy(ctx context.Context, s System, load, phi float64, periods int, seed uint64) ([]RuleResult, error) {
	rules, err := PaperRules(&s, load, phi, admission.Scaled)
	if err != nil {
		return nil, err
	}
	study := Study{System: s, Load: load, Rules: rules, Periods: periods, Seed: seed}
	return study.Run(ctx)
}
