package api_test

import (
	"io"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

func TestAPieceOfOutput(t *testing.T) {
	w := newWorld(t)
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Running, StartedUS: 1})
	w.market.Write(1, "one\ntwo\n")
	for path, want := range map[string]string{
		"/v1/jobs/1/logs":                   "one\ntwo\n",
		"/v1/jobs/1/logs?offset=4":          "two\n",
		"/v1/jobs/1/logs?offset=-4&limit=3": "two",
		"/v1/jobs/1/logs?stream=stderr":     "one\ntwo\n",
		"/v1/jobs/1/logs?rank=0&element=3":  "one\ntwo\n",
	} {
		c := read[task.Chunk](t, w.ask("alice", "GET", path, nil))
		if string(c.Data) != want || c.Size != 8 {
			t.Errorf("%s: got %+v", path, c)
		}
	}
}

func TestOutputIsFollowedToTheEnd(t *testing.T) {
	w := newWorld(t)
	j := v1.Job{ID: 1, Owner: "alice", State: v1.Queued}
	w.market.Put(j)
	res, err := w.server.Client().Do(w.request("alice", "GET", "/v1/jobs/1/logs?follow=1", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" {
		t.Errorf("got %s", kind)
	}
	expect := func(text string) {
		t.Helper()
		got := make([]byte, len(text))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != text {
			t.Fatalf("got %q, want %q: %v", got, text, err)
		}
	}
	j.State, j.StartedUS = v1.Running, 1
	w.market.Put(j)
	w.market.Write(1, "one\n")
	expect("one\n")
	big := strings.Repeat("x", 3<<20) // more than one piece
	w.market.Write(1, big)
	expect(big)
	w.market.Write(1, "end\n")
	j.State = v1.Completed
	w.market.Put(j)
	expect("end\n")
	if rest := readAll(t, res.Body); rest != "" {
		t.Errorf("then %q", rest)
	}
	if why := res.Trailer.Get("Libra-Error"); why != "" {
		t.Errorf("the trailer says %q", why)
	}
}

func TestOutputThatIsNotThereIsSaidInTheTrailer(t *testing.T) {
	w := newWorld(t)
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Failed, StartedUS: 1})
	res, err := w.server.Client().Do(w.request("alice", "GET", "/v1/jobs/1/logs?follow=1", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text := readAll(t, res.Body); text != "" || res.Trailer.Get("Libra-Error") != "no such file" {
		t.Errorf("got %q, trailer %v", text, res.Trailer)
	}
}

// A job that never ran has no output, and nobody waits for it.
func TestFollowingWhatNeverRanEnds(t *testing.T) {
	w := newWorld(t)
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Rejected})
	if a := w.ask("alice", "GET", "/v1/jobs/1/logs?follow=1", nil); a.status != 200 || a.body != "" {
		t.Errorf("got %d %q", a.status, a.body)
	}
}

// An error half-way must not look like the end.
func TestOutputThatBreaksOffIsCut(t *testing.T) {
	w := newWorld(t)
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Running, StartedUS: 1})
	w.market.Write(1, "one\n")
	res, err := w.server.Client().Do(w.request("alice", "GET", "/v1/jobs/1/logs?follow=1", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	w.market.Fail(io.ErrClosedPipe)
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("it looks as if that were all")
	}
}
