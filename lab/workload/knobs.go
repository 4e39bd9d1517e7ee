package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Knob is a setting of a model that generates jobs: a number, or a whole one.
type Knob struct {
	Name    string
	Meaning string

	real  *float64
	whole *int
}

// Knobs are the settings of the model.
func (m *Lublin) Knobs() []Knob {
	return []Knob{
		{Name: "load", real: &m.Load, Meaning: "work per processor and second (0.7)"},
		{Name: "mean-gap", real: &m.MeanGap, Meaning: "seconds between arrivals, in place of load"},
		{Name: "underestimates", real: &m.Underestimates, Meaning: "share of jobs that run longer than asked for (0.08)"},
		{Name: "users", whole: &m.Users, Meaning: "number of users (64)"},
	}
}

// Knobs are the settings of the model.
func (b *Batch) Knobs() []Knob {
	return []Knob{
		{Name: "last-arrival", whole: &b.LastArrival, Meaning: "arrivals from 1 to this second (102)"},
		{Name: "shortest", whole: &b.ShortestMI, Meaning: "shortest job, million instructions (1000)"},
		{Name: "longest", whole: &b.LongestMI, Meaning: "longest job (10900)"},
		{Name: "step", whole: &b.StepMI, Meaning: "lengths go in steps (100)"},
		{Name: "rating", real: &b.Rating, Meaning: "MIPS of a node (90)"},
		{Name: "last-deadline", whole: &b.LastDeadline, Meaning: "deadlines from 1 to this, in seconds (1200)"},
		{Name: "budget", whole: &b.Budget, Meaning: "budget of most jobs (1000)"},
		{Name: "largest-budget", whole: &b.LargestBudget, Meaning: "the others have up to this (12000)"},
		{Name: "plain-share", real: &b.PlainShare, Meaning: "share of the jobs with the budget of most (0.8)"},
	}
}

// Turn sets one of the knobs of a model, which is named in the error if it has none
// of that name.
func Turn(knobs []Knob, model, name, value string) error {
	i := slices.IndexFunc(knobs, func(k Knob) bool { return k.Name == name })
	if i < 0 {
		var names []string
		for _, k := range knobs {
			names = append(names, k.Name)
		}
		return fmt.Errorf("model %s has no setting %q (it has %s)", model, name, strings.Join(names, ", "))
	}
	var err error
	if k := knobs[i]; k.whole != nil {
		*k.whole, err = strconv.Atoi(value)
	} else {
		*k.real, err = strconv.ParseFloat(value, 64)
	}
	if err != nil {
		return fmt.Errorf("%s: %q is not a number that fits", name, value)
	}
	return nil
}
