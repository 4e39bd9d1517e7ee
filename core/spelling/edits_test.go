package spelling

import "testing"

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"acb", "abc", 1}, {"kitten", "sitting", 3}, {"nmae", "name", 1}, {"länge", "lange", 1}} {
		if got := Edits(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
