package main

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/socket"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/config"
)

// A program that took the port while the market was away does not keep it away: who
// comes by the socket is served and told so, no link leads to the stranger, and the port
// is had when it is free.
func TestAStrangerAtThePortKeepsNobodyAway(t *testing.T) {
	for name, at := range map[string]string{"here": "127.0.0.1:0", "everywhere": ":0"} {
		t.Run(name, func(t *testing.T) {
			other, err := net.Listen("tcp", at) //nolint:noctx // of a stranger
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			_, port, _ := net.SplitHostPort(other.Addr().String())
			c := config.Default()
			c.Listen, c.Store, c.Socket = "127.0.0.1:"+port, filepath.Join(t.TempDir(), "market.db"), filepath.Join(t.TempDir(), "s", socket.Name)
			s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.close(); err != nil {
					t.Error(err)
				}
			}()
			if got := standingAt(t, s.page); !got.Ready || !strings.Contains(got.Reason, "another program has the port") || strings.HasPrefix(s.page, s.url()) {
				t.Errorf("%s: %+v", s.page, got)
			}
			by, err := s.connect("")
			if err != nil {
				t.Fatal(err)
			}
			if err = by.Healthy(t.Context()); err != nil {
				t.Errorf("by the socket: %v", err)
			}
			if err = other.Close(); err != nil {
				t.Fatal(err)
			}
			for s.port.notice() != "" {
				time.Sleep(10 * time.Millisecond)
			}
			if got := standingAt(t, s.url()); !got.Ready || got.Reason != "" {
				t.Errorf("with the port: %+v", got)
			}
		})
	}
}

// A market that runs already is no stranger.
func TestAMarketBesideItself(t *testing.T) {
	c := config.Default()
	c.Listen, c.Store = "127.0.0.1:0", filepath.Join(t.TempDir(), "market.db")
	s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	c.Listen, c.Store = s.address.String(), filepath.Join(t.TempDir(), "market.db")
	if twin, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("%v, %v", twin, err)
	}
}

func standingAt(t *testing.T, url string) (h v1.Standing) {
	t.Helper()
	r, err := http.Get(url + "/readyz") //nolint:noctx // it ends with the test
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err = json.NewDecoder(r.Body).Decode(&h); err != nil {
		t.Fatal(err)
	}
	return h
}
