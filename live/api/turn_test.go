package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/fair"
)

func limited(l fair.Limits) func(*api.Options) {
	return func(o *api.Options) { o.Gate = fair.NewGate(l, o.Now) }
}

// Over a rate the answer is 429, says which limit it is and when to come again;
// commands and reads have rates of their own, and owners and exempt users none.
func TestRatesAreAUsers(t *testing.T) {
	w := newWorld(t, limited(fair.Limits{Commands: 0.001, CommandsBurst: 3, Reads: 0.001, ReadsBurst: 2, Exempt: []string{"bob"}}))
	w.secret["alice again"] = w.keys.Make("alice", v1.RoleUser)
	for i, who := range []string{"alice", "alice again", "alice"} {
		if a := w.ask(who, "POST", "/v1/jobs", submission(fmt.Sprint(i))); a.status != 201 {
			t.Fatalf("%d: %d %s", i, a.status, a.body)
		}
	}
	a := w.ask("alice again", "POST", "/v1/jobs", submission("one too many"))
	if p := a.problem(t); a.status != 429 || p.Type != "/problems/too-many-requests" || p.Limit != "commands" || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.body)
	}
	for range 2 {
		if a := w.ask("alice", "GET", "/v1/prices", nil); a.status != 200 {
			t.Errorf("a read has a rate of its own: %d", a.status)
		}
	}
	a = w.ask("alice", "POST", "/v1/previews", v1.PreviewRequest{Request: job("look")})
	if p := a.problem(t); a.status != 429 || p.Limit != "reads" {
		t.Errorf("a preview is a read: %d %s", a.status, a.body)
	}
	for range 5 {
		for _, who := range []string{"root", "bob"} {
			if a := w.ask(who, "POST", "/v1/jobs", submission("any")); a.status != 201 {
				t.Errorf("%s: %d %s", who, a.status, a.body)
			}
		}
	}
	if a := w.ask("", "GET", "/healthz", nil); a.status != 200 {
		t.Errorf("what asks for no token has no rate: %d", a.status)
	}
}

// A user's streams are counted together, with whatever token they are opened.
func TestStreamsAreAUsers(t *testing.T) {
	w := newWorld(t)
	w.secret["alice again"] = w.keys.Make("alice", v1.RoleUser)
	for i := range 3 {
		who := []string{"alice", "alice again"}[i%2]
		res, err := w.server.Client().Do(w.request(who, "GET", "/v1/events", nil))
		if err != nil || res.StatusCode != 200 {
			t.Fatal(err, res)
		}
		defer res.Body.Close()
	}
	for _, who := range []string{"alice", "alice again"} {
		if a := w.ask(who, "GET", "/v1/events", nil); a.status != 429 || !strings.Contains(a.body, `"limit":"streams"`) {
			t.Errorf("%s: %d %s", who, a.status, a.body)
		}
	}
}

// dial sends the head of a request and a part of its body.
func dial(t *testing.T, address, secret string, length, sent int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	head := "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	if secret != "" {
		head += "Authorization: Bearer " + secret + "\r\n"
	}
	if _, err := fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n", head, length); err != nil {
		t.Fatal(err)
	}
	go conn.Write([]byte(strings.Repeat(" ", sent)))
	return conn
}

// Of somebody unknown no body is read: the answer comes before it.
func TestNobodysBodyIsNotRead(t *testing.T) {
	w := newWorld(t)
	for _, secret := range []string{"", "libra_" + strings.Repeat("A", 43)} {
		conn := dial(t, w.server.Listener.Addr().String(), secret, 200_000, 1000)
		if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("the server waits for the body: %v", err)
		}
		if res.StatusCode != 401 || !res.Close {
			t.Errorf("%d, closed: %v", res.StatusCode, res.Close)
		}
		res.Body.Close()
	}
}

// Bodies of which half has come take what one user may take: the others are told
// so while they still send, and somebody else's goes through.
func TestHalfSentBodiesAreRefused(t *testing.T) {
	w := newWorld(t, limited(fair.Limits{BodiesKB: 4 << 10, AllBodiesKB: 64 << 10}))
	const bodies, half = 40, 512 << 10 // of which a megabyte is kept: half as much again is room to grow
	var refused atomic.Int32
	for range bodies {
		conn := dial(t, w.server.Listener.Addr().String(), w.secret["alice"], 3*half, half)
		go func() {
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil && res.StatusCode == 429 {
				refused.Add(1)
			}
		}()
	}
	eventually(t, "refusals", func() bool { return refused.Load() >= bodies-8 })
	if a := w.ask("bob", "POST", "/v1/jobs", submission("b")); a.status != 201 {
		t.Errorf("somebody else: %d %s", a.status, a.body)
	}
}

// Memory is taken for what has arrived, not for what was announced.
func TestAnAnnouncedBodyTakesNoRoom(t *testing.T) {
	w := newWorld(t)
	const bodies, announced = 64, 2 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range bodies {
		dial(t, w.server.Listener.Addr().String(), w.secret["alice"], announced, 100)
	}
	// It counts calls under way; itself is one.
	flight := fmt.Sprintf("libra_http_requests_in_flight %d", bodies+1)
	eventually(t, "all bodies on their way", func() bool { return strings.Contains(w.ask("root", "GET", "/metrics", nil).body, flight) })
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > bodies*announced/4 {
		t.Errorf("%d bodies of which 100 bytes have come took %d bytes", bodies, grown)
	}
}

// Reports count as what is sent.
func TestReportsHaveARate(t *testing.T) {
	w := newWorld(t, limited(fair.Limits{UploadKB: 1, UploadBurstKB: 4 << 10}))
	r := task.Report{Node: "n1", Tasks: []task.Status{{State: task.Running, Error: strings.Repeat("x", 3<<20)}}}
	if a := w.ask("n1", "POST", "/v1/nodes/n1/report", r); a.status != 200 {
		t.Errorf("the first: got %d: %s", a.status, a.body)
	}
	r.Tasks = nil
	if a := w.ask("n1", "POST", "/v1/nodes/n1/report", r); a.status != 429 || a.problem(t).Limit != "upload_kb" {
		t.Errorf("another: got %d: %s", a.status, a.body)
	}
	r.Node = "n2"
	if a := w.ask("n2", "POST", "/v1/nodes/n2/report", r); a.status != 200 {
		t.Errorf("of another node: got %d: %s", a.status, a.body)
	}
}
