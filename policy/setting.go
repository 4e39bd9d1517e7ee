package policy

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Setting is one parameter of a policy: a number, or one of several words.
type Setting struct {
	Name    string
	Meaning string
	Choices []string // empty for a number

	number *float64
	word   *string
}

// Value is what the setting is now, as it would be written.
func (s Setting) Value() string {
	if s.word != nil {
		return *s.word
	}
	return strconv.FormatFloat(*s.number, 'g', -1, 64)
}

func (s Setting) set(text string) error {
	if s.word != nil {
		if !slices.Contains(s.Choices, text) {
			return fmt.Errorf("%s: %q is not one of %s", s.Name, text, strings.Join(s.Choices, ", "))
		}
		*s.word = text
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
		return fmt.Errorf("%s: %q is not a number of 0 or more", s.Name, text)
	}
	*s.number = x
	return nil
}

func number(name string, at *float64, meaning string) Setting {
	return Setting{Name: name, Meaning: meaning, number: at}
}

// choice is a setting whose default is the first word.
func choice(name string, at *string, meaning string, words ...string) Setting {
	return Setting{Name: name, Meaning: meaning, word: at, Choices: words}
}

func listSettings(settings []Setting) string {
	if len(settings) == 0 {
		return "it has none"
	}
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.Name
	}
	return "it has " + strings.Join(names, ", ")
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
