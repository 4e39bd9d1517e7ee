package spelling

import "testing"

func TestTheWordThatWasMeant(t *testing.T) {
	words := []string{"estimate", "deadline", "budget", "memory", "wait"}
	for typed, want := range map[string]string{"estimat": "estimate", "deadlin": "deadline", "buget": "budget", "mem": "memory", "xyz": "", "w": "", "wiat": "wait"} {
		if got := Nearest(typed, words); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	if got := Hint("buget", words); got != "; did you mean budget?" {
		t.Error(got)
	}
	if got := Hint("xyz", words); got != "" {
		t.Error(got)
	}
}
