package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ask is one call on its way.
type ask struct {
	method string
	path   string
	query  url.Values
	body   any // nil: none

	once   bool          // never sent twice
	key    string        // of idempotency
	wait   time.Duration // beyond the time-out, because the server waits
	lastID string        // of events
	accept string        // default application/json
}

// Call is one call of a route that the client has no method for.
type Call struct {
	Method string
	Path   string
	Query  url.Values
	Body   any           // nil: none
	Wait   time.Duration // that the server may take beyond the time-out
}

// Once makes a call, one time, and reads the answer into a value (nil: there is
// none). What speaks for nodes stands on it.
func (c *Client) Once(ctx context.Context, a Call, into any) error {
	return c.call(ctx, &ask{method: a.Method, path: a.Path, query: a.Query, body: a.Body, wait: a.Wait, once: true}, into)
}

// get reads into a value.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.call(ctx, &ask{method: http.MethodGet, path: path, query: query}, into)
}

// post changes something, under a key.
func (c *Client) post(ctx context.Context, path string, body, into any) error {
	key, ok := ctx.Value(keyOf{}).(string)
	if !ok || key == "" {
		key = drawKey()
	}
	return c.call(ctx, &ask{method: http.MethodPost, path: path, body: body, key: key}, into)
}

// drawKey is a key that nobody else draws. It begins with the time, as version 7
// of UUIDs does: keys then arrive about in the order of the index that they are
// kept in, and a write touches one page of it and not one for each.
func drawKey() string {
	var random [10]byte
	rand.Read(random[:])          // it never returns an error
	now := time.Now().UnixMilli() //nolint:forbidigo // only to sort by
	return fmt.Sprintf("%012x%x", now&(1<<48-1), random)
}

// call asks, as often as it is worth while, and reads the answer into a value
// (nil: there is none).
func (c *Client) call(ctx context.Context, a *ask, into any) error {
	body, err := encode(a.body)
	if err != nil {
		return err
	}
	var waited time.Duration   // because the server asked for it
	var searched time.Duration // for the one that leads
	for try, turned := 0, 0; ; try++ {
		again, err := c.attempt(ctx, a, body, into)
		if p, ok := errors.AsType[*Problem](err); ok && try > 0 && a.method == http.MethodDelete && p.Status == http.StatusNotFound {
			return nil // it is gone: the attempt before succeeded, and the answer was lost
		}
		if err == nil || again < 0 || a.once || ctx.Err() != nil {
			return err
		}
		if overLimit(err) && c.retries > 0 { // it is there and says when: that is no failed attempt
			wait := again + backoff(turned)
			if waited += wait; waited > c.patience || !pause(ctx, wait) {
				return err
			}
			try--
			turned++
			continue
		}
		if len(c.servers) > 1 && c.retries > 0 && unserved(err) { // one of the others may be about to lead
			wait := backoff(min(try, 3))
			if searched += wait; searched < takeOver {
				if !pause(ctx, wait) {
					return err
				}
				continue
			}
		}
		if try >= c.retries {
			return err
		}
		if !pause(ctx, max(again, backoff(try))) {
			return err
		}
	}
}

func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return text, nil
}

// attempt asks once. After an error, again says how long to wait at least
// before it is worth asking again; negative: it is not.
func (c *Client) attempt(ctx context.Context, a *ask, body []byte, into any) (again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout+a.wait)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	s, moved := c.current()
	defer c.watch(ctx, s, moved, a.wait == 0, giveUp)()
	res, err := c.openAt(ctx, s, a, body)
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errMoved) {
			err = cause
		}
		return retryAfter(err), err
	}
	defer res.Body.Close()
	if into == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(res.Body, c.most)) // so that the connection can be used again
		return 0, err
	}
	if err = json.NewDecoder(io.LimitReader(res.Body, c.most)).Decode(into); err != nil {
		return 0, fmt.Errorf("%s %s: read the answer: %w", a.method, a.path, err)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return 0, err
}

// open asks once and returns the answer if it is not a problem.
func (c *Client) open(ctx context.Context, a *ask, body []byte) (*http.Response, error) {
	s, _ := c.current()
	return c.openAt(ctx, s, a, body)
}

// openAt asks one server. If that does not serve, the next call goes to the next.
func (c *Client) openAt(ctx context.Context, s *server, a *ask, body []byte) (*http.Response, error) {
	res, err := c.send(ctx, s, a, body)
	if err != nil && unserved(err) && !errors.Is(err, context.Canceled) {
		c.leave(s)
	}
	return res, err
}

func (c *Client) send(ctx context.Context, s *server, a *ask, body []byte) (*http.Response, error) {
	where := s.base + a.path
	if len(a.query) > 0 {
		where += "?" + a.query.Encode()
	}
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, a.method, where, content)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", c.agent)
	r.Header.Set("Accept", "application/json, application/problem+json")
	if a.accept != "" {
		r.Header.Set("Accept", a.accept+", application/problem+json")
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.bearer != "" {
		r.Header.Set("Authorization", c.bearer)
	}
	if a.key != "" {
		r.Header.Set("Idempotency-Key", a.key)
	}
	if a.lastID != "" {
		r.Header.Set("Last-Event-ID", a.lastID)
	}
	res, err := s.http.Do(r)
	if err != nil {
		return nil, err // it names method and URL
	}
	if code := res.Header.Get("Libra-Currency"); code != "" && c.currency != nil {
		c.currency(code)
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, c.problemOf(res)
}

// problemOf reads a problem; whatever is not one comes from somebody in
// between.
func (c *Client) problemOf(res *http.Response) error {
	p := &Problem{Status: res.StatusCode, Title: http.StatusText(res.StatusCode)}
	// A type that cannot be read is not that of a problem.
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if media == "application/problem+json" {
		if err := json.NewDecoder(io.LimitReader(res.Body, c.most)).Decode(p); err != nil {
			return fmt.Errorf("read the problem of status %d: %w", res.StatusCode, err)
		}
		p.Status = res.StatusCode
	}
	if p.Detail == "" && p.Type == "" {
		p.Detail = fmt.Sprintf("the server answered with status %d and without a word of a market", res.StatusCode)
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return p
	}
	return &later{p, time.Duration(min(seconds, mostSeconds)) * time.Second}
}

// mostSeconds is the longest wait that a server is believed to ask for.
const mostSeconds = 3600

// overLimit reports whether the server asked to wait: somebody is over a limit.
func overLimit(err error) bool {
	l, ok := errors.AsType[*later](err)
	return ok && l.problem.Status == http.StatusTooManyRequests
}

// later is a problem that says when to ask again.
type later struct {
	problem *Problem
	wait    time.Duration
}

func (l *later) Error() string { return l.problem.Error() }
func (l *later) Unwrap() error { return l.problem }

// retryAfter says how long to wait before asking again; negative: not at all.
func retryAfter(err error) time.Duration {
	p, ok := errors.AsType[*Problem](err)
	if !ok {
		return 0 // no answer, or half of one
	}
	switch p.Status {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
	default:
		return -1
	}
	l, ok := errors.AsType[*later](err)
	switch {
	case !ok:
		return 0
	case p.Status == http.StatusTooManyRequests:
		return l.wait
	default:
		return min(l.wait, 10*time.Second)
	}
}

const (
	backoffLow  = 100 * time.Millisecond
	backoffHigh = 5 * time.Second
)

// backoff is the wait after an attempt: twice as long each time, and spread so
// that clients that failed together do not come back together.
func backoff(try int) time.Duration {
	var random [1]byte
	rand.Read(random[:]) // it never returns an error
	d := min(backoffLow<<min(try, 10), backoffHigh)
	return d/2 + d/2*time.Duration(random[0])/255
}

// pause waits, and reports false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
