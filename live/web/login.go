package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/libra-market/libra/core/trade"
)

// loginView is the sign-in page.
type loginView struct {
	Wrong string
	Next  string
	Key   string         // of a login link
	Guest trade.Identity // whom it is for
	Plain bool           // nothing says that the browser came by TLS
}

// linkOver is said of a link that opens nothing.
const linkOver = "This link has been used, is older than ten minutes, or its token is over. Ask for a new one, or sign in with a token."

// showLogin asks for a token. A login link shows whom it is for and asks for a
// click: what only looks ahead (a mail scanner, a browser that prefetches) must
// not use it up, and nobody is signed in as somebody else without seeing it. Who had
// signed in before the server was started, and is the same user of the system, just
// goes on.
func showLogin(c *call) error {
	v := loginView{Next: nextOf(c.r.URL.Query().Get("next")), Plain: c.plain()}
	if key := c.r.URL.Query().Get("key"); key != "" {
		one, ok, err := c.invited(key, false)
		if err != nil {
			return err
		}
		if ok && c.isPeer(one.uid) && c.arrives() {
			return c.goOn(key, v.Next)
		}
		if ok {
			v.Key, v.Guest = key, one.who
		} else {
			v.Wrong = linkOver
		}
	} else if c.session != nil {
		return c.redirect(v.Next)
	}
	return c.page("login", "Sign in", "", &v)
}

func signIn(c *call) error {
	v := loginView{Next: nextOf(c.r.PostFormValue("next")), Plain: c.plain()}
	if key := c.r.PostFormValue("key"); key != "" {
		one, ok, err := c.invited(key, true)
		if err != nil {
			return err
		}
		if !ok {
			if err = c.h.attempts.wrong.Take(c.source(), tooManyWrong); err != nil {
				return err
			}
			v.Wrong = linkOver
			return c.page("login", "Sign in", "", &v)
		}
		return c.enter(&one, v.Next)
	}
	if err := c.h.attempts.wrong.Check(c.source(), tooManyWrong); err != nil {
		return err // before the store is asked
	}
	t, hash, ok, err := c.h.tokenOf(c.r.Context(), strings.TrimSpace(c.r.PostFormValue("token")))
	if err != nil {
		return err
	}
	if !ok {
		if err = c.h.attempts.wrong.Take(c.source(), tooManyWrong); err != nil {
			return err
		}
		v.Wrong = "This token opens nothing here: it is unknown, has expired or was revoked, or is a node's."
		return c.page("login", "Sign in", "", &v)
	}
	if err = c.h.attempts.signIns.Take(t.User, tooManySignIns); err != nil {
		return err
	}
	return c.enter(&invitation{who: trade.Identity{User: t.User, Role: trade.Role(t.Role)}, token: hash}, v.Next)
}

// plain reports whether the browser seems to have come without TLS. A proxy before
// the server may say otherwise; it is only shown.
func (c *call) plain() bool {
	return !c.h.options.Secure && c.r.TLS == nil && c.r.Header.Get("X-Forwarded-Proto") != "https"
}

// enter begins a session, always a new one: a cookie from before is worth
// nothing after.
func (c *call) enter(one *invitation, next string) error {
	c.begin(one)
	return c.redirect(next)
}

// begin begins a session, and hands the browser its cookie.
func (c *call) begin(one *invitation) {
	if c.secret != "" {
		c.h.sessions.end(c.secret)
	}
	var peer *int
	if uid, known := c.h.options.Peer(c.r); known {
		peer = &uid
	}
	c.secret = c.h.sessions.begin(one, peer)
	c.h.keepSessions(c.r.Context())
	http.SetCookie(c.w, c.cookie(fullLife))
}

func signOut(c *call) error {
	c.h.sessions.end(c.secret)
	c.h.sessions.endLine(c.session.line)
	c.h.carries.endLine(c.session.line)
	c.h.keepSessions(c.r.Context())
	gone := c.cookie(0)
	gone.Value, gone.MaxAge = "", -1
	http.SetCookie(c.w, gone)
	c.session, c.secret = nil, ""
	return c.redirect("/login")
}

// makeLink makes a login link for whoever holds a token, so that a command can
// open a browser without the token in it.
func makeLink(c *call) error {
	scheme, secret, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return errSignIn
	}
	// Whoever has a good token gets a link, whatever others try who come from the
	// same address or by the same socket.
	t, hash, ok, err := c.h.tokenOf(c.r.Context(), secret)
	if err != nil {
		return err
	}
	if !ok {
		if err = c.h.attempts.wrong.Take(c.source(), tooManyWrong); err != nil {
			return err
		}
		return errSignIn
	}
	if err = c.h.attempts.links.Take(t.User, tooManyLinks); err != nil {
		return err
	}
	link := c.h.tokenLink(&t, hash)
	answer := map[string]string{"path": link}
	if c.h.options.URL != "" {
		answer["url"] = c.h.options.URL + link
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	c.raw(http.StatusCreated, "application/json", text)
	return nil
}

// nextOf is where to go after signing in: a place here, or the start.
func nextOf(text string) string {
	if len(text) < 2 || text[0] != '/' || text[1] == '/' || strings.ContainsAny(text, "\\\r\n\t") || strings.HasPrefix(text, "/login") {
		return "/"
	}
	return text
}
