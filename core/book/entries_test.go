package book

import (
	"reflect"
	"strconv"
	"testing"
)

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

// An entry is whole lines of memory and begins where one does, what was agreed is on one of
// its own, and so is the head of what was asked: of a job that starts out of a long queue each further
// line is waited for.
func TestAnEntryIsWholeLines(t *testing.T) {
	if strconv.IntSize != 64 {
		t.Skip("what an entry points to is smaller here")
	}
	const line = 64
	entry := reflect.TypeFor[Entry]()
	if entry.Size() != 6*line {
		t.Errorf("an entry is %d bytes, want %d", entry.Size(), 6*line)
	}
	for _, name := range []string{"Left", "Procs", "Terms", "Job"} {
		if f, _ := entry.FieldByName(name); f.Offset%line != 0 {
			t.Errorf("%s begins at %d of an entry", name, f.Offset)
		}
	}
	e := newEntries(1)
	if at := reflect.ValueOf(e.at(0)).Pointer(); at%line != 0 {
		t.Errorf("the first entry begins %d bytes into a line", at%line)
	}
}
