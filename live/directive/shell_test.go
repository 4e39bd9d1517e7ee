package directive

import (
	"slices"
	"testing"
)

// A command line that only a shell can run is given to one; a program with its arguments
// is not.
func TestACommandAsOneText(t *testing.T) {
	for text, want := range map[string][]string{
		"refine --more":               {"refine", "--more"},
		`refine "a b" 'x;y' a\;b`:     {"refine", "a b", "x;y", "a;b"},
		"refine while $HOME":          {"refine", "while", "$HOME"},
		"while true; do refine; done": {"/bin/sh", "-c", "while true; do refine; done"},
		"refine > out":                {"/bin/sh", "-c", "refine > out"},
		"cd work && refine":           {"/bin/sh", "-c", "cd work && refine"},
		`refine "$(date)"`:            {"/bin/sh", "-c", `refine "$(date)"`},
		"(refine)":                    {"/bin/sh", "-c", "(refine)"},
		"if true\nthen refine\nfi":    {"/bin/sh", "-c", "if true\nthen refine\nfi"},
	} {
		got, err := command(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}
