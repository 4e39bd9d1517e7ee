package workload

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnknownParameter says that a model has no parameter of that name. A
// caller that offers one list of settings to several parts asks each in turn.
var ErrUnknownParameter = errors.New("unknown parameter")

// Param describes one parameter of a model, for help texts.
type Param struct {
	Name    string
	Default string
	Meaning string
}

// param is a parameter and where its value lies.
type param struct {
	name        string
	value       *float64
	least, most float64
	meaning     string
}

// describe lists parameters whose values are the defaults.
func describe(params []param) []Param {
	list := make([]Param, len(params))
	for i, p := range params {
		list[i] = Param{p.name, string(appendNumber(nil, *p.value)), p.meaning}
	}
	return list
}

// set gives a parameter a value, as text.
func set(params []param, name, text string) error {
	for _, p := range params {
		if p.name != name {
			continue
		}
		value, err := parseNumber(text)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", name, text, err)
		}
		if err := p.check(value); err != nil {
			return err
		}
		*p.value = value
		return nil
	}
	if len(params) == 0 {
		return fmt.Errorf("%w %q (there are none)", ErrUnknownParameter, name)
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.name
	}
	return fmt.Errorf("%w %q (want one of %s)", ErrUnknownParameter, name, strings.Join(names, ", "))
}

// validate checks values that were set without [set].
func validate(params []param) error {
	for _, p := range params {
		if err := p.check(*p.value); err != nil {
			return err
		}
	}
	return nil
}

func (p *param) check(value float64) error {
	if value >= p.least && value <= p.most {
		return nil
	}
	return fmt.Errorf("%s: %v makes no sense (want %v to %v)", p.name, value, p.least, p.most)
}
