package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

// heard is one event of a stream.
type heard struct {
	id, kind string
	notice   v1.Notice
}

// stream is a stream of events that a test listens to.
type stream struct {
	t     *testing.T
	res   *http.Response
	lines *bufio.Scanner
	beats int // signs of life
}

func (w *world) listen(who, path string, headers ...string) *stream {
	w.t.Helper()
	res, err := w.server.Client().Do(w.request(who, "GET", path, nil, headers...))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { res.Body.Close() })
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		w.t.Fatalf("got %d %s: %s", res.StatusCode, kind, readAll(w.t, res.Body))
	}
	return &stream{t: w.t, res: res, lines: bufio.NewScanner(res.Body)}
}

// next waits for an event; false: there are no more.
func (s *stream) next() (heard, bool) {
	s.t.Helper()
	var h heard
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id":
			h.id = value
		case "event":
			h.kind = value
		case "data":
			if err := check("/components/schemas/Notice", []byte(value)); err != nil {
				s.t.Errorf("not as described: %v", err)
			}
			if err := json.Unmarshal([]byte(value), &h.notice); err != nil {
				s.t.Fatal(err)
			}
		case ":":
			s.beats++
		case "":
			if h.kind != "" {
				return h, true
			}
		}
	}
	return h, false
}

func said(owner string, id int64) v1.Notice {
	return v1.Notice{Kind: "job", Owner: owner, Job: &v1.JobNotice{ID: id, State: v1.Running}}
}

func TestEventsAreOnesOwn(t *testing.T) {
	w := newWorld(t)
	alice, root, about := w.listen("alice", "/v1/events"), w.listen("root", "/v1/events"), w.listen("root", "/v1/events?owner=bob")
	eventually(t, "three to follow", func() bool { return w.market.Followers() == 3 })
	w.market.Say(said("bob", 1))
	leak := said("bob", 2)
	leak.Node = apitest.Leak // the market sends it to everybody
	w.market.Say(leak)
	unowned := said("", 3) // nobody's name is on it: it is nobody's to see
	w.market.Say(unowned)
	w.market.Say(v1.Notice{Kind: "price", Prices: &v1.Prices{Policy: "libra"}})
	w.market.Say(said("alice", 4))
	w.market.Hang()
	for _, c := range []struct {
		who    string
		stream *stream
		want   string
	}{
		{"alice", alice, "4 5"}, {"root", root, "1 2 3 4 5"}, {"root about bob", about, "1 2 4"},
	} {
		var got []string
		for h, ok := c.stream.next(); ok; h, ok = c.stream.next() {
			got = append(got, h.id)
			if h.id != strconv.FormatInt(h.notice.Seq, 10) || h.kind != h.notice.Kind {
				t.Errorf("%s: event %s %s has %+v", c.who, h.id, h.kind, h.notice)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s heard %v, want %s", c.who, got, c.want)
		}
	}
}

func TestEventsResume(t *testing.T) {
	w := newWorld(t)
	for i := range int64(5) {
		w.market.Say(said("alice", i))
	}
	for _, c := range []struct {
		path   string
		header []string
		first  string
	}{
		{"/v1/events?after=0", nil, "1"},
		{"/v1/events?after=3", nil, "4"},
		{"/v1/events", []string{"Last-Event-ID", "2"}, "3"},
		{"/v1/events?after=0", []string{"Last-Event-ID", "4"}, "5"}, // what a browser says by itself is newer
		{"/v1/events", nil, "6"},                                    // from now on
	} {
		before := w.market.Followers()
		s := w.listen("alice", c.path, c.header...)
		eventually(t, "a follower", func() bool { return w.market.Followers() > before })
		if c.first == "6" {
			w.market.Say(said("alice", 6))
		}
		if h, ok := s.next(); !ok || h.id != c.first {
			t.Errorf("%s %v: first is %q, want %s", c.path, c.header, h.id, c.first)
		}
		s.res.Body.Close()
		eventually(t, "nobody to follow", func() bool { return w.market.Followers() == 0 })
	}
	if a := w.ask("alice", "GET", "/v1/events", nil, "Last-Event-ID", "x"); a.status != 400 {
		t.Errorf("got %d", a.status)
	}
}

func TestEventsShowThatTheyAreAlive(t *testing.T) {
	w := newWorld(t)
	s := w.listen("alice", "/v1/events")
	go func() {
		time.Sleep(100 * time.Millisecond)
		w.market.Hang()
	}()
	for _, ok := s.next(); ok; _, ok = s.next() {
	}
	if s.beats == 0 {
		t.Error("no sign of life")
	}
}

// Many events that wait go out together, and none is lost.
func TestManyEventsArriveInOrder(t *testing.T) {
	w := newWorld(t)
	for i := range int64(900) {
		n := said("alice", i)
		w.market.Say(n) // together more than one write
	}
	s := w.listen("alice", "/v1/events?after=0")
	for i := 1; i <= 900; i++ {
		if h, ok := s.next(); !ok || h.id != strconv.Itoa(i) {
			t.Fatalf("event %d is %q", i, h.id)
		}
	}
}

func TestStreamsPerTokenAreLimited(t *testing.T) {
	w := newWorld(t)
	var open []*stream
	for range 3 {
		open = append(open, w.listen("alice", "/v1/events"))
	}
	a := w.ask("alice", "GET", "/v1/events", nil)
	if p := a.problem(t); a.status != 429 || p.Type != "/problems/too-many-streams" || a.header.Get("Retry-After") == "" {
		t.Errorf("the fourth: got %d %+v", a.status, p)
	}
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Running})
	if a := w.ask("alice", "GET", "/v1/jobs/1/logs?follow=1", nil); a.status != 429 {
		t.Errorf("output: got %d", a.status)
	}
	w.listen("bob", "/v1/events")
	open[0].res.Body.Close()
	eventually(t, "a place", func() bool {
		res, err := w.server.Client().Do(w.request("alice", "GET", "/v1/events", nil))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode == 200
	})
}

// A stream ends when its token does.
func TestStreamsDoNotOutliveTheirToken(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.TokenCache = time.Hour })
	s := w.listen("alice", "/v1/events")
	if a := w.ask("root", "DELETE", "/v1/tokens/t-alice", nil); a.status != 204 {
		t.Fatalf("got %d", a.status)
	}
	for _, ok := s.next(); ok; _, ok = s.next() {
	}
	if err := s.lines.Err(); err != nil {
		t.Error(err)
	}
}

// A server that shuts down does not wait for those who follow.
func TestShutdownEndsStreams(t *testing.T) {
	w := newWorld(t)
	s := api.Server(w.handler)
	l, err := api.Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	r, err := http.NewRequest("GET", "http://"+l.Addr().String()+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.secret["alice"])
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
}

// What takes long goes on beyond the time-outs of the server.
func TestWhoWaitsIsNotCutOff(t *testing.T) {
	w := newWorld(t)
	s := api.Server(w.handler)
	s.ReadTimeout, s.WriteTimeout = 50*time.Millisecond, 50*time.Millisecond
	l, err := api.Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	get := func(who, path string) *http.Response {
		r, err := http.NewRequest("GET", "http://"+l.Addr().String()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+w.secret[who])
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	lines := bufio.NewScanner(get("alice", "/v1/events").Body)
	for beats := 0; beats < 15; { // of 20 ms each
		if !lines.Scan() {
			t.Fatalf("cut off after %d signs of life: %v", beats, lines.Err())
		}
		if lines.Text() == ":" {
			beats++
		}
	}
	res := get("n1", "/v1/nodes/n1/desired?after=1&wait_ms=300")
	if text := readAll(t, res.Body); res.StatusCode != 200 || !strings.Contains(text, `"version":1`) {
		t.Errorf("a long poll: got %d %s", res.StatusCode, text)
	}
}
