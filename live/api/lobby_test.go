package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
)

// TestTheLobby tells alive from ready from leading, and everybody why.
func TestTheLobby(t *testing.T) {
	for _, c := range []struct {
		stand  v1.Standing
		path   string
		status int
	}{
		{v1.Standing{Alive: true, Ready: true, Status: "standby", Reason: "another controller leads"}, "/livez", http.StatusOK},
		{v1.Standing{Alive: true, Ready: true, Status: "standby", Reason: "another controller leads"}, "/readyz", http.StatusOK},
		{v1.Standing{Alive: true, Ready: true, Status: "standby", Reason: "another controller leads"}, "/healthz", http.StatusServiceUnavailable},
		{v1.Standing{Alive: true, Status: "away", Reason: "<it> is gone"}, "/livez", http.StatusOK},
		{v1.Standing{Alive: true, Status: "away", Reason: "<it> is gone"}, "/readyz", http.StatusServiceUnavailable},
		{v1.Standing{Alive: true, Status: "away", Reason: "<it> is gone"}, "/v1/jobs", http.StatusServiceUnavailable},
	} {
		lobby := api.Lobby(func() v1.Standing { return c.stand })
		w := httptest.NewRecorder()
		lobby.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.path, http.NoBody))
		if w.Code != c.status {
			t.Errorf("%s, %s: %d", c.stand.Status, c.path, w.Code)
		}
		if c.status == http.StatusOK {
			var got v1.Standing
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got != c.stand {
				t.Errorf("%s: %s (%v)", c.path, w.Body, err)
			}
			continue
		}
		var p v1.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || !strings.HasSuffix(p.Detail, c.stand.Reason) || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %s (%v)", c.path, w.Body, err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.Header.Set("Accept", "text/html")
		page := httptest.NewRecorder()
		lobby.ServeHTTP(page, r)
		if page.Code != http.StatusServiceUnavailable || strings.Contains(page.Body.String(), "<it>") {
			t.Errorf("the page: %d %s", page.Code, page.Body)
		}
	}
}
