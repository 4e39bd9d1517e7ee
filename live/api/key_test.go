package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

func TestAKeyMakesItHappenOnce(t *testing.T) {
	w := newWorld(t)
	first := w.ask("alice", "POST", "/v1/jobs", submission("a"), "Idempotency-Key", "k1")
	again := w.ask("alice", "POST", "/v1/jobs", submission("a"), "Idempotency-Key", "k1")
	if first.status != 201 || again.status != 201 || again.body != first.body {
		t.Fatalf("got %d %s\nthen %d %s", first.status, first.body, again.status, again.body)
	}
	if first.header.Get("Idempotency-Replayed") != "" || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replayed: %q, then %q", first.header.Get("Idempotency-Replayed"), again.header.Get("Idempotency-Replayed"))
	}
	if n := len(w.market.Commands()); n != 1 {
		t.Errorf("%d commands reached the market", n)
	}
	other := w.ask("alice", "POST", "/v1/jobs", submission("b"), "Idempotency-Key", "k1")
	if p := other.problem(t); other.status != 422 || p.Type != "/problems/key-reused" {
		t.Errorf("another body: got %d %+v", other.status, p)
	}
	path := w.ask("alice", "POST", "/v1/jobs/1/cancel", nil, "Idempotency-Key", "k1")
	if p := path.problem(t); p.Type != "/problems/key-reused" {
		t.Errorf("another path: got %d %+v", path.status, p)
	}
	w.ask("alice", "POST", "/v1/jobs", submission("c"))
	for id, want := range []int{1: 200, 2: 422} { // the same body, which is none
		if id == 0 {
			continue
		}
		path := fmt.Sprintf("/v1/jobs/%d/cancel", id)
		if a := w.ask("alice", "POST", path, nil, "Idempotency-Key", "k2"); a.status != want {
			t.Errorf("%s: got %d, want %d", path, a.status, want)
		}
	}
	bob := w.ask("bob", "POST", "/v1/jobs", submission("a"), "Idempotency-Key", "k1")
	if got := read[v1.Job](t, bob); bob.status != 201 || got.Owner != "bob" || got.ID == 1 {
		t.Errorf("another user: got %d %s", bob.status, bob.body)
	}
}

// A refusal is an answer like another, and is replayed like one.
func TestARefusalIsReplayed(t *testing.T) {
	w := newWorld(t)
	for i := range 2 {
		a := w.ask("alice", "POST", "/v1/jobs", submission("refuse cannot_meet_deadline"), "Idempotency-Key", "k1")
		if p := a.problem(t); a.status != 422 || p.Job != 1 {
			t.Errorf("try %d: got %d %+v", i, a.status, p)
		}
	}
	if n := len(w.market.Commands()); n != 1 {
		t.Errorf("%d commands reached the market", n)
	}
}

func TestCancellingUnderAKeyIsReplayedAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	w.ask("alice", "POST", "/v1/jobs", submission("a"))
	for i := range 2 {
		a := w.ask("alice", "POST", "/v1/jobs/1/cancel", "{}", "Idempotency-Key", "k")
		if got := read[v1.Job](t, a); a.status != 200 || got.State != v1.Cancelled {
			t.Errorf("try %d: got %d %s", i, a.status, a.body)
		}
	}
	if a := w.ask("alice", "POST", "/v1/jobs/1/cancel", nil); a.status != 409 {
		t.Errorf("without the key: got %d %s", a.status, a.body)
	}
}

func TestKeysArePrintableAndShort(t *testing.T) {
	w := newWorld(t)
	for key, want := range map[string]int{
		"k": 201, strings.Repeat("k", 255): 201, `"quoted, with = signs"`: 201,
		strings.Repeat("k", 256): 400, "": 400, "ключ": 400, "tab\tin it": 400,
	} {
		if a := w.ask("alice", "POST", "/v1/jobs", submission("x"), "Idempotency-Key", key); a.status != want {
			t.Errorf("%q: got %d, want %d: %s", key, a.status, want, a.body)
		}
	}
}

func TestManyAtOnceUnderOneKeyAreOne(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	bodies := make([]string, 16)
	for i := range bodies {
		all.Go(func() { bodies[i] = w.ask("alice", "POST", "/v1/jobs", submission("a"), "Idempotency-Key", "k").body })
	}
	all.Wait()
	for i, b := range bodies {
		if b != bodies[0] {
			t.Errorf("answer %d differs: %s", i, b)
		}
	}
	if n := len(w.market.Commands()); n != 1 {
		t.Errorf("%d commands reached the market", n)
	}
}

// Every POST takes a key, whether or not it needs one.
func TestEveryPostTakesAKey(t *testing.T) {
	for _, row := range access {
		if row.method != "POST" {
			continue
		}
		w := aliceAtWork(t)
		who := "root"
		if strings.HasPrefix(row.path, "/v1/nodes/") {
			who = "n1"
		}
		a := w.ask(who, row.method, row.path, row.body, "Idempotency-Key", "k")
		b := w.ask(who, row.method, row.path, row.body, "Idempotency-Key", "k")
		if a.status != b.status {
			t.Errorf("%s %s: got %d, then %d", row.path, fmt.Sprint(row.body), a.status, b.status)
		}
	}
}

// A job that was voided is as it was to be, however often that is asked; one that
// ended otherwise cannot be voided.
func TestVoidingTwice(t *testing.T) {
	w := aliceAtWork(t)
	for range 2 {
		a := w.ask("root", "POST", "/v1/jobs/1/void", v1.VoidRequest{Reason: "ours"})
		var j v1.Job
		if err := json.Unmarshal([]byte(a.body), &j); err != nil || a.status != 200 || j.Reason != v1.ReasonVoided || j.Detail != "voided by root: ours" {
			t.Errorf("%d: %s", a.status, a.body)
		}
	}
	if a := w.ask("root", "POST", "/v1/jobs/99/void", v1.VoidRequest{}); a.status != 404 {
		t.Errorf("no such job: %d", a.status)
	}
	w.market.Put(v1.Job{ID: 7, Owner: "alice", State: v1.Completed})
	if a := w.ask("root", "POST", "/v1/jobs/7/void", v1.VoidRequest{}); a.status != 409 {
		t.Errorf("one that has ended: %d", a.status)
	}
}
