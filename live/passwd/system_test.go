package passwd

import (
	"strings"
	"testing"
)

func TestSystemUsers(t *testing.T) {
	for _, uid := range []int{-1, 0, 1, 99, 65534, 65535, 1<<32 - 2, 1<<32 - 1} {
		if !System(uid) {
			t.Errorf("%d is no user of the system", uid)
		}
	}
	for _, uid := range []int{60000, 100_000, 1 << 31} {
		if System(uid) {
			t.Errorf("%d is a user of the system", uid)
		}
	}
	if !IsSystem("root") || IsSystem("libra-nobody-has-this-name") {
		t.Error("by name")
	}
}

func TestWhatTheHostSays(t *testing.T) {
	for text, want := range map[string]int{
		"": 999, "UID_MIN\t500\n": 499, "UID_MIN 1000\n#SYS_UID_MAX 5\n": 999, "SYS_UID_MAX 1999\nUID_MIN 2000": 1999,
		"SYS_UID_MAX many\n": 999, "SYS_UID_MAX 0\nUID_MIN 0\n": 999, "SYS_UID_MAX\n": 999,
	} {
		if got := lastOf(strings.NewReader(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
