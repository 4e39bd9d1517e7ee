package munge_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/munge"
	"github.com/libra-market/libra/live/munge/mungetest"
)

// Munge says whose a credential is, of the challenge that it was made over, and says so once.
func TestWhoSigns(t *testing.T) {
	uid := os.Getuid()
	if uid == 0 {
		uid = 1234 // nobody need have the number
	}
	mungetest.Start(t, uid)
	sign := func() string {
		t.Helper()
		credential, err := munge.Sign(t.Context(), "abc")
		if err != nil || !strings.HasPrefix(credential, "MUNGE:") {
			t.Fatalf("%q, %v", credential, err)
		}
		return credential
	}
	first := sign()
	if got, err := munge.Check(t.Context(), "abc", first); err != nil || got != uid {
		t.Errorf("user %d has signed, %v, want %d", got, err, uid)
	}
	if got, err := munge.Check(t.Context(), "abc", first); err == nil || !strings.Contains(err.Error(), "Replayed") {
		t.Errorf("once more: user %d, %v", got, err)
	}
	if got, err := munge.Check(t.Context(), "abcd", sign()); err == nil {
		t.Errorf("of another challenge: user %d", got)
	}
	plain, err := exec.CommandContext(t.Context(), "munge", "--string", "abc").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"", "abc", "MUNGE:abc:", strings.Repeat("x", 1<<16), first[:len(first)-9] + "AAAAAAA=:", string(plain)} {
		if got, err := munge.Check(t.Context(), "abc", wrong); err == nil {
			t.Errorf("%.60q is user %d's", wrong, got)
		}
	}
}
