package web

import "testing"

// What is said of a refusal is made a sentence; the name of an account is not changed.
func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "it costs 2.00": "It costs 2.00.", "demo/root has 1.00 free, 2.00 is needed": "demo/root has 1.00 free, 2.00 is needed.",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
