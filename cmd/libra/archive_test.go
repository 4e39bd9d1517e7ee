package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
)

// TestArchive archives the log of a market while it runs and while it does not, and
// looks at what is left with every command that reads it.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	c := config.Default()
	c.Listen, c.Store = "127.0.0.1:0", filepath.Join(dir, "market.db")
	start := func() *service {
		s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.close() })
		return s
	}
	grants := func(s *service, n int) {
		for range n {
			m := &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: 5_000_000}
			if _, _, err := s.market.Do(t.Context(), trade.Command{By: ownHand, Money: m}, api.Key{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := start()
	if _, _, err := s.market.Do(t.Context(), trade.Command{By: ownHand, Money: &trade.MoneyCommand{Op: "open", To: "lab/alice", User: "alice"}}, api.Key{}); err != nil {
		t.Fatal(err)
	}
	alice := trade.Identity{User: "alice", Role: trade.RoleUser}
	ask := trade.Request{Name: `{"archived":1}`, Argv: []string{"true"}, EstimateMS: 1000}
	if _, _, err := s.market.Do(t.Context(), trade.Command{By: alice, Submit: &trade.Submit{Request: ask}}, api.Key{}); err != nil {
		t.Fatal(err)
	}
	for range 3 { // a snapshot each
		grants(s, 5)
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		s = start()
	}

	// 1. A market that runs does it itself.
	if r := libra(t, "archive", "--store", c.Store, "--keep", "0s"); r.code == exitOK || !strings.Contains(r.err, "it does it itself") {
		t.Errorf("beside a market: %+v", r)
	}
	token, err := s.makeToken(t.Context(), "root", v1.RoleOwner, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIBRA_TOKEN", token)
	at := []string{"--server", s.url()}
	if r := libra(t, append([]string{"archive"}, at...)...); r.code != exitOK || !strings.Contains(r.err, "nothing is old enough") {
		t.Errorf("90 days: %+v", r)
	}
	var moved archived
	if err := json.Unmarshal([]byte(mustLibra(t, append([]string{"archive", "--keep", "0s", "--json"}, at...)...)), &moved); err != nil {
		t.Fatal(err)
	}
	if len(moved.Files) != 1 || moved.Files[0].First != 1 || moved.Removed != moved.Files[0].Last {
		t.Fatalf("%+v", moved)
	}
	if out := mustLibra(t, append([]string{"archive", "list"}, at...)...); !strings.Contains(out, moved.Files[0].File) {
		t.Error(out)
	}
	if out := mustLibra(t, append([]string{"ledger", "verify"}, at...)...); !strings.Contains(out, "all is right") || strings.Contains(out, "not read") {
		t.Error(out)
	}

	// What is in a file is its user's as before.
	for user, want := range map[string]int{"alice": exitOK, "bob": exitFailure} {
		token, err := s.makeToken(t.Context(), user, v1.RoleUser, "test")
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("LIBRA_TOKEN", token)
		if r := libra(t, append([]string{"job", "1"}, at...)...); r.code != want || want == exitOK && !strings.Contains(r.out, ask.Name) {
			t.Errorf("the job of alice, asked for by %s: %+v", user, r)
		}
		for _, path := range []string{"archive", "archive list", "ledger verify"} {
			if r := libra(t, append(strings.Fields(path), at...)...); r.code == exitOK || !strings.Contains(r.err, "owner") {
				t.Errorf("%s by %s: %+v", path, user, r)
			}
		}
	}
	t.Setenv("LIBRA_TOKEN", token)

	// 2. Without a market the store is worked on.
	grants(s, 5)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s = start()
	grants(s, 5)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if r := libra(t, "archive", "--store", c.Store, "--keep", "0s", "--shrink"); r.code != exitOK || !strings.Contains(r.err, "moved into 1 file") {
		t.Errorf("%+v", r)
	}

	// 3. Who reads the whole log finds the files, or says which are missing.
	last := moved.Files[0].Last
	if out := mustLibra(t, "replay", "live", "--strict", "--store", c.Store); !strings.Contains(out, "decided alike") {
		t.Error(out)
	}
	elsewhere := t.TempDir()
	if r := libra(t, "replay", "live", "--strict", "--store", c.Store, "--archive", elsewhere); r.code == exitOK || !strings.Contains(r.err, moved.Files[0].File) {
		t.Errorf("%+v", r)
	}
	if out := mustLibra(t, "ledger", "verify", "--store", c.Store); !strings.Contains(out, "all is right\n") {
		t.Error(out)
	}
	if out := mustLibra(t, "ledger", "verify", "--store", c.Store, "--archive", elsewhere); !strings.Contains(out, "they were not read") {
		t.Error(out)
	}
	if r := libra(t, "backup", "--store", c.Store, filepath.Join(dir, "monday.backup")); r.code != exitOK || !strings.Contains(r.err, "2 archive files") {
		t.Errorf("%+v", r)
	}
	var all v1.Archives
	if err := json.Unmarshal([]byte(mustLibra(t, "archive", "list", "--json", "--store", c.Store)), &all); err != nil || len(all.Files) != 2 || all.Files[0].Last != last || all.Files[0].Missing {
		t.Errorf("%+v, %v", all, err)
	}
	for what, args := range map[string][]string{
		"not a period":     {"archive", "--store", c.Store, "--keep", "long"},
		"no such file":     {"archive", "--store", filepath.Join(dir, "none.db")},
		"--archive DIR":    {"archive", "--store", "postgres://nobody@127.0.0.1:1/none"},
		"go with --store":  {"archive", "--shrink"},
		"goes with --stri": {"replay", "live", "--archive", elsewhere, "--policy", "libra"},
	} {
		if r := libra(t, args...); r.code == exitOK || !strings.Contains(r.err, what) {
			t.Errorf("%s: %s", fmt.Sprint(args), r.err)
		}
	}
}
