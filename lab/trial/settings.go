package trial

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/lab/workload"
)

// Setting is a parameter with a value, of whoever knows it.
type Setting struct{ Name, Value string }

// ParseSettings reads settings of the form name=value; of two for one name the later
// counts.
func ParseSettings(texts []string) ([]Setting, error) {
	var settings []Setting
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("%q is not name=value", text)
		}
		settings = slices.DeleteFunc(settings, func(s Setting) bool { return s.Name == name })
		settings = append(settings, Setting{name, value})
	}
	return settings, nil
}

// IsSet reports whether a parameter is among the settings.
func IsSet(settings []Setting, name string) bool {
	return slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == name })
}

// Contender is a policy that is to be tried, with the settings that it knows.
type Contender struct {
	Kind policy.Kind
	Set  map[string]string
}

// Knows reports whether the policy has such a setting, or every market has.
func (c Contender) Knows(name string) bool {
	return rules.Known(name) || slices.ContainsFunc(c.Kind.Settings(), func(p policy.Setting) bool { return p.Name == name })
}

// Contenders are the policies of these names, each once, with nothing set.
func Contenders(names []string) ([]Contender, error) {
	var found []Contender
	for i, name := range names {
		kind, err := policy.Find(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		found = append(found, Contender{Kind: kind, Set: map[string]string{}})
	}
	return found, nil
}

// Model is a model of agreements under its name.
type Model struct {
	workload.Model

	Name string
}

// NewModel finds a model by its name.
func NewModel(name string) (Model, error) {
	model, err := workload.NewModel(name)
	return Model{Model: model, Name: name}, err
}

// NoModel is the name of the model that leaves the jobs the agreements they have.
const NoModel = "none"

// None reports whether the jobs keep the agreements they have.
func (m Model) None() bool { return m.Name == NoModel }

// UsualModel is the name of the model that a workload gets when none is asked for:
// files that can say what was agreed have said it.
func UsualModel(format workload.Format, first policy.Kind) string {
	switch {
	case format == workload.FormatCSV, format == workload.FormatSpec:
		return NoModel
	case first.Name == "libra-sla":
		return "libra-sla"
	}
	return "libra-plus"
}

// Distribute gives each setting to whoever knows it: the policies, the rules of the
// market (which hold under every policy), the model, or several of them. One that
// nobody knows is a mistake.
func Distribute(settings []Setting, contenders []Contender, model Model) error {
	for _, s := range settings {
		known := false
		for _, c := range contenders {
			if c.Knows(s.Name) {
				c.Set[s.Name] = s.Value
				known = true
			}
		}
		err := model.Set(s.Name, s.Value)
		if err != nil && !errors.Is(err, workload.ErrUnknownParameter) {
			return fmt.Errorf("SLA model %s: %w", model.Name, err)
		}
		if err != nil && !known {
			return fmt.Errorf("nobody knows %q: %s", s.Name, Knowers(contenders, model))
		}
	}
	for _, s := range settings {
		if err := Plays(s.Name, s.Value); err != nil {
			return err
		}
	}
	for _, c := range contenders {
		_, set, _, err := Rules(c.Set)
		if err == nil {
			_, err = c.Kind.New(set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Knowers says who knows which settings.
func Knowers(contenders []Contender, model Model) string {
	var lists []string
	list := func(who string, names []string) {
		if len(names) == 0 {
			names = []string{"no settings"}
		}
		lists = append(lists, fmt.Sprintf("%s has %s", who, strings.Join(names, ", ")))
	}
	for _, c := range contenders {
		var names []string
		for _, s := range c.Kind.Settings() {
			names = append(names, s.Name)
		}
		list("policy "+c.Kind.Name, names)
	}
	if model.None() {
		return strings.Join(append(lists, "there is no SLA model (--sla)"), "; ")
	}
	var names []string
	for _, p := range model.Params() {
		names = append(names, p.Name)
	}
	list("SLA model "+model.Name, names)
	return strings.Join(lists, "; ")
}
