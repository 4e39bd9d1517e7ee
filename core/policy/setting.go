package policy

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Setting is one parameter of a policy: a number, a list of them, or one of
// several words.
type Setting struct {
	Name    string
	Meaning string
	Choices []string // empty for a number
	Later   bool     // it came after the first logs: an epoch names it where it was set

	number  *float64
	numbers *[]float64
	word    *string
}

// Value is what the setting is now, as it would be written.
func (s Setting) Value() string {
	switch {
	case s.word != nil:
		return *s.word
	case s.numbers != nil:
		texts := make([]string, len(*s.numbers))
		for i, x := range *s.numbers {
			texts[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
		return strings.Join(texts, "/")
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
	if s.numbers != nil {
		var list []float64
		for part := range strings.SplitSeq(text, "/") {
			x, err := s.parse(part)
			if err != nil {
				return err
			}
			list = append(list, x)
		}
		*s.numbers = list
		return nil
	}
	x, err := s.parse(text)
	if err != nil {
		return err
	}
	*s.number = x
	return nil
}

func (s Setting) parse(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
		return 0, fmt.Errorf("%s: %q is not a number of 0 or more", s.Name, text)
	}
	return x, nil
}

// later marks a setting that the first logs do not know.
func later(s Setting) Setting {
	s.Later = true
	return s
}

func number(name string, at *float64, meaning string) Setting {
	return Setting{Name: name, Meaning: meaning, number: at}
}

// numbers is a list of numbers, written 0.2/1/1.
func numbers(name string, at *[]float64, meaning string) Setting {
	return Setting{Name: name, Meaning: meaning, numbers: at}
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
