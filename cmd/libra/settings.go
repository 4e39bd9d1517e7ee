package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// setting is one --set name=value.
type setting struct{ name, value string }

// parseSettings reads them; of two for one name the later counts.
func parseSettings(texts []string) ([]setting, error) {
	var settings []setting
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" {
			return nil, usagef("--set: %q is not name=value", text)
		}
		settings = slices.DeleteFunc(settings, func(s setting) bool { return s.name == name })
		settings = append(settings, setting{name, value})
	}
	return settings, nil
}

func isSet(settings []setting, name string) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return s.name == name })
}

// contender is a policy with the settings that it knows.
type contender struct {
	kind policy.Kind
	set  map[string]string
}

// slaModel is a model of agreements under its name.
type slaModel struct {
	name string
	workload.Model
}

func newModel(name string) (slaModel, error) {
	model, err := workload.NewModel(name)
	if err != nil {
		return slaModel{}, usagef("--sla: %w", err)
	}
	return slaModel{name, model}, nil
}

// none reports whether the jobs keep the agreements they have.
func (m slaModel) none() bool { return m.name == noSLA }

const noSLA = "none"

// distribute gives each setting to whoever knows it: the policies, the model,
// or several of them. One that nobody knows is a mistake.
func distribute(settings []setting, contenders []contender, model slaModel) error {
	for _, s := range settings {
		ruled := rules.Known(s.name) && len(contenders) > 0 // of the market: it is so under every policy
		known := ruled
		for _, c := range contenders {
			if ruled || slices.ContainsFunc(c.kind.Settings(), func(p policy.Setting) bool { return p.Name == s.name }) {
				c.set[s.name] = s.value
				known = true
			}
		}
		err := model.Set(s.name, s.value)
		if err != nil && !errors.Is(err, workload.ErrUnknownParameter) {
			return usagef("--set: SLA model %s: %w", model.name, err)
		}
		if err != nil && !known {
			return usagef("--set: nobody knows %q: %s", s.name, whoKnows(contenders, model))
		}
	}
	for _, c := range contenders {
		_, set, _, err := trial.Rules(c.set)
		if err == nil {
			_, err = c.kind.New(set)
		}
		if err != nil {
			return usagef("--set: %w", err)
		}
	}
	return nil
}

func whoKnows(contenders []contender, model slaModel) string {
	var lists []string
	list := func(who string, names []string) {
		if len(names) == 0 {
			names = []string{"no settings"}
		}
		lists = append(lists, fmt.Sprintf("%s has %s", who, strings.Join(names, ", ")))
	}
	for _, c := range contenders {
		var names []string
		for _, s := range c.kind.Settings() {
			names = append(names, s.Name)
		}
		list("policy "+c.kind.Name, names)
	}
	if model.none() {
		return strings.Join(append(lists, "there is no SLA model (--sla)"), "; ")
	}
	var names []string
	for _, p := range model.Params() {
		names = append(names, p.Name)
	}
	list("SLA model "+model.name, names)
	return strings.Join(lists, "; ")
}
