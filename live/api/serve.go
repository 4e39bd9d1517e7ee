package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"time"
)

// serve lets one call through: who is it, may they, what do they want, and
// what came of it.
func (h *Handler) serve(rt *route, watch *watch, w http.ResponseWriter, r *http.Request) {
	c := call{h: h, route: rt, w: w, r: r}
	start := h.options.Now()
	watch.begin()
	defer func() {
		thrown := recover()
		if thrown != nil {
			c.panicked(thrown)
		}
		c.release()
		took := h.options.Now().Sub(start)
		watch.end(c.status, took)
		h.log(&c, took)
		if thrown != nil && c.broken {
			panic(http.ErrAbortHandler) // the answer was under way: cut it, so that it does not look whole
		}
	}()
	err := c.enter()
	if err == nil {
		err = c.turn()
	}
	if err == nil {
		err = rt.handle(&c)
	}
	if err != nil {
		c.fail(err)
	}
}

// gone is the status in log and metrics of a call whose client hung up.
const gone = 499

// fail writes the problem that an error is.
func (c *call) fail(err error) {
	left := c.r.Context().Err() != nil // the client hung up, or was too slow
	if c.status != 0 {                 // too late for another answer
		if !left {
			c.h.options.Log.LogAttrs(c.r.Context(), slog.LevelWarn, "answer cut off",
				slog.String("route", c.route.pattern), slog.String("error", redact(err.Error())))
		}
		panic(http.ErrAbortHandler)
	}
	p, secret := problemOf(err)
	switch {
	case left && secret: // it went wrong because nobody waits for it any more
		p = kindUnavailable.problem("the time for this call is over")
	case secret:
		c.h.options.Log.LogAttrs(c.r.Context(), slog.LevelError, "request went wrong",
			slog.String("method", c.r.Method), slog.String("route", c.route.pattern), slog.String("error", redact(err.Error())))
	}
	p.Instance = c.r.URL.Path
	header := c.w.Header()
	switch p.Status {
	case http.StatusUnauthorized:
		header["Www-Authenticate"] = challenge
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		header["Retry-After"] = again(err)
	}
	c.hangUp()
	c.write(p.Status, problemType, &p)
	if left {
		c.status = gone
	}
}

var (
	challenge  = []string{`Bearer realm="libra"`}
	retryAfter = []string{"1"}
)

// panicked makes a problem of a panic.
func (c *call) panicked(thrown any) {
	if thrown == http.ErrAbortHandler { //nolint:errorlint // a panic value, by identity as net/http has it
		c.broken = true
		return
	}
	c.h.options.Log.LogAttrs(c.r.Context(), slog.LevelError, "panic",
		slog.String("method", c.r.Method), slog.String("route", c.route.pattern),
		slog.String("panic", redact(fmt.Sprint(thrown))), slog.String("stack", string(debug.Stack())))
	if c.status != 0 {
		c.broken = true
		return
	}
	p := kindInternal.problem("something went wrong here; the log of the server says what")
	p.Instance = c.r.URL.Path
	c.write(p.Status, problemType, &p)
}

// Who is refused at the door is in the log for an operator to see, and not each time:
// whoever floods would write it.
const (
	refusalsRate  = 1.0 // lines a second, of each status
	refusalsBurst = 20.0
)

// log writes one line for every call: what changed something or went wrong by
// default, what only read, and what was refused at the door beyond a few, when
// asked for details. The query and the headers stay out of it.
func (h *Handler) log(c *call, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case c.status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case c.route.quiet || c.r.Method == http.MethodGet && c.status < http.StatusBadRequest:
		level = slog.LevelDebug
	case c.status == http.StatusTooManyRequests, c.status == http.StatusUnauthorized:
		if h.quiet.Take(strconv.Itoa(c.status), "") != nil {
			level = slog.LevelDebug
		}
	}
	ctx := c.r.Context()
	if !h.options.Log.Enabled(ctx, level) {
		return
	}
	h.options.Log.LogAttrs(ctx, level, "request",
		slog.String("method", c.r.Method), slog.String("route", c.route.pattern), slog.String("path", redact(c.r.URL.Path)),
		slog.Int("status", c.status), slog.Duration("took", took), slog.Int64("bytes", c.sent),
		slog.String("user", c.who.User), slog.String("role", string(c.who.Role)), slog.String("from", c.r.RemoteAddr))
}

var secrets = regexp.MustCompile(secretPrefix + `[A-Za-z0-9_-]+`)

// redact takes out whatever looks like a token.
func redact(text string) string { return secrets.ReplaceAllString(text, secretPrefix+"...") }
