package book

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// fill gives every field of a struct a value of its own, so that one which is
// forgotten, or mixed up with another, shows.
func fill(x reflect.Value, n *int) {
	for i := range x.NumField() {
		f := x.Field(i)
		if !f.CanSet() {
			continue
		}
		*n++
		switch f.Kind() {
		case reflect.Float64:
			f.SetFloat(float64(*n) + 0.1)
		case reflect.Int64, reflect.Int32, reflect.Int:
			f.SetInt(int64(*n))
		case reflect.Uint8:
			f.SetUint(1)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString(string('a' + rune(*n%26)))
		case reflect.Struct:
			fill(f, n)
		}
	}
}

// Every field of a job, of its terms and of its tasks is written down.
func TestStateForgetsNoField(t *testing.T) {
	n := 0
	b := New(market.Alike(market.Plain(), 100))
	b.slots = newEntries(1)
	e := b.slots.at(0)
	fill(reflect.ValueOf(e).Elem(), &n)
	e.Procs = market.ProcsOf(0, 1, 2, 64, 99)
	e.alone, e.independent, e.reserved, e.bestEffort, e.presumed = true, true, true, true, true
	e.endsAt, e.worked, e.priced, e.refined = 1001, 1002, 1003, 1004
	s := b.jobState(0)
	got := s.entry()
	got.Procs, _ = readProcs(s.Procs, 100)
	if !reflect.DeepEqual(got, *e) {
		t.Errorf("a job: %+v, want %+v", got, *e)
	}
	var task Task
	fill(reflect.ValueOf(&task).Elem(), &n)
	state := taskState(&task)
	if got := state.task(task.Slot); got != task {
		t.Errorf("a task: %+v, want %+v", got, task)
	}
	// What has no place in a state follows from the rest. Whoever adds a field
	// to an entry or a book says here which of the two it is.
	derived := []string{"state", "fresh", "choosy", "plain", "_", "tasks", "at", "alongside", "houses", "guest", "behind", "astray"}
	carried := []string{
		"Job", "Terms", "Start", "Left", "Since", "Speed", "Procs",
		"alone", "independent", "reserved", "bestEffort", "presumed", "endsAt", "worked", "priced", "refined",
	}
	sameFields(t, reflect.TypeFor[Entry](), derived, carried)
	derived = []string{"processors", "then", "register", "queue", "steady", "reserved", "ends", "piles", "touched", "isTouch", "houses", "guests", "asked", "pace", "watch", "changes", "astray"}
	carried = []string{"now", "cause", "slots", "freeSlot", "vacated", "running", "tasks", "versions"}
	sameFields(t, reflect.TypeFor[Book](), derived, carried)
}

func sameFields(t *testing.T, x reflect.Type, known ...[]string) {
	t.Helper()
	var fields []string
	for i := range x.NumField() {
		fields = append(fields, x.Field(i).Name)
	}
	all := slices.Concat(known...)
	slices.Sort(fields)
	slices.Sort(all)
	if !slices.Equal(fields, all) {
		t.Errorf("%s has the fields %v, and known are %v", x, fields, all)
	}
}

// A set of processors is read as it was written.
func TestProcessorsAreReadAsWritten(t *testing.T) {
	if got := writeProcs(market.ProcsOf(0, 1, 2, 7, 63, 64, 99)); got != "0-2,7,63-64,99" {
		t.Error(got)
	}
	rapid.Check(t, func(t *rapid.T) {
		var procs market.Procs
		for proc := range 200 {
			if rapid.Bool().Draw(t, "in") {
				procs = procs.Add(proc)
			}
		}
		got, err := readProcs(writeProcs(procs), 200)
		if err != nil || !reflect.DeepEqual(got, procs) {
			t.Fatalf("%v is read as %v, %v", procs, got, err)
		}
	})
	for _, text := range []string{"-", "1-", "-1", "2,1", "1-3,3", "3-1", "5-200", "99999999999999999999", "0-9223372036854775807", "1,,2", " 1"} {
		if procs, err := readProcs(text, 200); err == nil {
			t.Errorf("%q is read as %v", text, procs)
		}
	}
}
