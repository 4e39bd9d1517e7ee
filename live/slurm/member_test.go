package slurm

import "testing"

// TestMemberMoves names, for every state of a node and every event, where it goes;
// "" is that it cannot happen.
func TestMemberMoves(t *testing.T) {
	want := map[string][memberEvents]string{
		//           givenUp    lossTaken lossFailed introduced  welcomed    answered
		"member":    {"leaving", "", "", "joining", "member", ""},
		"joining":   {"", "", "", "", "joining", "member"},
		"leaving":   {"", "away", "doubted", "", "recalled", ""},
		"recalled":  {"", "doubted", "doubted", "", "recalled", ""},
		"away":      {"", "", "", "returning", "member", ""},
		"returning": {"", "", "", "", "joining", "doubted"},
		"doubted":   {"leaving", "", "", "returning", "member", ""},
	}
	if len(want) != memberships {
		t.Fatalf("%d states, and %d are here", memberships, len(want))
	}
	for m := range membership(memberships) {
		for e := range memberEvent(memberEvents) {
			got, err := m.on(e)
			went := want[m.String()][e]
			switch {
			case went == "" && (err == nil || got != m):
				t.Errorf("%s on %s: %s, want that it cannot happen", m, e, got)
			case went != "" && (err != nil || got.String() != went):
				t.Errorf("%s on %s: %s (%v), want %s", m, e, got, err, went)
			}
		}
	}
}

// What a node is to the rest of the backend follows from its state alone.
func TestWhatAMemberIs(t *testing.T) {
	for m, want := range map[membership]struct{ lost, busy bool }{
		member:    {false, false},
		joining:   {false, true},
		leaving:   {true, true},
		recalled:  {false, true},
		away:      {true, false},
		returning: {true, true},
		doubted:   {true, false},
	} {
		if m.lost() != want.lost || m.busy() != want.busy {
			t.Errorf("%s: lost %v, busy %v", m, m.lost(), m.busy())
		}
	}
	// Whoever is busy comes to rest: no event is waited for that cannot come.
	for m := range membership(memberships) {
		if _, tells := memberMoves[m][answered]; m.busy() && !tells {
			if _, tells = memberMoves[m][lossTaken]; !tells {
				t.Errorf("%s stays busy for ever", m)
			}
		}
	}
}
