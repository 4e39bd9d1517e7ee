package exchange_test

import (
	"flag"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/policy"
)

// A snapshot is encoded while the market goes on: whatever happens after it, it says
// what it said.
func TestASnapshotStaysAsItWas(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() == checks.DefValue {
		defer func() { _ = checks.Value.Set(checks.DefValue) }()
		_ = checks.Value.Set("10")
	}
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				var taken []journal.Snapshot
				var said [][]byte
				randomDay(t, r, kind.Name, func(_ rapid.TB, f *floor) {
					taken = append(taken, f.x.Snapshot())
					said = append(said, encode(r, f.x))
				})
				for i := range taken {
					if d := differ(said[i], asJSON(r, taken[i])); d != "" {
						t.Fatalf("at the end of the day it says %s", d)
					}
				}
			})
		})
	}
}
