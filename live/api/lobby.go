package api

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/libra-market/libra/client/v1"
)

// Lobby answers in the place of a market that is not open here: it waits for its
// turn to lead, or for its database. Whoever comes is told why (503), and programs
// that watch over it, whether it is alive (/livez), ready (/readyz) or leads
// (/healthz).
func Lobby(stand func() v1.Standing) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := stand()
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		switch {
		case r.URL.Path == "/livez", r.URL.Path == "/readyz" && h.Ready:
			header.Set("Content-Type", jsonType[0])
			w.WriteHeader(http.StatusOK)
			_ = json.NewEncoder(w).Encode(&h) // who has hung up does not want it
			return
		}
		header.Set("Retry-After", retryAfter[0])
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			header.Set("Content-Type", "text/html; charset=utf-8")
			header.Set("Refresh", "2")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "<!doctype html><title>Libra</title><p>The market is not open here: "+html.EscapeString(h.Reason)+".</p>\n") // see above
			return
		}
		p := kindUnavailable.problem("the market is not open here: " + h.Reason)
		p.Instance = r.URL.Path
		header.Set("Content-Type", problemType[0])
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(&p) // see above
	})
}

// IsHealth reports whether a path is one of those that watch over a market.
func IsHealth(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/healthz"
}
