package agent

import "testing"

// TestFootingMoves names, for every state of a holder and every event, where it
// goes; "" is that it cannot happen.
func TestFootingMoves(t *testing.T) {
	want := map[string][footingEvents]string{
		//           quotaSet  quotaFailed numberReused
		"unlimited": {"limited", "rejected", "unlimited"},
		"limited":   {"limited", "", "unlimited"},
		"rejected":  {"", "", "unlimited"},
	}
	if len(want) != footings {
		t.Fatalf("%d states, and %d are here", footings, len(want))
	}
	for f := range footing(footings) {
		for e := range footingEvent(footingEvents) {
			got, err := f.on(e)
			went := want[f.String()][e]
			switch {
			case went == "" && (err == nil || got != f):
				t.Errorf("%s on %s: %s, want that it cannot happen", f, e, got)
			case went != "" && (err != nil || got.String() != went):
				t.Errorf("%s on %s: %s (%v), want %s", f, e, got, err, went)
			}
		}
	}
}
