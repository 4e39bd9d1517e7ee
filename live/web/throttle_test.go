package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
)

// still is a world whose clock goes only as far as it is moved.
func still(t *testing.T) *world {
	t.Helper()
	var made atomic.Pointer[world]
	begin := time.Unix(1_800_000_000, 0)
	w := newWorld(t, func(o *web.Options) {
		o.Now = func() time.Time {
			if w := made.Load(); w != nil {
				return begin.Add(time.Duration(w.ahead.Load()))
			}
			return begin
		}
	})
	made.Store(w)
	return w
}

// from sends a form to the sign-in from an address.
func (w *world) from(address, path string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.RemoteAddr = address
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

// Wrong tokens from one address are refused after a while, without asking the
// store, and keep nobody out who comes from elsewhere or has a link.
func TestAFloodOfWrongTokens(t *testing.T) {
	w := still(t)
	secret := w.keys.Make("alice", v1.RoleUser)
	wrong, right := url.Values{"token": {"libra_wrong"}}, url.Values{"token": {secret}}
	var last *httptest.ResponseRecorder
	tried := 0
	for range 500 {
		if last = w.from("192.0.2.7:1234", "/login", wrong); last.Code == http.StatusTooManyRequests {
			break
		}
		tried++
	}
	if last.Code != http.StatusTooManyRequests || last.Header().Get("Retry-After") != "3" || tried < 10 {
		t.Fatalf("after %d: %d, Retry-After %q", tried, last.Code, last.Header().Get("Retry-After"))
	}
	asked := w.keys.Times()
	if got := w.from("192.0.2.7:999", "/login", right); got.Code != http.StatusTooManyRequests || w.keys.Times() != asked {
		t.Errorf("another from there: %d, the store was asked %d times", got.Code, w.keys.Times()-asked)
	}
	if got := w.from("192.0.2.8:1234", "/login", right); got.Code != http.StatusSeeOther {
		t.Errorf("alice from elsewhere: %d", got.Code)
	}
	_, key, _ := strings.Cut(w.handler.LoginLink(alice), "key=")
	if got := w.from("192.0.2.7:5", "/login", url.Values{"key": {key}}); got.Code != http.StatusSeeOther {
		t.Errorf("by a link from there: %d", got.Code)
	}
	if got := w.from("192.0.2.7:5", "/login", url.Values{"key": {"wrong"}}); got.Code != http.StatusTooManyRequests {
		t.Errorf("by a wrong link from there: %d", got.Code)
	}
	w.ahead.Store(int64(3 * time.Second))
	if got := w.from("192.0.2.7:1234", "/login", right); got.Code != http.StatusSeeOther {
		t.Errorf("after as long as was said: %d", got.Code)
	}
}

// Of IPv6 a subscriber has a whole network to come from.
func TestAFloodFromManyAddresses(t *testing.T) {
	w := still(t)
	refused := 0
	for i := range 100 {
		at := netAddress(i)
		if w.from(at, "/login", url.Values{"token": {"libra_wrong"}}).Code == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 80 {
		t.Errorf("%d of 100 were refused", refused)
	}
}

func netAddress(i int) string {
	const digits = "0123456789"
	return "[2001:db8::" + digits[i/10:i/10+1] + digits[i%10:i%10+1] + "]:80"
}

// Links and sign-ins have a rate for each user, with whatever tokens and from
// wherever.
func TestAUserSignsInTooOften(t *testing.T) {
	for name, ask := range map[string]func(*world, string) int{
		"links": func(w *world, secret string) int {
			return w.from("192.0.2.1:1", "/login/link", nil, "Authorization", "Bearer "+secret).Code
		},
		"tokens": func(w *world, secret string) int {
			return w.from("192.0.2.1:1", "/login", url.Values{"token": {secret}}).Code
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := still(t)
			alices, bobs := w.keys.Make("alice", v1.RoleUser), w.keys.Make("bob", v1.RoleUser)
			first, refused := ask(w, alices), 0
			for range 100 {
				if ask(w, alices) == http.StatusTooManyRequests {
					refused++
				}
			}
			if refused != 81 {
				t.Errorf("%d of 100 were refused", refused)
			}
			if got := ask(w, bobs); got != first {
				t.Errorf("bob: %d", got)
			}
			w.ahead.Store(int64(3 * time.Second))
			if got := ask(w, alices); got != first {
				t.Errorf("after a rest: %d", got)
			}
		})
	}
	w := still(t)
	for range 500 {
		w.from("@", "/login/link", nil, "Authorization", "Bearer libra_wrong")
	}
	if got := w.from("@", "/login/link", nil, "Authorization", "Bearer "+w.keys.Make("alice", v1.RoleUser)); got.Code != http.StatusCreated {
		t.Errorf("a good token, by the socket at which others try wrong ones: %d", got.Code)
	}
}

// Who comes back after a restart, again and again, takes nobody else's login link away.
func TestAFloodOfReturns(t *testing.T) {
	memory := &notes{kept: map[string]store.Note{}}
	option := func(o *web.Options) {
		o.Memory, o.URL, o.Door = memory, "http://127.9.9.9:1", "127.0.0.1:1"
		o.Peer = func(*http.Request) (int, bool) { return 1000, true }
	}
	w := newWorld(t, option)
	was := w.signedIn(alice)
	w.handler.Close()
	again := newWorld(t, option)
	var links []string
	for range 100 {
		links = append(links, again.handler.LoginLink(bob))
	}
	back := again.visitor()
	back.base, back.client.Jar = was.base, was.client.Jar
	for range 1100 {
		got := back.send(back.request(http.MethodGet, "/jobs?moved=yes", nil, "Sec-Fetch-Mode", "navigate"))
		if !strings.Contains(got.header.Get("Location"), "/login?key=") {
			t.Fatalf("alice does not come back: %d %v", got.status, got.header)
		}
	}
	for _, link := range links {
		_, key, _ := strings.Cut(link, "key=")
		if got := again.visitor().post("/login", url.Values{"key": {key}}); got.status != http.StatusSeeOther {
			t.Fatalf("a link of bob's is gone: %d", got.status)
		}
	}
}

// Who asks again and again where the market is, by names that nobody has, keeps nobody from
// signing in who comes from the same address, nor pages from finding it.
func TestAFloodOfQuestionsWhere(t *testing.T) {
	memory := &notes{kept: map[string]store.Note{}}
	w := newWorld(t, func(o *web.Options) { o.Memory, o.URL, o.Door = memory, "http://127.9.9.9:1", "127.0.0.1:1" })
	eve := w.visitor()
	for range 500 {
		if got := eve.get("/whereabouts?name=x&nonce=y"); got.status != http.StatusNotFound {
			t.Fatalf("%d", got.status)
		}
	}
	if got := w.visitor().post("/login", url.Values{"token": {w.keys.Make("alice", v1.RoleUser)}}); got.status != http.StatusSeeOther {
		t.Errorf("alice: %d", got.status)
	}
}
