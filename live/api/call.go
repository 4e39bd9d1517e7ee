package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/pen"
)

// call is one request on its way to an answer.
type call struct {
	h     *Handler
	route *route
	w     http.ResponseWriter
	r     *http.Request

	who   trade.Identity
	token *v1.Token // nil: nobody, or a certificate
	key   Key       // of idempotency

	visit    fair.Visit
	arriving *fair.Body // the body on its way in
	taken    bool       // it was read to its end

	body   *bytes.Buffer // borrowed
	status int           // of the answer; 0: none yet
	sent   int64         // bytes
	broken bool          // the answer stopped half-way
}

// Header values are shared between answers: net/http only reads them.
var (
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
	textType    = []string{"text/plain; charset=utf-8"}
	noStore     = []string{"no-store"}
	noSniff     = []string{"nosniff"}
	noContent   = []string{"default-src 'none'; frame-ancestors 'none'"}
	replayed    = []string{"true"}
)

// answer writes a value as JSON.
func (c *call) answer(status int, v any) error {
	c.write(status, jsonType, v)
	return nil
}

// nothing says that it is done and there is nothing to add.
func (c *call) nothing() error {
	c.head(http.StatusNoContent)
	return nil
}

func (c *call) write(status int, kind []string, v any) {
	b := c.h.borrow()
	defer c.h.giveBack(b)
	if err := encode(b, v); err != nil {
		// A number that JSON has no word for, such as an infinite share.
		panic("answer to " + c.route.method + " " + c.route.pattern + ": " + err.Error())
	}
	c.raw(status, kind, b.Bytes())
}

// encode writes what is answered, with the end of its line.
func encode(b *bytes.Buffer, v any) error {
	if text, known, err := pen.Answer(b.AvailableBuffer(), v); known {
		b.Write(text)
		return err
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// raw writes an answer that is at hand as a whole.
func (c *call) raw(status int, kind []string, body []byte) {
	header := c.w.Header()
	header["Content-Type"] = kind
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.head(status)
	n, err := c.w.Write(body)
	c.sent += int64(n)
	_ = err // the client hung up; there is nobody to tell
}

// head writes status and headers.
func (c *call) head(status int) {
	header := c.w.Header()
	if _, set := header["Cache-Control"]; !set {
		header["Cache-Control"] = noStore
	}
	header["X-Content-Type-Options"] = noSniff
	header["Content-Security-Policy"] = noContent
	header["Libra-Currency"] = c.h.currency
	c.status = status
	c.w.WriteHeader(status)
}

// do has a command carried out, in the name of who calls.
func (c *call) do(cmd trade.Command) (Outcome, error) {
	cmd.By = c.who
	o, again, err := c.h.trade.Do(c.r.Context(), cmd, c.key)
	if again {
		c.w.Header()["Idempotency-Replayed"] = replayed
	}
	if err == nil && o.Refusal != nil {
		err = &refused{o.Refusal}
	}
	return o, err
}

// owner reports whether the caller is the owner of the cluster.
func (c *call) owner() bool { return c.who.Role == trade.RoleOwner }

func (c *call) nowUS() int64 { return c.h.options.Now().UnixMicro() }

// takesLong gives a call that waits more time than the server gives to others:
// what it writes next must be gone after so long. Reading has no limit any more
// once the body is in; net/http sees to that.
func (c *call) takesLong(most time.Duration) {
	until := time.Now().Add(most) //nolint:forbidigo // a socket knows no other clock
	// A writer that knows no deadlines (a test's) needs none.
	_ = http.NewResponseController(c.w).SetWriteDeadline(until)
}

// release gives back what the call has borrowed.
func (c *call) release() {
	c.visit.Leave()
	c.arriving.Release()
	if c.body != nil {
		c.h.giveBack(c.body)
		c.body = nil
	}
}

func newBuffer() any { return new(bytes.Buffer) }

func (h *Handler) borrow() *bytes.Buffer {
	b, ok := h.clip.Get().(*bytes.Buffer)
	if !ok {
		return new(bytes.Buffer)
	}
	b.Reset()
	return b
}

// giveBack keeps a buffer for the next, unless it has grown so that it would
// be a waste.
func (h *Handler) giveBack(b *bytes.Buffer) {
	if b.Cap() <= 256<<10 {
		h.clip.Put(b)
	}
}
