package client

import "testing"

// Newer versions of slurmrestd say in one text what they did and in another why not.
func TestWhatIsSaidOfARefusal(t *testing.T) {
	for want, l := range map[string]faultList{
		"submission failed: partition is inactive": {{Number: 2070, Description: "submission failed", Error: "partition is inactive"}},
		"no such node":        {{Number: 2018, Description: "no such node", Error: "no such node"}},
		"a; b":                {{Number: 2018, Description: "a"}, {Code: 2018, Error: "b"}},
		"it does not say why": {{Number: noteHeld, Error: "held"}},
	} {
		if got := l.said(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
