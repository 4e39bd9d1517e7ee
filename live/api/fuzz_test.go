package api_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

// FuzzSubmission sends anything for a job: the answer is a job or a problem, and
// never a mistake of the server.
func FuzzSubmission(f *testing.F) {
	for _, seed := range []string{
		`{"request":{"argv":["x"],"estimate_ms":1}}`, `{"quote":"q1"}`, `{"request":{"array":{"first":0,"last":9}}}`,
		`{"request":{"estimate_ms":1e99}}`, `{"request":null}`, `{"a":1}{"b":2}`, "\xff", `[]`, `{"request":{"budget_micros":-1}}`,
	} {
		f.Add([]byte(seed), "key")
	}
	keys := &apitest.Keys{}
	secret := keys.Make("alice", v1.RoleUser)
	h := api.New(apitest.New("alice"), keys, api.Options{})
	f.Fuzz(func(t *testing.T, body []byte, key string) {
		r := httptest.NewRequest(http.MethodPost, "/v1/jobs", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Idempotency-Key", key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case 201, 400, 404, 413, 422:
		case 500:
			if !bytes.Contains(body, []byte(apitest.PanicName)) {
				t.Errorf("got %s", w.Body)
			}
		default:
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}

// FuzzPath asks for anything as a user: nothing of anybody else's comes back,
// and never a mistake of the server.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{
		"/v1/jobs/1", "/v1/jobs/2", "/v1/jobs/2/logs?offset=-5", "/v1/accounts/people/bob", "/v1/accounts?prefix=people",
		"/v1/statements?month=2026-11&account=people/bob", "/v1/quotes/../jobs/2", "/v1/tokens?user=bob", "/v1/jobs?owner=bob",
		"//v1/jobs", "/v1/nodes/n1/desired", "/v1/log?after=0",
	} {
		f.Add(seed)
	}
	keys := &apitest.Keys{}
	secret := keys.Make("alice", v1.RoleUser)
	keys.Make("bob", v1.RoleUser)
	m := apitest.New("alice", "bob")
	m.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Completed})
	m.Put(v1.Job{ID: 2, Owner: "bob", Name: "of-bob", State: v1.Completed})
	h := api.New(m, keys, api.Options{})
	h.Close() // so that streams end
	f.Fuzz(func(t *testing.T, where string) {
		u, err := url.ParseRequestURI(where)
		if err != nil {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = u
		r.Header.Set("Authorization", "Bearer "+secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code < 400 && bytes.Contains(w.Body.Bytes(), []byte("bob")) {
			t.Errorf("%q: got %d %s", where, w.Code, w.Body)
		}
	})
}
