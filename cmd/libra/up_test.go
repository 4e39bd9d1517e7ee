package main

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/libra-market/libra/live/config"
)

// Who starts a market may have the name of one who is made up to play with.
func TestUpIsForEverybody(t *testing.T) {
	for _, who := range []string{"alice", "bob", "carol"} {
		t.Run(who, func(t *testing.T) {
			c := config.Default()
			c.Listen, c.Store = "127.0.0.1:0", filepath.Join(t.TempDir(), "market.db")
			s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.close(); err != nil {
					t.Error(err)
				}
			}()
			for range 2 { // it is started again, too
				if account, err := s.furnish(t.Context(), who); err != nil || account != "demo/"+who {
					t.Fatalf("%s: account %q, %v", who, account, err)
				}
			}
		})
	}
}
