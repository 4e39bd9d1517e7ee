package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/live/mistake"
)

// mistakes are what is wrong with a file.
type mistakes struct{ mistake.List }

// settings tries those of a policy and of the market. Each that is complained of is
// left out and the others are tried again, so that one mistake does not hide the next.
func (m *mistakes) settings(kind policy.Kind, all map[string]string) {
	own, rest := rules.Split(all)
	m.each(maps.Clone(rest), func(left map[string]string) error {
		if _, err := kind.New(left); err != nil {
			return fmt.Errorf("%w; the market has %s", err, strings.Join(rules.Names(), ", "))
		}
		return nil
	})
	m.each(maps.Clone(own), func(left map[string]string) error {
		_, err := rules.Live().With(left)
		return err
	})
}

func (m *mistakes) each(left map[string]string, try func(map[string]string) error) {
	for {
		err := try(left)
		if err == nil {
			return
		}
		name := named(left, err.Error())
		if name == "" {
			m.Add(err.Error(), "settings")
			return
		}
		m.Add(err.Error(), "settings."+name)
		delete(left, name)
	}
}

// named is the setting that a message is about: the one that it names first.
func named(settings map[string]string, text string) string {
	found, first := "", len(text)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
		if at := word.FindStringIndex(text); at != nil && at[0] < first {
			found, first = name, at[0]
		}
	}
	return found
}
