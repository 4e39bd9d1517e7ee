package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// Who names a job where its number is wanted is told how jobs of a name are cancelled.
func TestCancelByAName(t *testing.T) {
	open(t, newFloor(), v1.RoleUser)
	if r := libra(t, "cancel", "fold it"); r.code != exitFailure || !strings.Contains(r.err, "libra cancel --all --name 'fold it'") {
		t.Errorf("%+v", r)
	}
	if r := libra(t, "cancel", "q77"); strings.Contains(r.err, "--name") {
		t.Errorf("of a quote: %+v", r)
	}
}

// A sentence about a part of a job is one.
func TestASentenceAboutAJob(t *testing.T) {
	for summary, want := range map[string]string{"waits": "job 7 waits", "its optional part runs": "job 7: its optional part runs"} {
		if got := inWords(7, summary); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
