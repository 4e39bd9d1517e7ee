package world

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// line is the network between a host and the controllers: it takes a while, loses
// what is asked or what is answered, says things twice, and is cut in one direction
// or in both.
type line struct {
	w    *World
	from *host

	mu    sync.Mutex
	count map[string]int64 // of requests of a kind
	at    int              // which of the controllers it turned to last
}

func (w *World) newLine(from *host) *line { return &line{w: w, from: from, count: map[string]int64{}} }

var (
	errRefused = errors.New("connection refused")
	errReset   = errors.New("connection reset by peer")
)

// kindOf is what a request is about: what one host asks at the same time is of
// different kinds.
func kindOf(r *http.Request) string {
	return r.Method + " " + r.URL.Path + " " + r.Header.Get("Idempotency-Key")
}

// RoundTrip carries a request and what is answered.
func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close() // it was read
	}
	kind := kindOf(r)
	l.mu.Lock()
	l.count[kind]++
	n, at := l.count[kind], l.at
	l.mu.Unlock()
	res, err := l.carry(r, kind, n, at, body)
	if err != nil || res.StatusCode == http.StatusServiceUnavailable {
		l.mu.Lock()
		l.at = at + 1
		l.mu.Unlock()
	}
	return res, err
}

func (l *line) carry(r *http.Request, kind string, n int64, at int, body []byte) (*http.Response, error) {
	ctx := r.Context()
	lots := l.w.chance("line "+l.from.name+" "+kind, n)
	there, back := l.w.latency(lots), l.w.latency(lots)
	bad := l.w.weather()
	lost, unheard, again := lots.Float64() < bad.lose, lots.Float64() < bad.lose, lots.Float64() < bad.repeat
	later := between(lots, 10*time.Millisecond, 500*time.Millisecond)
	if err := l.from.awaken(ctx, lots); err != nil {
		return nil, err
	}
	if !sleep(ctx, there) {
		return nil, ctx.Err()
	}
	seat := l.w.seat(at)
	if seat == nil {
		return nil, errRefused
	}
	if lost || l.w.cut(l.from.name, seat.host.name) {
		return nil, silence(ctx) // a cut cable is silent
	}
	if err := seat.host.awaken(ctx, lots); err != nil {
		return nil, err
	}
	door := seat.door()
	if door == nil {
		return nil, errRefused
	}
	if again {
		l.w.running.Go(func() {
			if sleep(door.alive, later) {
				door.serve(l.w.taking(door.alive, l.from.phase+repeated, "again "+l.from.name+kind, n), r, body)
			}
		})
	}
	answer := make(chan *http.Response, 1)
	l.w.running.Go(func() { answer <- door.serve(l.w.taking(ctx, l.from.phase, l.from.name+kind, n), r, body) })
	var res *http.Response
	select {
	case res = <-answer:
	case <-door.alive.Done():
		sleep(ctx, back)
		return nil, errReset
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := seat.host.awaken(ctx, lots); err != nil { // what it had to say it says when it goes on
		return nil, err
	}
	if door.alive.Err() != nil {
		sleep(ctx, back)
		return nil, errReset
	}
	if !sleep(ctx, back) {
		return nil, ctx.Err()
	}
	if unheard || l.w.cut(seat.host.name, l.from.name) {
		return nil, silence(ctx)
	}
	if err := l.from.awaken(ctx, lots); err != nil {
		return nil, err
	}
	return res, nil
}

type turnKey struct{}

// turns are when a request comes to the market.
type turns struct {
	lots  *rand.Rand
	phase time.Duration
}

// repeated is added to the phase of what is delivered twice.
const repeated = 500 * time.Nanosecond

// taking draws for a request how long it takes it to come to the market, each time.
func (w *World) taking(ctx context.Context, phase time.Duration, what string, n int64) context.Context {
	return context.WithValue(ctx, turnKey{}, turns{w.chance("turn "+what, n), phase})
}

// turn gives every request an instant of its own: several may have waited for the
// same write.
func turn(ctx context.Context) {
	if t, ok := ctx.Value(turnKey{}).(turns); ok {
		sleep(ctx, time.Duration(1+t.lots.IntN(100))*time.Microsecond+t.phase)
	}
}

// silence is what is heard of a cable that is cut.
func silence(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// door is where a controller is spoken to, as long as it lives.
type door struct {
	handler http.Handler
	alive   context.Context
}

// serve lets the handler answer. It ends with whoever asks, or with the controller.
func (d *door) serve(ctx context.Context, r *http.Request, body []byte) *http.Response {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(d.alive, cancel)
	defer stop()
	in := r.Clone(ctx)
	in.Body, in.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	in.RequestURI, in.RemoteAddr, in.Host = r.URL.RequestURI(), "10.0.0.1:1", r.URL.Host
	if len(body) == 0 {
		in.Body = http.NoBody
	}
	out := &answer{header: http.Header{}, status: http.StatusOK}
	d.handler.ServeHTTP(out, in)
	return &http.Response{
		StatusCode: out.status, Status: http.StatusText(out.status), Header: out.header, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(out.body.String())), ContentLength: int64(out.body.Len()),
	}
}

// answer takes what a handler writes.
type answer struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }
func (a *answer) Flush()              {}

func (a *answer) WriteHeader(status int) {
	if !a.wrote {
		a.status, a.wrote = status, true
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.wrote = true
	return a.body.Write(p)
}

// SetReadDeadline and SetWriteDeadline are what http.ResponseController asks for.
func (a *answer) SetReadDeadline(time.Time) error { return nil }

func (a *answer) SetWriteDeadline(time.Time) error { return nil }
