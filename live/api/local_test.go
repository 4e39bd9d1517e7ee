package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

// The kernel says who comes by the socket. None of the system's own is anybody by that,
// nobody is the owner or a node by that, and a token that is shown counts for what it is.
func TestWhoComesByTheSocket(t *testing.T) {
	ordinary, name := ordinaryUser()
	ask := func(users bool, uid int, path, token string) (int, string) {
		m, keys := apitest.New("alice", "bob", "root"), &apitest.Keys{}
		h := api.BySocket(api.New(m, keys, api.Options{LocalUsers: users}), uid)
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+keys.Make(token, v1.RoleUser))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for _, uid := range []int{-1, 0, 1, 65534, 1<<32 - 2} {
		if code, said := ask(true, uid, "/v1/whoami", ""); code != http.StatusUnauthorized || !strings.Contains(said, "the system's own") {
			t.Errorf("user %d: %d %s", uid, code, said)
		}
	}
	if code, said := ask(true, 1_987_654_321, "/v1/whoami", ""); code != http.StatusUnauthorized || !strings.Contains(said, "does not say") {
		t.Errorf("a user that nobody knows: %d %s", code, said)
	}
	if code, said := ask(true, 0, "/v1/whoami", "alice"); code != http.StatusOK || !strings.Contains(said, `"user":"alice"`) {
		t.Errorf("root with a token of alice's: %d %s", code, said)
	}
	if name == "" {
		t.Log("this host has no ordinary user")
		return
	}
	if code, said := ask(true, ordinary, "/v1/whoami", ""); code != http.StatusOK || !strings.Contains(said, `"user":"`+name+`","role":"user"`) {
		t.Errorf("%s: %d %s", name, code, said)
	}
	if code, said := ask(false, ordinary, "/v1/whoami", ""); code != http.StatusUnauthorized {
		t.Errorf("%s, where the site does not want it: %d %s", name, code, said)
	}
	if code, said := ask(true, ordinary, "/metrics", ""); code != http.StatusForbidden {
		t.Errorf("%s is not the owner: %d %s", name, code, said)
	}
	if code, said := ask(true, ordinary, "/v1/whoami", "bob"); code != http.StatusOK || !strings.Contains(said, `"user":"bob"`) {
		t.Errorf("%s with a token of bob's: %d %s", name, code, said)
	}
}

// Who comes by the socket is a user of the host now: what they make with that does not last
// for ten years, by which they may be none.
func TestATokenByTheSocket(t *testing.T) {
	ordinary, name := ordinaryUser()
	if name == "" {
		t.Skip("this host has no ordinary user")
	}
	keys, now := &apitest.Keys{}, time.Unix(1_800_000_000, 0)
	h := api.BySocket(api.New(apitest.New("alice"), keys, api.Options{LocalUsers: true, Now: func() time.Time { return now }}), ordinary)
	const day = 24 * time.Hour
	for life, want := range map[time.Duration]time.Duration{time.Hour: time.Hour, 0: 90 * day, 3650 * day: 90 * day} {
		r := httptest.NewRequest(http.MethodPost, "/v1/tokens", strings.NewReader(fmt.Sprintf(`{"ttl_ms": %d}`, life.Milliseconds())))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var got v1.NewToken
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusCreated || got.User != name {
			t.Fatalf("%d %s %v", w.Code, w.Body, err)
		}
		if lasts := time.UnixMicro(got.ExpiresUS).Sub(now); lasts != want {
			t.Errorf("one for %s lasts %s, want %s", life, lasts, want)
		}
	}
}

// ordinaryUser is one of this host who is none of the system's own.
func ordinaryUser() (uid int, name string) {
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return 0, ""
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(line, ":"); len(f) > 2 {
			if n, err := strconv.Atoi(f[2]); err == nil && n >= 1000 && n < 60000 {
				return n, f[0]
			}
		}
	}
	return 0, ""
}
