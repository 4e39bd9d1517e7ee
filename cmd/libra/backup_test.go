package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
)

// TestBackupAndRestore backs a market up while it runs, restores it, and runs a
// market on what was restored.
func TestBackupAndRestore(t *testing.T) {
	dir := t.TempDir()
	c := config.Default()
	c.Listen, c.Store = "127.0.0.1:0", filepath.Join(dir, "market.db")
	s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab/alice", User: "alice"}, {Op: "grant", To: "lab/alice", Amount: 5_000_000}} {
		if _, _, err := s.market.Do(t.Context(), trade.Command{By: ownHand, Money: &m}, api.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	backup, copied := filepath.Join(dir, "monday.backup"), filepath.Join(dir, "new.db")
	if r := libra(t, "backup", "--store", c.Store, backup); r.code != exitOK || !strings.Contains(r.err, "4 entries") {
		t.Fatalf("backup: %+v", r)
	}
	if at, err := os.Stat(backup); err != nil || at.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", at.Mode(), err)
	}
	var said backupView
	if err := json.Unmarshal([]byte(mustLibra(t, "restore", "--json", "--store", copied, backup)), &said); err != nil {
		t.Fatal(err)
	}
	if said.LastSeq != 4 || said.File != backup || said.Store != copied {
		t.Errorf("restored %+v", said)
	}
	for what, r := range map[string]result{
		"--force replaces it": libra(t, "backup", "--store", c.Store, backup),
		"is not empty":        libra(t, "restore", "--store", copied, backup),
		"runs on this store":  libra(t, "restore", "--store", c.Store, backup),
		"not a whole backup":  libra(t, "restore", "--store", filepath.Join(dir, "other.db"), file(t, "bad", read(t, backup)[:200])),
		"no such file":        libra(t, "backup", "--store", filepath.Join(dir, "none.db"), filepath.Join(dir, "none")),
		"FILE is missing":     libra(t, "restore"),
		"stop it first":       libra(t, "restore", "--put-back", "--store", c.Store),
		"stat ":               libra(t, "restore", "--put-back", "--store", filepath.Join(dir, "none.db")),
	} {
		if r.code == exitOK || !strings.Contains(r.err, what) {
			t.Errorf("%s: %+v", what, r)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*none*")); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
	if r := libra(t, "backup", "--force", "--store", c.Store, backup); r.code != exitOK {
		t.Errorf("with --force: %+v", r)
	}
	piped := libra(t, "backup", "--store", c.Store, "-")
	if r := libraIn(t, piped.out, "restore", "--store", filepath.Join(dir, "piped.db"), "-"); r.code != exitOK || !strings.Contains(r.err, "the books are right") {
		t.Errorf("through a pipe: %+v", r)
	}

	if r := libra(t, "restore", "--put-back", "--store", copied); r.code != exitOK || !strings.Contains(r.err, "as after a restore") {
		t.Errorf("put back: %+v", r)
	}

	c.Store = copied
	again, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	v, err := again.market.VerifyLedger(t.Context())
	if err != nil || v.Problem != "" || v.Transactions == 0 {
		t.Errorf("the books of the copy: %+v, %v", v, err)
	}
}
