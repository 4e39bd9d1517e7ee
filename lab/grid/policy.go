package grid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// Policy is how a site schedules and what it sells. All of them run mandatory
// parts first, by earliest deadline (003, section 3.2); they differ in how
// optional parts are served and in what counts as mandatory. All but mf-rate are of
// the paper.
type Policy struct {
	Name    string
	Summary string
	// Imprecise policies sell optional parts: what is left behind mandatory ones.
	Imprecise bool

	optional order // of optional parts; in the pre-schedule also for time-sharing
	shared   bool  // optional parts share processors instead of queueing for them
	terms    func(*Application) terms
}

// terms are what a site makes of each job of an application.
type terms struct {
	mandatory market.Work
	optional  market.Work
	included  market.Work  // optional work that is part of the mandatory
	worth     market.Price // of a job whose mandatory part is done
}

var policies = []Policy{
	{
		Name: "mf-edf", Summary: "mandatory first; optional parts by earliest deadline",
		optional: byDue, terms: imprecise, Imprecise: true,
	},
	{
		Name: "mf-hbf", Summary: "mandatory first; optional parts by highest budget",
		optional: byValue, terms: imprecise, Imprecise: true,
	},
	{
		Name: "mf-timeshare", Summary: "mandatory first; optional parts share the processors left over",
		optional: byDue, shared: true, terms: imprecise, Imprecise: true,
	},
	{
		Name: "mf-rate", Summary: "mandatory first; optional parts by what each instruction pays",
		optional: byRate, terms: imprecise, Imprecise: true,
	},
	{
		Name: "hard-m", Summary: "the mandatory part alone, with a hard deadline",
		optional: byDue, terms: mandatoryOnly,
	},
	{
		Name: "hard-mo", Summary: "both parts, with a hard deadline: all or nothing",
		optional: byDue, terms: allMandatory,
	},
}

// Policies lists all policies in the order in which to show them.
func Policies() []Policy { return slices.Clone(policies) }

// FindPolicy returns the policy of a name, or an error that lists them all.
func FindPolicy(name string) (Policy, error) {
	names := make([]string, len(policies))
	for i, p := range policies {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return Policy{}, fmt.Errorf("unknown policy %q (want one of %s)", name, strings.Join(names, ", "))
}

// imprecise takes an application as it is. What a budget pays for no optional
// work at all is earned with the mandatory part.
func imprecise(a *Application) terms {
	return terms{mandatory: a.Mandatory, optional: a.Optional, worth: a.Worth + a.Budget.At(0)}
}

// mandatoryOnly is Hard-M of section 4.
func mandatoryOnly(a *Application) terms {
	return terms{mandatory: a.Mandatory, worth: a.Worth + a.Budget.At(0)}
}

// allMandatory is Hard-M+O of section 4.
func allMandatory(a *Application) terms {
	return terms{mandatory: a.Mandatory + a.Optional, included: a.Optional, worth: a.Worth + a.Budget.At(a.Optional)}
}

// order says which of two applications goes first. The jobs of one application
// are alike and go by their index, so every order of jobs is one of
// applications.
type order func(a, b *contract) bool

// byDue is EDF. Deadlines that differ by rounding alone are the same.
func byDue(a, b *contract) bool {
	if a.dueRank != b.dueRank {
		return a.dueRank < b.dueRank
	}
	return a.position < b.position
}

// byValue is HBF: by b(o) - b(0), which section 3.3 calls the budget rate
// although it is no slope, because a slope "cannot be used as a metric of
// priority"; ties go by deadline.
func byValue(a, b *contract) bool {
	if a.value != b.value {
		return a.value > b.value
	}
	return byDue(a, b)
}

// byRate is by b(o) - b(0) over o: which instruction pays most. It is an order of our own
// (docs/policies.md), for which a budget that is not linear has the slope of all of it.
func byRate(a, b *contract) bool {
	if a.rate != b.rate {
		return a.rate > b.rate
	}
	return byDue(a, b)
}

// byPosition is the order of the input, in which time-sharing deals processors.
func byPosition(a, b *contract) bool { return a.position < b.position }

// jobs makes it an order of jobs.
func (o order) jobs(a, b *job) bool {
	if a.of == b.of {
		return a.index < b.index
	}
	return o(a.of, b.of)
}
