package api_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

func TestATokenIsMadeUsedAndRevoked(t *testing.T) {
	w := newWorld(t)
	a := w.ask("alice", "POST", "/v1/tokens", v1.TokenRequest{Name: "laptop"})
	n := read[v1.NewToken](t, a)
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(n.Secret, "libra_"))
	if a.status != 201 || err != nil || len(raw) != 32 || n.User != "alice" || n.Role != v1.RoleUser {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	days := time.Duration(n.ExpiresUS-n.MadeUS) * time.Microsecond / (24 * time.Hour)
	if days != 90 {
		t.Errorf("it is good for %d days", days)
	}
	w.secret["laptop"] = n.Secret
	who := read[v1.Whoami](t, w.ask("laptop", "GET", "/v1/whoami", nil))
	if who.User != "alice" || who.Account != "people/alice" || who.Token == nil || who.Token.ID != n.ID {
		t.Errorf("got %+v", who)
	}
	if list := w.ask("alice", "GET", "/v1/tokens", nil); !strings.Contains(list.body, "laptop") || strings.Contains(list.body, n.Secret) {
		t.Errorf("got %s", list.body)
	}
	if a := w.ask("laptop", "DELETE", "/v1/tokens/"+n.ID, nil); a.status != 204 {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	if a := w.ask("laptop", "GET", "/v1/whoami", nil); a.status != 401 || !strings.Contains(a.body, "revoked") {
		t.Errorf("got %d %s", a.status, a.body)
	}
}

// A token with which jobs may run as root, or as the user of a daemon, is not made
// by mistake, whoever asks for it and for which role. A node may have any name.
func TestTokensForSystemUsersAreMadeOnPurpose(t *testing.T) {
	w := newWorld(t)
	for _, user := range []string{"root", "daemon", "nobody"} {
		for _, role := range []v1.Role{v1.RoleUser, v1.RoleOwner} {
			a := w.ask("root", "POST", "/v1/tokens", v1.TokenRequest{User: user, Role: role})
			if a.status != 422 && a.status != 400 || !strings.Contains(a.body, "--system-user") {
				t.Errorf("%s, %s: %d %s", user, role, a.status, a.body)
			}
			if a := w.ask("root", "POST", "/v1/tokens", v1.TokenRequest{User: user, Role: role, SystemUser: true}); a.status != 201 {
				t.Errorf("%s, %s, on purpose: %d %s", user, role, a.status, a.body)
			}
		}
		if a := w.ask("root", "POST", "/v1/tokens", v1.TokenRequest{User: user, Role: v1.RoleNode}); a.status != 201 {
			t.Errorf("a node called %s: %d %s", user, a.status, a.body)
		}
	}
}

// With a token that expires nobody makes one that lasts longer.
func TestTokensDoNotOutliveTheirMaker(t *testing.T) {
	w := newWorld(t)
	ends := time.Now().Add(time.Hour).UnixMicro()
	w.secret["brief"] = w.keys.MakeToken(v1.Token{ID: "t-brief", User: "alice", Role: v1.RoleUser, ExpiresUS: ends})
	n := read[v1.NewToken](t, w.ask("brief", "POST", "/v1/tokens", v1.TokenRequest{TTLMS: 1e9}))
	if n.ExpiresUS != ends {
		t.Errorf("made by one that ends at %d, it ends at %d", ends, n.ExpiresUS)
	}
}

// Who has as many tokens as may be revokes one before there is another.
func TestTokensAreSoMany(t *testing.T) {
	w := newWorld(t)
	first := ""
	made := 0
	for ; made < 200; made++ {
		a := w.ask("alice", "POST", "/v1/tokens", v1.TokenRequest{})
		if a.status == http.StatusTooManyRequests {
			break
		}
		if a.status != http.StatusCreated {
			t.Fatalf("token %d: %d %s", made, a.status, a.body)
		}
		first = read[v1.NewToken](t, a).ID
	}
	if made < 50 || made > 100 {
		t.Errorf("%d were made", made)
	}
	if a := w.ask("alice", "DELETE", "/v1/tokens/"+first, nil); a.status >= 300 {
		t.Fatalf("revoked: %d %s", a.status, a.body)
	}
	if a := w.ask("alice", "POST", "/v1/tokens", v1.TokenRequest{}); a.status != http.StatusCreated {
		t.Errorf("with one revoked: %d %s", a.status, a.body)
	}
	if a := w.ask("root", "POST", "/v1/tokens", v1.TokenRequest{User: "alice"}); a.status != http.StatusCreated {
		t.Errorf("by the owner of the market: %d %s", a.status, a.body)
	}
}

func TestTokensAreRefused(t *testing.T) {
	w := newWorld(t)
	for name, header := range map[string]string{
		"another scheme":    "Basic YWxpY2U6c2VjcmV0",
		"no scheme":         w.secret["alice"],
		"nothing":           "Bearer ",
		"no prefix":         "Bearer " + strings.TrimPrefix(w.secret["alice"], "libra_"),
		"too short":         "Bearer libra_abc",
		"one letter off":    "Bearer " + w.secret["alice"][:48] + "!",
		"something after":   "Bearer " + w.secret["alice"] + " x",
		"unknown":           "Bearer libra_" + strings.Repeat("A", 43),
		"a token of a user": "Bearer libra_" + strings.Repeat("é", 21) + "x",
	} {
		a := w.ask("", "GET", "/v1/whoami", nil, "Authorization", header)
		if p := a.problem(t); a.status != 401 || p.Type != "/problems/unauthenticated" {
			t.Errorf("%s: got %d %+v", name, a.status, p)
		}
	}
	for _, scheme := range []string{"bearer ", "BEARER "} {
		if a := w.ask("", "GET", "/v1/whoami", nil, "Authorization", scheme+w.secret["alice"]); a.status != 200 {
			t.Errorf("%s: got %d", scheme, a.status)
		}
	}
	r := w.request("alice", "GET", "/v1/whoami", nil)
	r.Header.Add("Authorization", "Bearer "+w.secret["root"])
	res, err := w.server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 400 {
		t.Errorf("two tokens: got %d", res.StatusCode)
	}
}

// Good tokens are remembered for a moment, revoked ones not for one.
func TestTokensAreRememberedForAMoment(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.TokenCache = 5 * time.Second })
	for range 10 {
		w.ask("alice", "GET", "/v1/whoami", nil)
	}
	if n := w.keys.Times(); n != 1 {
		t.Errorf("the store was asked %d times", n)
	}
	w.ahead.Add(int64(6 * time.Second))
	w.ask("alice", "GET", "/v1/whoami", nil)
	if n := w.keys.Times(); n != 2 {
		t.Errorf("after a while, the store was asked %d times", n)
	}
	w.ask("root", "DELETE", "/v1/tokens/t-alice", nil)
	if a := w.ask("alice", "GET", "/v1/whoami", nil); a.status != 401 {
		t.Errorf("revoked: got %d", a.status)
	}
}

// A token that expires while it is remembered has expired.
func TestRememberedTokensExpire(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.TokenCache = time.Hour })
	ends := time.Now().Add(time.Minute).UnixMicro()
	w.secret["brief"] = w.keys.MakeToken(v1.Token{ID: "t-brief", User: "alice", Role: v1.RoleUser, ExpiresUS: ends})
	if a := w.ask("brief", "GET", "/v1/whoami", nil); a.status != 200 {
		t.Fatalf("got %d", a.status)
	}
	w.ahead.Add(int64(2 * time.Minute))
	if a := w.ask("brief", "GET", "/v1/whoami", nil); a.status != 401 || !strings.Contains(a.body, "expired") {
		t.Errorf("got %d %s", a.status, a.body)
	}
}

// A store that is away makes a market that is closed, not one that forgets who
// people are.
func TestAStoreThatIsAwayIsNotARefusal(t *testing.T) {
	w := newWorld(t)
	w.keys.Err = errors.New("no connection to db.internal")
	a := w.ask("alice", "GET", "/v1/whoami", nil)
	if a.status != 503 || strings.Contains(a.body, "db.internal") {
		t.Errorf("got %d %s", a.status, a.body)
	}
}

func TestTokensAreCheckedAtOnceByMany(t *testing.T) {
	w := newWorld(t, func(o *api.Options) { o.TokenCache = time.Hour })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				w.ask("alice", "GET", "/v1/whoami", nil)
				w.ask("root", "DELETE", "/v1/tokens/t-never", nil) // forgets
			}
		})
	}
	all.Wait()
	if a := w.ask("alice", "GET", "/v1/whoami", nil); a.status != 200 {
		t.Errorf("got %d", a.status)
	}
}

// racing revokes a token while it is being looked up.
type racing struct {
	*apitest.Keys

	during func()
}

func (r *racing) Token(ctx context.Context, hash []byte) (v1.Token, bool, error) {
	t, ok, err := r.Keys.Token(ctx, hash)
	if during := r.during; during != nil {
		r.during = nil
		during()
	}
	return t, ok, err
}

// What was read before a revocation must not be remembered after it.
func TestARevocationBeatsALookup(t *testing.T) {
	w := newWorld(t)
	keys := &racing{Keys: w.keys}
	h := api.New(w.market, keys, api.Options{TokenCache: time.Hour})
	ask := func(who, method, path string) int {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Authorization", "Bearer "+w.secret[who])
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec.Code
	}
	keys.during = func() {
		if got := ask("root", "DELETE", "/v1/tokens/t-alice"); got != 204 {
			t.Errorf("revoke: got %d", got)
		}
	}
	ask("alice", "GET", "/v1/whoami") // it was good when it came
	if got := ask("alice", "GET", "/v1/whoami"); got != 401 {
		t.Errorf("then: got %d", got)
	}
}
