package fair

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func person(name string) Party { return Party{Kind: Person, Name: name} }

func put(t *testing.T, q *Queue[string], p Party, v string) {
	t.Helper()
	if err := q.Put(p, v); err != nil {
		t.Fatal(err)
	}
}

// drain takes all there is, charging what each party costs, and says whose turn it
// was each time.
func drain(q *Queue[string], cost map[string]time.Duration) []string {
	var out []string
	for {
		v, p, ok := q.Take()
		if !ok {
			return out
		}
		q.Charge(p, cost[p.Name])
		out = append(out, v)
	}
}

// Who floods waits behind itself: the others come next, whatever is there already.
func TestWhoFloodsWaitsBehindItself(t *testing.T) {
	q := NewQueue[string](0)
	for i := range 100 {
		put(t, q, person("flood"), fmt.Sprint("flood", i))
	}
	for i := range 3 {
		for _, name := range []string{"ann", "bob"} {
			put(t, q, person(name), fmt.Sprint(name, i))
		}
	}
	put(t, q, Party{Kind: Node, Name: "n1"}, "report")
	put(t, q, Party{}, "clock")
	got := drain(q, nil)
	first := strings.Join(got[:11], " ")
	if want := "flood0 ann0 bob0 report clock flood1 ann1 bob1 flood2 ann2 bob2"; first != want {
		t.Errorf("got  %s\nwant %s", first, want)
	}
	var own []string
	for _, v := range got {
		if strings.HasPrefix(v, "flood") {
			own = append(own, v)
		}
	}
	for i, v := range own {
		if v != fmt.Sprint("flood", i) {
			t.Fatalf("out of its order: %v", own)
		}
	}
	if len(own) != 100 || q.Len() != 0 {
		t.Errorf("%d came out, %d are left", len(own), q.Len())
	}
}

// Turns are of cost, not of number: who asks for what is dear has fewer.
func TestTurnsAreOfCost(t *testing.T) {
	q := NewQueue[string](0)
	for range 100 {
		put(t, q, person("dear"), "dear")
		put(t, q, person("cheap"), "cheap")
	}
	got := drain(q, map[string]time.Duration{"dear": 10 * time.Millisecond, "cheap": time.Millisecond})
	for range 5 { // between two of the dear ones come about ten of the others
		got = got[slices.Index(got, "dear")+1:]
		if n := slices.Index(got, "dear"); n < 8 || n > 12 {
			t.Fatalf("%d between two: %v", n, got[:40])
		}
	}
}

// Who comes after a pause is not owed for it, and who has cost much before a pause
// does not pay for it after.
func TestAPauseIsNoCredit(t *testing.T) {
	q := NewQueue[string](0)
	put(t, q, person("busy"), "busy")
	drain(q, map[string]time.Duration{"busy": time.Hour})
	for range 4 {
		put(t, q, person("busy"), "busy")
		put(t, q, person("idle"), "idle")
	}
	if got := strings.Join(drain(q, nil), " "); got != "busy idle busy idle busy idle busy idle" {
		t.Error(got)
	}
}

// A party's line has an end, others' lines are not longer for it, and the house has
// none.
func TestALineHasAnEnd(t *testing.T) {
	q := NewQueue[string](5)
	refused := 0
	for range 8 {
		if err := q.Put(person("flood"), ""); err != nil {
			var o *Over
			if !errors.As(err, &o) || o.Limit != "queue" || o.Seconds() < 1 {
				t.Fatalf("%v", err)
			}
			refused++
		}
		put(t, q, Party{}, "")
	}
	if err := q.Put(person("ann"), ""); err != nil || refused != 3 {
		t.Errorf("%v, %d", err, refused)
	}
}

// Lines of those who have gone are not kept for ever.
func TestLinesAreForgotten(t *testing.T) {
	q := NewQueue[string](5)
	for i := range 10 * manyLines {
		put(t, q, person(fmt.Sprint(i)), "")
		q.Take()
	}
	if len(q.lines) > 2*manyLines {
		t.Errorf("%d lines", len(q.lines))
	}
}
