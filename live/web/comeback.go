package web

import (
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/libra-market/libra/live/store"
)

// Who loads a page of an earlier start again, without TLS, shows both halves of a session
// that ended with it; so could somebody who had the port in between. But on this machine
// the kernel says whose a connection is. To the user of the system who had signed in the
// halves are worth a login link, at the address that no start before had, and to nobody
// else; and the link opens for that user alone, at once. What was typed is taken along by
// the browser, behind the #.

const (
	addressesKey  = "addresses"
	pastAddresses = 3 // how many starts back pages are answered
	movedParam    = "moved"
	movedYes      = "yes"
)

// recallAddresses finds out where the last starts had their pages, and writes down where
// this one has them.
func (h *Handler) recallAddresses() {
	if !h.carriesOver() {
		return
	}
	var before []string
	note, found, err := h.options.Memory.Note(h.ctx, memoryKind, addressesKey)
	if err == nil && found {
		err = json.Unmarshal(note.Body, &before)
	}
	own := strings.TrimPrefix(h.options.URL, "http://")
	for _, at := range before {
		if at != own && at != h.options.Door && portOf(at) == portOf(h.options.Door) && len(h.before) < pastAddresses {
			h.before = append(h.before, at)
		}
	}
	text, bad := json.Marshal(append([]string{own}, h.before...))
	if bad == nil {
		bad = h.options.Memory.PutNotes(h.ctx, []store.Note{{Kind: memoryKind, Key: addressesKey, Body: text}})
	}
	if err != nil || bad != nil {
		h.options.Log.LogAttrs(h.ctx, slog.LevelWarn, "pages of an earlier start are not answered", slog.Any("error", err), slog.Any("unwritten", bad))
	}
}

func portOf(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return port
}

// Before are the addresses, host and port, at which the last starts had their pages. Who
// comes there is led to where they are now, and nobody can sign in there: a stranger may
// have left scripts.
func (h *Handler) Before() []string { return h.before }

func (h *Handler) isBefore(host string) bool {
	for _, at := range h.before {
		if at == host {
			return true
		}
	}
	return false
}

// past answers at an address of before.
var past = route{pattern: "/", roles: people, kind: aPage, handle: func(*call) error { return errSignIn }}

// comesBack leads a browser on that shows a page of an earlier start, if there is
// somewhere to lead it.
func (c *call) comesBack() bool {
	if !c.h.carriesOver() || c.r.Method != http.MethodGet || c.r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return false
	}
	one, ok := c.followed()
	if !ok {
		return c.leadOn("/login?next=" + url.QueryEscape(c.r.URL.RequestURI()))
	}
	q := c.r.URL.Query()
	if q.Get(movedParam) != movedYes { // the browser first looks for what was typed
		half, _ := c.r.Context().Value(placeOf{}).(string)
		q.Set(movedParam, movedYes)
		return c.show(http.StatusOK, "moved", "Started again", "", &movedView{Who: one.who.User, Old: true, To: sessionPath + half + c.r.URL.Path + "?" + q.Encode()}) == nil
	}
	q.Del(movedParam)
	next := c.r.URL.Path
	if len(q) > 0 {
		next += "?" + q.Encode()
	}
	key := c.h.links.put(invitation{who: one.who, token: one.token, since: one.made, follows: nameOf(one.verifier), uid: one.uid, line: one.line})
	c.status = http.StatusSeeOther
	c.w.Header().Set("Location", c.h.options.URL+"/login?"+url.Values{"key": {key}, "next": {next}}.Encode())
	c.w.WriteHeader(c.status)
	return true
}

// movedView is the page that leads on: from the address of before, with what was typed
// there, or at the one of now.
type movedView struct {
	Who, To string
	Old     bool
}

// arrives reports whether a browser shows somebody the page, and does not only look ahead.
func (c *call) arrives() bool {
	asks := c.r.Header
	return c.r.Method == http.MethodGet && asks.Get("Sec-Fetch-Mode") == "navigate" && asks.Get("Sec-Fetch-Dest") == "document" &&
		asks.Get("Purpose") == "" && asks.Get("Sec-Purpose") == "" && asks.Get("X-Moz") == ""
}

// goOn begins the session that follows one of before. A browser that comes from another
// address would not show its cookie at a redirect, so the page leads on by itself.
func (c *call) goOn(key, next string) error {
	one, ok, err := c.invited(key, true)
	switch {
	case err != nil:
		return err
	case !ok: // another was faster, or it has just ended
		return c.redirect("/login?next=" + url.QueryEscape(next))
	}
	if err = c.h.attempts.returns.Take(one.who.User, tooManySignIns); err != nil {
		return err
	}
	c.begin(&one)
	to := c.base() + strings.TrimPrefix(next, "/")
	c.secret = "" // the page is nobody's yet
	return c.page("moved", "Started again", "", &movedView{Who: one.who.User, To: to})
}

// leadOn leads who is at an address of before to where the pages are.
func (c *call) leadOn(to string) bool {
	if !c.h.isBefore(c.r.Host) {
		return false
	}
	if c.r.Header.Get("Sec-Fetch-Mode") != "navigate" { // a script, which may not go to another address
		c.raw(http.StatusUnauthorized, "text/plain; charset=utf-8", []byte("The market was started again; load the page again to go on.\n"))
		return true
	}
	c.status = http.StatusSeeOther
	c.w.Header().Set("Location", c.h.options.URL+to)
	c.w.WriteHeader(c.status)
	return true
}

// followed is the session of before whose halves are shown by the user who had it.
func (c *call) followed() (carried, bool) {
	secret, ok := c.presented()
	if !ok {
		return carried{}, false
	}
	one, ok := c.h.carries.byHalves(sha256.Sum256([]byte(secret)))
	return one, ok && c.isPeer(one.uid)
}

// isPeer reports whether it is a certain user of the system who asks.
func (c *call) isPeer(uid *int) bool {
	if uid == nil {
		return false
	}
	asks, known := c.h.options.Peer(c.r)
	return known && asks == *uid
}
