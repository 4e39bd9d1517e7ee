package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/fair"
)

// call is one request on its way to an answer.
type call struct {
	h     *Handler
	route *route
	w     http.ResponseWriter
	r     *http.Request

	who     trade.Identity
	session *session // nil: nobody has signed in
	secret  string   // of the session

	visit    fair.Visit
	arriving *fair.Body // the form on its way in

	status int // of the answer; 0: none yet
}

// What keeps somebody from a page, beside what a market says.
var (
	errNotFound = errors.New("not found")
	errMethod   = errors.New("not possible here")
	errSignIn   = errors.New("nobody is signed in")
	errRole     = errors.New("not for this role")
	errForged   = errors.New("the request did not come from a page of this server")
)

// Every answer keeps a browser from taking anything from elsewhere, from running
// what is not ours, and from showing us inside another page.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'self'"

// contentPolicy lets a page ask, beside its own server, at the door where the next start
// will be.
func (h *Handler) contentPolicy() string {
	if !h.carriesOver() {
		return contentPolicy
	}
	return strings.Replace(contentPolicy, "connect-src 'self'", "connect-src 'self' http://"+h.options.Door, 1)
}

// serve lets one call through: who is it, may they, what do they want, and what
// came of it.
func (h *Handler) serve(rt *route, w http.ResponseWriter, r *http.Request) {
	c := &call{h: h, route: rt, w: w, r: r}
	start := h.now()
	api.DemandTLS(w, r)
	header := w.Header()
	header.Set("Content-Security-Policy", h.contentPolicy())
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	defer func() {
		if thrown := recover(); thrown != nil {
			c.panicked(thrown)
		}
		c.release()
		c.log(h.now().Sub(start))
	}()
	err := c.admit()
	if err == nil {
		err = rt.handle(c)
	}
	if err != nil {
		c.fail(err)
	}
}

// admit finds out who calls, and whether the route is for them.
func (c *call) admit() error {
	if err := c.identify(); err != nil {
		return err
	}
	if c.route.roles != nil { // before anything is read of who may not
		if c.session == nil {
			return errSignIn
		}
		if !may(c.who, belongings{roles: c.route.roles}) {
			return errRole
		}
		if err := c.turn(); err != nil {
			return err
		}
	}
	if c.r.Method != http.MethodPost {
		return nil
	}
	if err := c.readForm(); err != nil {
		return err
	}
	if c.route.roles != nil && !c.stamped() {
		return errForged
	}
	return nil
}

// readForm takes in what was sent, unless another site had the browser send it.
func (c *call) readForm() error {
	if err := c.h.guard.Check(c.r); err != nil {
		return errForged
	}
	c.receive()
	defer c.taken()
	err := c.r.ParseMultipartForm(maxForm)
	if errors.Is(err, http.ErrNotMultipart) {
		err = c.r.ParseForm()
	}
	var large *http.MaxBytesError
	if over, ok := errors.AsType[*fair.Over](err); ok {
		return over
	}
	switch {
	case errors.As(err, &large):
		return &trade.FieldError{Field: "script", Want: "at most a megabyte"}
	case err != nil:
		return fmt.Errorf("%w: the form did not arrive as a whole", errForged)
	}
	return nil
}

// trouble is what a page says when it cannot show what was asked for.
type trouble struct {
	Status int
	Title  string
	Text   string
	Retry  bool
}

// troubleOf finds out what to say about an error, and whether it is one that
// only the log may know.
func troubleOf(err error) (t trouble, secret bool) {
	var field *trade.FieldError
	if t, ok := tooMuch(err); ok {
		return t, false
	}
	switch {
	case errors.Is(err, errSignIn):
		return trouble{http.StatusUnauthorized, "Sign in first", "This page is for those who have signed in.", false}, false
	case errors.Is(err, errRole):
		return trouble{http.StatusForbidden, "For the owner", "This page is for the owner of the cluster.", false}, false
	case errors.Is(err, errForged):
		return trouble{http.StatusForbidden, "Not done", "This request did not come from a page of yours, or the page is from before you signed in. Go back, reload the page and try again.", false}, false
	case errors.Is(err, errMethod):
		return trouble{http.StatusMethodNotAllowed, "Not possible", "This address is there, but not for this.", false}, false
	case errors.As(err, &field):
		return trouble{http.StatusUnprocessableEntity, "That makes no sense", field.Error(), false}, false
	case errors.Is(err, errNotFound), errors.Is(err, trade.ErrUnknown), errors.Is(err, trade.ErrForbidden), errors.Is(err, ledger.ErrUnknown):
		return trouble{http.StatusNotFound, "Not here", "There is nothing at this address, or it is not yours to see.", false}, false
	case errors.Is(err, trade.ErrConflict):
		return trouble{http.StatusConflict, "Not possible as things stand", err.Error(), false}, false
	case errors.Is(err, trade.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return trouble{http.StatusServiceUnavailable, "The market is closed for the moment", "It is starting, or cannot write its log. Jobs that run go on. Try again in a moment.", true}, true
	}
	return trouble{http.StatusInternalServerError, "A mistake of the server", "Something went wrong here; the log of the server says what.", true}, true
}

// fail says what is wrong: a page to people, a status to scripts.
func (c *call) fail(err error) {
	if c.r.Context().Err() != nil && c.status == 0 { // nobody waits for it any more
		c.status = 499
		return
	}
	t, secret := troubleOf(err)
	if secret {
		c.h.options.Log.LogAttrs(c.r.Context(), slog.LevelError, "page went wrong",
			slog.String("method", c.r.Method), slog.String("page", c.route.pattern), slog.String("error", err.Error()))
	}
	if c.status != 0 {
		panic(http.ErrAbortHandler) // too late for another answer: cut it, so that it does not look whole
	}
	if errors.Is(err, errSignIn) && c.route.kind == aPage {
		if c.comesBack() || c.leadOn("/login") {
			return
		}
		next := ""
		if c.r.Method == http.MethodGet {
			next = "?next=" + url.QueryEscape(c.r.URL.RequestURI())
		}
		_ = c.redirect("/login" + next) // it cannot fail
		return
	}
	if t.Retry {
		c.w.Header().Set("Retry-After", strconv.Itoa(waitFor(err)))
	}
	if c.route.kind == aScript {
		c.raw(t.Status, "text/plain; charset=utf-8", []byte(t.Text+"\n"))
		return
	}
	if err := c.show(t.Status, "trouble", t.Title, "", &t); err != nil {
		c.raw(t.Status, "text/plain; charset=utf-8", []byte(t.Text+"\n"))
	}
}

func (c *call) panicked(thrown any) {
	if thrown == http.ErrAbortHandler { //nolint:errorlint // a panic value, by identity as net/http has it
		panic(thrown)
	}
	c.h.options.Log.LogAttrs(c.r.Context(), slog.LevelError, "panic", slog.String("page", c.route.pattern),
		slog.String("panic", fmt.Sprint(thrown)), slog.String("stack", string(debug.Stack())))
	if c.status != 0 {
		panic(http.ErrAbortHandler)
	}
	c.raw(http.StatusInternalServerError, "text/plain; charset=utf-8", []byte("Something went wrong here; the log of the server says what.\n"))
}

// log writes a line for what changed something or went wrong; what only read,
// when asked for details. Queries stay out of it: a login link is one.
func (c *call) log(took time.Duration) {
	level := slog.LevelDebug
	switch {
	case c.status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case c.r.Method == http.MethodPost && c.route.pattern != "/preview":
		level = slog.LevelInfo
	}
	c.h.options.Log.LogAttrs(c.r.Context(), level, "page", slog.String("method", c.r.Method), slog.String("path", c.r.URL.Path),
		slog.Int("status", c.status), slog.Duration("took", took), slog.String("user", c.who.User), slog.String("from", c.r.RemoteAddr))
}

// raw writes an answer that is at hand as a whole.
func (c *call) raw(status int, kind string, body []byte) {
	header := c.w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	c.status = status
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body) // the browser hung up: there is nobody to tell
}

func (c *call) redirect(to string) error {
	c.status = http.StatusSeeOther
	c.w.Header().Set("Location", c.base()+strings.TrimPrefix(to, "/"))
	c.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// do has a command carried out in the name of who calls, once: the same form sent
// again gets the first answer again.
func (c *call) do(cmd trade.Command, key api.Key) (api.Outcome, error) {
	cmd.By = c.who
	o, _, err := c.h.market.Do(c.r.Context(), cmd, key)
	return o, err
}

// id is the number of the job in the path.
func (c *call) id() (int64, error) {
	text := c.r.PathValue("id")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 || strconv.FormatInt(id, 10) != text {
		return 0, errNotFound
	}
	return id, nil
}

// wantsJSON reports whether a script asks, and not the browser itself.
func (c *call) wantsJSON() bool { return c.r.Header.Get("Accept") == "application/json" }

// takesLong lifts the time-outs of the server for a call that waits.
func (c *call) takesLong(most time.Duration) {
	rc := http.NewResponseController(c.w)
	// A writer that knows no deadlines (a test's) needs none lifted.
	_ = rc.SetReadDeadline(time.Time{})
	_ = rc.SetWriteDeadline(time.Now().Add(most)) //nolint:forbidigo // a socket knows no other clock
}

// page answers with a page.
func (c *call) page(name, title, at string, body any) error {
	return c.show(http.StatusOK, name, title, at, body)
}

func (c *call) show(status int, name, title, at string, body any) error {
	f, err := c.frame(title, at, body)
	if err != nil {
		return err
	}
	out, err := render(c.h.pages[name], "layout", f)
	if err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	c.raw(status, "text/html; charset=utf-8", out)
	return nil
}

// json answers a script.
func (c *call) json(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.raw(http.StatusOK, "application/json", text)
	return nil
}
