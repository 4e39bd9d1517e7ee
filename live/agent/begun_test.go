package agent

import "testing"

// An init that ends without a word was stopped before the program began: half of the time
// that is how the other rank of a job ends whose program does not exist.
func TestAnInitThatWasStopped(t *testing.T) {
	for words, want := range map[string]string{
		"":   errStopped.Error(),
		"\n": "",
		"\n{\"code\":127,\"reason\":\"no such program\"}\n": "no such program",
		"{\"code\":126,\"reason\":\"no such directory\"}\n": "no such directory",
	} {
		got := troubleIn([]byte(words))
		if got == nil && want != "" || got != nil && got.Reason != want {
			t.Errorf("%q: %+v, want %q", words, got, want)
		}
	}
}
