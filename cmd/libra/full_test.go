package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/store"
)

// A market that was there waits for room. Who begins one is told to make some.
func TestAStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"there.db": "x", "begun.db": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := fmt.Errorf("open store: %w: database or disk is full (13)", store.ErrFull)
	for address, want := range map[string]bool{
		filepath.Join(dir, "there.db"):             true,
		"sqlite:" + filepath.Join(dir, "there.db"): true,
		filepath.Join(dir, "begun.db"):             false,
		filepath.Join(dir, "none.db"):              false,
		"postgres://db/libra":                      true,
	} {
		said, advice := full(err, address), "start it again"
		if want {
			advice = "the market goes on"
		}
		if passing(said, address, false) != want || !strings.Contains(said.Error(), advice) {
			t.Errorf("%s: waits for room: %v, want %v; %v", address, !want, want, said)
		}
		if other := fmt.Errorf("open store: %w", store.ErrDamaged); full(other, address) != other || passing(other, address, false) { //nolint:errorlint // the very same
			t.Errorf("%s: waits for what does not pass", address)
		}
	}
}
