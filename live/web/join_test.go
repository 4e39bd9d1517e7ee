package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/web"
)

// One address: what programs ask goes to the API, all else to the pages.
func TestJoin(t *testing.T) {
	m, k := apitest.New("alice"), &apitest.Keys{}
	door := api.New(m, k, api.Options{})
	h := web.New(m, k, web.Options{})
	server := httptest.NewServer(web.Join(door, h))
	defer server.Close()
	defer h.Close()
	defer door.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for path, want := range map[string]struct {
		status int
		kind   string
	}{
		"/v1/whoami":          {http.StatusUnauthorized, "application/problem+json"},
		"/v1":                 {http.StatusNotFound, "application/problem+json"},
		"/healthz":            {http.StatusOK, "application/json"},
		"/openapi.json":       {http.StatusOK, "application/json"},
		"/metrics":            {http.StatusUnauthorized, "application/problem+json"},
		"/problems/not-found": {http.StatusOK, "text/plain"},
		"/":                   {http.StatusSeeOther, ""},
		"/jobs":               {http.StatusSeeOther, ""},
		"/login":              {http.StatusOK, "text/html"},
		"/v1x":                {http.StatusNotFound, "text/html"},
		"/nowhere":            {http.StatusNotFound, "text/html"},
	} {
		res, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want.status || !strings.HasPrefix(res.Header.Get("Content-Type"), want.kind) {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Header.Get("Content-Type"))
		}
	}
}
