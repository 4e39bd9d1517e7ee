package experiment

import (
	"regexp"
	"strings"
	"testing"
)

func TestFewestPoints(t *testing.T) {
	for _, c := range []struct {
		counts []count
		want   string
	}{
		{nil, ""},
		{[]count{{11, 12}}, "11 of 12"},
		{[]count{{4, 4}, {3, 4}, {5, 5}}, "3 of 4"},
		{[]count{{0, 0}}, ""},
		{[]count{{0, 9}, {0, 0}}, "0 of 9"},
	} {
		if got := fewest(c.counts); got != c.want {
			t.Errorf("%v: %q, want %q", c.counts, got, c.want)
		}
	}
}

func TestWhereItIsSo(t *testing.T) {
	c := curve{computed(1, 5), computed(2, 3), computed(3, 3), computed(4, 6)}
	low := curve{computed(1, 4), computed(2, 4), computed(4, 9)}
	for want, got := range map[string]count{
		"2 of 4": c.where(func(p Point) bool { return p.Mean > 4 }),
		"1 of 3": c.steps(1),
		"2 of 3": inOrder(low, curve{computed(1, 5), computed(2, 3), computed(4, 10)}),
		"0 of 0": curve{}.steps(-1),
	} {
		if got.String() != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// asSaid is how a judge says at how many points or steps of a figure something is so.
var asSaid = regexp.MustCompile(`(?:^|\bat )([0-9]+) of ([0-9]+)\b`)

// saysItsPoints says whether a claim's sentence has the count that it carries. It may have more,
// of what is only mentioned, and need have none.
func saysItsPoints(c Claim) bool {
	said := asSaid.FindAllStringSubmatch(c.Measured, -1)
	n, of, _ := strings.Cut(c.Points, " of ")
	for _, m := range said {
		if m[1] == n && m[2] == of {
			return true
		}
	}
	return len(said) == 0
}
