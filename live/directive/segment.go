package directive

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Segment is the segment of a specification (live/spec) that says what #LIBRA lines and flags say,
// in their words: whatever they know, a file does.
const Segment = "libra"

// SetAll says what a segment says; nil: there is none. Values are texts, numbers and truths, and
// lists of them.
func (h *Head) SetAll(segment any) error {
	if segment == nil {
		return nil
	}
	said, is := segment.(map[string]any)
	if !is {
		return fmt.Errorf("%s: want names and values: begin: 18:00", Segment)
	}
	names := slices.Sorted(maps.Keys(said))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range names {
		texts, err := textsOf(said[name])
		if err == nil && !repeats(name) {
			texts = []string{strings.Join(texts, ",")}
		}
		for _, text := range texts {
			if err == nil {
				err = h.Set(name, text)
			}
		}
		if err != nil {
			return fmt.Errorf("%s.%s: %w", Segment, name, err)
		}
	}
	return nil
}

// rank is the place of a word among all: some take back what others have said.
func rank(name string) int { return slices.Index(Terms(), name) }

// repeats reports whether a word may be said several times, each with a value of its own.
func repeats(name string) bool { return name == "env" }

// textsOf are the texts of a value.
func textsOf(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case json.Number:
		return []string{v.String()}, nil
	case bool:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		var all []string
		for _, item := range v {
			if _, list := item.([]any); list {
				return nil, errors.New("a list in a list")
			}
			texts, err := textsOf(item)
			if err != nil {
				return nil, err
			}
			all = append(all, texts...)
		}
		return all, nil
	}
	return nil, fmt.Errorf("%v: want a text, a number, true or false, or a list of them", value)
}
