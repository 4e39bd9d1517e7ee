package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/web"
)

func TestSignInByToken(t *testing.T) {
	w := newWorld(t)
	p := w.visitor()
	secret := w.keys.MakeToken(v1.Token{ID: "t1", User: "alice", Role: v1.RoleUser})
	if got := p.get("/jobs?state=live"); got.header.Get("Location") != "/login?next=%2Fjobs%3Fstate%3Dlive" {
		t.Fatalf("led to %s", got.header.Get("Location"))
	}
	got := p.post("/login", url.Values{"token": {" " + secret + "\n"}, "next": {"/jobs?state=live"}})
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/jobs?state=live" {
		t.Fatalf("%d to %s", got.status, got.header.Get("Location"))
	}
	cookie := got.header.Get("Set-Cookie")
	for _, want := range []string{"libra=", "HttpOnly", "SameSite=Strict", "Path=" + p.base + "/;"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q has no %s", cookie, want)
		}
	}
	if strings.Contains(cookie, secret) || strings.Contains(cookie, "Secure") {
		t.Errorf("cookie %q", cookie)
	}
	if got := p.get("/jobs"); got.status != http.StatusOK {
		t.Fatalf("signed in, and %d", got.status)
	}
	// Who revokes the token ends what was begun with it.
	if _, err := w.keys.RevokeToken(t.Context(), "alice", "t1", false, 1); err != nil {
		t.Fatal(err)
	}
	w.ahead.Store(int64(6 * time.Second))
	if got := p.get("/jobs"); got.status != http.StatusSeeOther {
		t.Errorf("after the token was revoked: %d", got.status)
	}
}

func TestTokensThatOpenNothing(t *testing.T) {
	w := newWorld(t)
	for name, secret := range map[string]string{
		"unknown": "libra_nothing",
		"empty":   "",
		"expired": w.keys.MakeToken(v1.Token{ID: "a", User: "alice", Role: v1.RoleOwner, ExpiresUS: 1}),
		"revoked": w.keys.MakeToken(v1.Token{ID: "b", User: "alice", Role: v1.RoleOwner, RevokedUS: 1}),
	} {
		p := w.visitor()
		if got := p.post("/login", url.Values{"token": {secret}}); got.status != http.StatusOK || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d, cookie %q", name, got.status, got.header.Get("Set-Cookie"))
		}
	}
}

func TestCookieUnderTLS(t *testing.T) {
	w := newWorld(t, func(o *web.Options) { o.Secure = true })
	p := w.visitor()
	secret := w.keys.Make("alice", v1.RoleUser)
	cookie := p.post("/login", url.Values{"token": {secret}}).header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Secure-libra=") || !strings.Contains(cookie, "Secure") {
		t.Errorf("cookie %q", cookie)
	}
}

// A link signs in once, within ten minutes, and looking at it does not use it up.
func TestLoginLink(t *testing.T) {
	w := newWorld(t)
	link := w.handler.LoginLink(root)
	_, key, _ := strings.Cut(link, "key=")
	for range 3 {
		if got := w.visitor().get(link); !strings.Contains(got.body, "Continue as root") || got.header.Get("Set-Cookie") != "" {
			t.Fatalf("%d: %.300s", got.status, got.body)
		}
	}
	p := w.visitor()
	if got := p.post("/login", url.Values{"key": {key}}); got.status != http.StatusSeeOther {
		t.Fatalf("%d", got.status)
	}
	if got := p.get("/owner"); got.status != http.StatusOK {
		t.Errorf("signed in by a link: %d", got.status)
	}
	if got := w.visitor().post("/login", url.Values{"key": {key}}); got.header.Get("Set-Cookie") != "" {
		t.Error("a link worked twice")
	}
	_, late, _ := strings.Cut(w.handler.LoginLink(root), "key=")
	w.ahead.Store(int64(10 * time.Minute))
	if got := w.visitor().post("/login", url.Values{"key": {late}}); got.header.Get("Set-Cookie") != "" {
		t.Error("a link worked after ten minutes")
	}
}

// A command that holds a token can have a link made.
func TestLinkForACommand(t *testing.T) {
	w := newWorld(t)
	secret := w.keys.Make("alice", v1.RoleUser)
	got := w.visitor().post("/login/link", nil, "Authorization", "Bearer "+secret)
	var made struct{ Path string }
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != http.StatusCreated {
		t.Fatalf("%d: %s (%v)", got.status, got.body, err)
	}
	if page := w.visitor().get(made.Path); !strings.Contains(page.body, "Continue as alice") {
		t.Errorf("%s: %.200s", made.Path, page.body)
	}
}

// A link ends with the token it was made with, and so does the session that was
// begun with it, whether the token is revoked or expires.
func TestALinkEndsWithItsToken(t *testing.T) {
	for name, end := range map[string]func(*world, string){
		"revoked": func(w *world, id string) {
			if _, err := w.keys.RevokeToken(t.Context(), "alice", id, false, 1); err != nil {
				t.Fatal(err)
			}
			w.ahead.Store(int64(6 * time.Second))
		},
		"expired": func(w *world, _ string) { w.ahead.Store(int64(2 * time.Minute)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			secret := w.keys.MakeToken(v1.Token{ID: "t1", User: "alice", Role: v1.RoleUser, ExpiresUS: w.now().Add(time.Minute).UnixMicro()})
			link := func() string {
				t.Helper()
				var made struct{ Path string }
				got := w.visitor().post("/login/link", nil, "Authorization", "Bearer "+secret)
				if err := json.Unmarshal([]byte(got.body), &made); err != nil {
					t.Fatalf("%d: %s", got.status, got.body)
				}
				_, key, _ := strings.Cut(made.Path, "key=")
				return key
			}
			p, later := w.visitor(), link()
			if got := p.post("/login", url.Values{"key": {link()}}); got.status != http.StatusSeeOther {
				t.Fatalf("%d", got.status)
			}
			if got := p.get("/jobs"); got.status != http.StatusOK {
				t.Fatalf("signed in, and %d", got.status)
			}
			end(w, "t1")
			if got := p.get("/jobs"); got.status != http.StatusSeeOther {
				t.Errorf("the session goes on: %d", got.status)
			}
			if got := w.visitor().get("/login?key=" + later); strings.Contains(got.body, "Continue as alice") {
				t.Error("a link that nobody followed still says whom it is for")
			}
			if got := w.visitor().post("/login", url.Values{"key": {later}}); got.header.Get("Set-Cookie") != "" {
				t.Error("a link that nobody followed still signs in")
			}
		})
	}
}

func TestSessionsEnd(t *testing.T) {
	w := newWorld(t)
	p := w.signedIn(alice)
	w.ahead.Store(int64(11 * time.Hour))
	if got := p.get("/jobs"); got.status != http.StatusOK {
		t.Fatalf("after eleven hours: %d", got.status)
	}
	w.ahead.Store(int64(24 * time.Hour))
	if got := p.get("/jobs"); got.status != http.StatusSeeOther {
		t.Errorf("after thirteen idle hours: %d", got.status)
	}
	p = w.signedIn(alice)
	old := p.client.Jar.Cookies(p.request(http.MethodGet, "/", nil).URL)
	was := p.request(http.MethodGet, "/", nil).URL
	if got := p.fill("/logout", nil); got.header.Get("Location") != "/login" {
		t.Errorf("signing out leads to %s", got.header.Get("Location"))
	}
	p.client.Jar.SetCookies(was, old)
	if got := p.get("/jobs"); got.status != http.StatusSeeOther {
		t.Errorf("a cookie from before signing out: %d", got.status)
	}
}

// Signing in leads to a place here and nowhere else.
func TestNextIsHere(t *testing.T) {
	w := newWorld(t)
	secret := w.keys.Make("alice", v1.RoleUser)
	for next, want := range map[string]string{
		"/jobs/3": "/jobs/3", "": "/", "//evil.example": "/", "https://evil.example": "/", "/\\evil.example": "/",
		"/login": "/", "/\tjobs": "/",
	} {
		got := w.visitor().post("/login", url.Values{"token": {secret}, "next": {next}})
		if to := got.header.Get("Location"); to != want {
			t.Errorf("%q leads to %q", next, to)
		}
	}
}
