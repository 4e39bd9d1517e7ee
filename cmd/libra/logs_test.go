package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

func TestLogs(t *testing.T) {
	f := newFloor()
	f.Put(v1.Job{ID: 12, Owner: "alice", State: v1.Completed, StartedUS: 1})
	var text strings.Builder
	for i := range 40_000 { // more than a server gives at a time
		fmt.Fprintf(&text, "line %d\n", i)
	}
	f.Write(12, text.String()+"no end")
	open(t, f, v1.RoleUser)
	if out := mustLibra(t, "logs", "12"); out != text.String()+"no end" {
		t.Errorf("got %d bytes", len(out))
	}
	same(t, mustLibra(t, "logs", "--tail", "3", "12"), "line 39998\nline 39999\nno end")
	same(t, mustLibra(t, "logs", "--tail", "0", "12"), "")
	if out := mustLibra(t, "logs", "--tail", "20000", "12"); strings.Count(out, "\n") != 19_999 {
		t.Errorf("%d lines", strings.Count(out, "\n"))
	}
	if out := mustLibra(t, "logs", "--tail", "99999", "12"); out != text.String()+"no end" {
		t.Errorf("got %d bytes", len(out))
	}
	if r := libra(t, "logs", "99"); r.code != exitFailure || !strings.Contains(r.err, "99") {
		t.Errorf("%+v", r)
	}
}

func TestLogsFollow(t *testing.T) {
	f := newFloor()
	job := v1.Job{ID: 12, Owner: "alice", State: v1.Running, StartedUS: 1}
	f.Put(job)
	f.Write(12, "one\ntwo\n")
	open(t, f, v1.RoleUser)
	out := &turning{word: "two", turns: []func(){func() {
		f.Write(12, "three\n")
		job.State = v1.Completed
		f.Put(job)
	}}}
	var said bytes.Buffer
	if code := run(t.Context(), []string{"logs", "-f", "--tail", "1", "12"}, strings.NewReader(""), out, &said); code != exitOK {
		t.Errorf("exit code %d, said %q", code, said.String())
	}
	same(t, out.text.String(), "two\nthree\n")
}

func TestCutLines(t *testing.T) {
	for _, c := range []struct {
		text   string
		lines  int
		want   string
		enough bool
	}{
		{"", 1, "", false},
		{"a", 1, "a", false},
		{"a\n", 1, "a\n", false},
		{"a\nb\n", 1, "b\n", true},
		{"a\nb", 1, "b", true},
		{"a\n\n", 1, "\n", true},
		{"a\nb\n", 5, "a\nb\n", false},
		{"a\nb\n", 0, "", true},
	} {
		if got, enough := cutLines([]byte(c.text), c.lines); string(got) != c.want || enough != c.enough {
			t.Errorf("%q, %d lines: got %q, %v", c.text, c.lines, got, enough)
		}
	}
}

// A stream that breaks off is taken up again where it was.
func TestLogsFollowOn(t *testing.T) {
	f := newFloor()
	job := v1.Job{ID: 12, Owner: "alice", State: v1.Running, StartedUS: 1}
	f.Put(job)
	f.Write(12, "one\n")
	cut := &cutting{floor: f, at: 3}
	open(t, cut, v1.RoleUser)
	patience(t, 4*time.Millisecond)
	cut.then = func() {
		f.Write(12, "two\n")
		time.AfterFunc(20*time.Millisecond, func() {
			job.State = v1.Completed
			f.Put(job)
		})
	}
	same(t, mustLibra(t, "logs", "-f", "12"), "one\ntwo\n")
}

// Who is followed goes on at the next controller: where the leader stands still, and
// where it is gone.
func TestLogsFollowTheLeader(t *testing.T) {
	for _, how := range []string{"stands still", "is gone"} {
		t.Run(how, func(t *testing.T) {
			noContext(t)
			patience(t, 4*time.Millisecond)
			var leader atomic.Int64
			end := make(chan struct{})
			var servers [2]*httptest.Server
			for i := range servers {
				servers[i] = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					leads := leader.Load() == int64(i)
					switch {
					case !leads && i == 0: // it takes calls and does nothing
						<-end
					case r.URL.Path == "/livez":
						_ = json.NewEncoder(w).Encode(v1.Standing{Alive: true, Leading: leads, Term: int64(i)}) // to a test
					case !leads:
						w.WriteHeader(http.StatusServiceUnavailable)
					case !strings.HasSuffix(r.URL.Path, "/logs"):
						_ = json.NewEncoder(w).Encode(v1.Job{ID: 12, State: v1.Running}) // to a test
					case i == 1:
						fmt.Fprintf(w, "two, from %s\n", r.URL.Query().Get("offset"))
					default:
						fmt.Fprint(w, "one\n")
						_ = http.NewResponseController(w).Flush() // it can
						leader.Store(1)
						if how == "stands still" {
							<-end
						}
						panic(http.ErrAbortHandler)
					}
				}))
				t.Cleanup(servers[i].Close)
			}
			t.Cleanup(func() { close(end) })
			if err := writeContext(marketContext{Server: servers[0].URL + "," + servers[1].URL, Token: "t", User: "alice", Plain: true}); err != nil {
				t.Fatal(err)
			}
			same(t, mustLibra(t, "logs", "-f", "12"), "one\ntwo, from 4\n")
		})
	}
}

// cutting is a market whose node loses the output at one turn.
type cutting struct {
	*floor
	at   int
	then func()
}

func (c *cutting) Tail(ctx context.Context, job int64, rank int, element *int, stderr bool, offset, limit int64) (v1.Chunk, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at--; c.at == 0 {
		c.then()
		return v1.Chunk{}, trade.ErrUnknown
	}
	return c.floor.Tail(ctx, job, rank, element, stderr, offset, limit)
}
