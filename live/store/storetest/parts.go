package storetest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Missing ends a test that needs a part of the machine which is not there: it
// skips, or fails if LIBRA_REQUIRE names the part.
func Missing(tb testing.TB, part string, why error) {
	tb.Helper()
	if slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), part) {
		tb.Fatalf("%s is required: %v", part, why)
	}
	tb.Skipf("no %s: %v", part, why)
}
