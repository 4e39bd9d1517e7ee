package book

import "testing"

// An entry stays where it is, however many more there are, and each slot has its own.
func TestEntriesStayWhereTheyAre(t *testing.T) {
	e := newEntries(3)
	if e.n != 3 {
		t.Errorf("%d slots, want 3", e.n)
	}
	first := e.at(0)
	at := map[*Entry]Slot{}
	for s := range Slot(3) {
		at[e.at(s)] = s
	}
	for want := Slot(3); want < 5<<entryBits; want++ {
		s := e.add()
		if s != want {
			t.Fatalf("slot %d is given, want %d", s, want)
		}
		if other, taken := at[e.at(s)]; taken {
			t.Fatalf("slots %d and %d are one", s, other)
		}
		at[e.at(s)] = s
	}
	if e.at(0) != first {
		t.Error("the first entry is elsewhere")
	}
}
