package web

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// A browser sends a cookie to whatever listens on the host, at any port. So the
// cookie is half of a session, and worth nothing alone; the other half is in the
// addresses of its pages, which a browser tells nobody but the server that they
// are of: another port is another origin, and gets no Referer (every answer says
// so). The half in the address is worth nothing alone either: it stays in
// histories and gets pasted into mails. No answer tells one half to who shows only
// the other. Without TLS sessions end with the server, so what somebody heard who had the port
// while it was away opens nothing when it is back; see carry.go and comeback.go.
const sessionPath = "/s/"

type placeOf struct{}

// place takes the half of a session that is in the address out of it.
func place(r *http.Request) *http.Request {
	rest, ok := strings.CutPrefix(r.URL.Path, sessionPath)
	if !ok {
		return r
	}
	half, path, ok := strings.Cut(rest, "/")
	if !ok {
		return r
	}
	inner := r.WithContext(context.WithValue(r.Context(), placeOf{}, half))
	u := *r.URL
	u.Path, u.RawPath = "/"+path, ""
	inner.URL = &u
	return inner
}

// presented is the secret that a request shows: both halves, or nothing.
func (c *call) presented() (secret string, ok bool) {
	half, _ := c.r.Context().Value(placeOf{}).(string)
	cookie, err := c.r.Cookie(c.cookieName())
	if half == "" || err != nil || cookie.Value == "" {
		return "", false
	}
	return half + "." + cookie.Value, true
}

// base is what the addresses of the session begin with, or of nobody.
func (c *call) base() string {
	half, _, ok := strings.Cut(c.secret, ".")
	if !ok {
		return "/"
	}
	return sessionPath + half + "/"
}

// cookieName says that the browser is to send the cookie by TLS alone, where it
// can be.
func (c *call) cookieName() string {
	if c.h.options.Secure {
		return "__Secure-libra"
	}
	return "libra"
}

// cookie carries the other half, to the pages of this session alone.
func (c *call) cookie(life time.Duration) *http.Cookie {
	_, half, _ := strings.Cut(c.secret, ".")
	return &http.Cookie{
		Name: c.cookieName(), Value: half, Path: c.base(), MaxAge: int(life / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.h.options.Secure,
	}
}
