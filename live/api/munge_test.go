package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

// Who signs a challenge is let in as who munge says they are: once for a challenge, soon, as
// a user and never one of the system's own, and for as long as it is used.
func TestWhoComesByMunge(t *testing.T) {
	ordinary, name := ordinaryUser()
	if name == "" {
		t.Skip("this host has no ordinary user")
	}
	now := time.Unix(1_800_000_000, 0)
	uid, looked := ordinary, 0
	check := func(_ context.Context, challenge, credential string) (int, error) {
		looked++
		if credential != "signed "+challenge {
			return 0, errors.New("made for something else")
		}
		return uid, nil
	}
	options := api.Options{Munge: check, Now: func() time.Time { return now }}
	h := api.New(apitest.New(name), &apitest.Keys{}, options)
	ask := func(h http.Handler, method, path, authorization string, body any) (int, string) {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(string(text)))
		if body == nil {
			r = httptest.NewRequestWithContext(t.Context(), method, path, nil)
		} else {
			r.Header.Set("Content-Type", "application/json")
		}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	challenge := func() string {
		t.Helper()
		var c v1.Challenge
		if code, said := ask(h, http.MethodPost, "/v1/munge/challenges", "", nil); code != http.StatusCreated || json.Unmarshal([]byte(said), &c) != nil || len(c.Challenge) < 20 {
			t.Fatalf("%d %s", code, said)
		}
		return c.Challenge
	}
	login := func(challenge, credential string) (int, string) {
		t.Helper()
		return ask(h, http.MethodPost, "/v1/munge/sessions", "", v1.MungeLogin{Challenge: challenge, Credential: credential})
	}
	enter := func() string {
		t.Helper()
		c := challenge()
		var s v1.MungeSession
		if code, said := login(c, "signed "+c); code != http.StatusCreated || json.Unmarshal([]byte(said), &s) != nil || s.User != name {
			t.Fatalf("%d %s", code, said)
		}
		if code, said := login(c, "signed "+c); code != http.StatusUnauthorized {
			t.Errorf("a challenge that was used: %d %s", code, said)
		}
		return "Munge " + s.Session
	}
	who := func(session string) (int, string) { return ask(h, http.MethodGet, "/v1/whoami", session, nil) }

	session := enter()
	if code, said := who(session); code != http.StatusOK || !strings.Contains(said, `"user":"`+name+`","role":"user"`) {
		t.Errorf("%d %s", code, said)
	}
	for _, other := range []string{"Bearer " + strings.TrimPrefix(session, "Munge "), "Munge ", "Munge libra_x", session + "x"} {
		if code, said := who(other); code != http.StatusUnauthorized {
			t.Errorf("%q: %d %s", other, code, said)
		}
	}
	if code, said := ask(h, http.MethodGet, "/metrics", session, nil); code != http.StatusForbidden {
		t.Errorf("the owner's: %d %s", code, said)
	}
	looked = 0
	if code, said := login("nonsense", "signed nonsense"); code != http.StatusUnauthorized || looked > 0 {
		t.Errorf("a challenge that is none: %d %s", code, said)
	}
	late := challenge()
	if code, said := who(session); code != http.StatusOK {
		t.Errorf("%d %s", code, said)
	}
	now = now.Add(61 * time.Second)
	if code, said := login(late, "signed "+late); code != http.StatusUnauthorized || looked > 0 {
		t.Errorf("a challenge that is over: %d %s", code, said)
	}
	if c := challenge(); true {
		if code, said := login(c, "signed "+late); code != http.StatusUnauthorized {
			t.Errorf("the credential of another: %d %s", code, said)
		}
		if code, said := login(c, "signed "+c); code != http.StatusUnauthorized {
			t.Errorf("after a wrong one: %d %s", code, said)
		}
	}
	for _, system := range []int{0, 1, 65534, -1} {
		uid = system
		c := challenge()
		if code, said := login(c, "signed "+c); code != http.StatusUnauthorized || !strings.Contains(said, "the system's own") {
			t.Errorf("user %d: %d %s", system, code, said)
		}
	}
	uid = ordinary
	if code, said := who(session); code != http.StatusOK {
		t.Errorf("%d %s", code, said)
	}
	for range 100 { // it is used, and ends all the same
		if now = now.Add(9 * time.Minute); now.After(time.Unix(1_800_000_000, 0).Add(12 * time.Hour)) {
			break
		}
		if code, said := who(session); code != http.StatusOK {
			t.Fatalf("while it is used: %d %s", code, said)
		}
	}
	if code, _ := who(session); code != http.StatusUnauthorized {
		t.Errorf("after twelve hours: %d", code)
	}
	session = enter()
	now = now.Add(11 * time.Minute)
	if code, _ := who(session); code != http.StatusUnauthorized {
		t.Errorf("after a rest: %d", code)
	}
	options.Munge = nil
	off := api.New(apitest.New(name), &apitest.Keys{}, options)
	for _, path := range []string{"/v1/munge/challenges", "/v1/munge/sessions"} {
		if code, said := ask(off, http.MethodPost, path, "", nil); code != http.StatusUnauthorized || !strings.Contains(said, "login.munge") {
			t.Errorf("%s, where the site does not want it: %d %s", path, code, said)
		}
	}
}

// From one place so many want to be let in and no more: challenges cost nothing to ask for.
func TestChallengesAreThrottled(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	check := func(context.Context, string, string) (int, error) { return 0, errors.New("nobody") }
	h := api.New(apitest.New("ann"), &apitest.Keys{}, api.Options{Munge: check, Now: func() time.Time { return now }})
	ask := func(from string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/munge/challenges", nil)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	got := 0
	for got < 1000 && ask("192.0.2.1:1234") == http.StatusCreated {
		got++
	}
	if got != 100 {
		t.Errorf("%d were given at once", got)
	}
	if code := ask("192.0.2.1:4321"); code != http.StatusTooManyRequests {
		t.Errorf("one more: %d", code)
	}
	if code := ask("192.0.2.2:1234"); code != http.StatusCreated {
		t.Errorf("from another place: %d", code)
	}
	now = now.Add(time.Second)
	if code := ask("192.0.2.1:1234"); code != http.StatusCreated {
		t.Errorf("a second later: %d", code)
	}
}
