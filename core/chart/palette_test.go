package chart

import (
	"fmt"
	"strings"
	"testing"
)

// No two of a dozen lines have one colour, on light ground or on dark, and each
// colour that is given out is there.
func TestADozenLinesHaveColoursOfTheirOwn(t *testing.T) {
	light, dark, _ := strings.Cut(CSS, "@media")
	for ground, css := range map[string]string{"light": light, "dark": dark} {
		seen := map[string]int{}
		for i := range 12 {
			_, rest, there := strings.Cut(css, fmt.Sprintf(".lc .%s{color:", classOf(i)))
			if !there {
				t.Fatalf("on %s ground line %d has no colour", ground, i)
			}
			colour, _, _ := strings.Cut(rest, "}")
			if other, twice := seen[colour]; twice {
				t.Errorf("on %s ground lines %d and %d are both %s", ground, other, i, colour)
			}
			seen[colour] = i
		}
	}
}
