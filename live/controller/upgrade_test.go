package controller_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// TestUnreadableStoreIsLeftAlone: a store of an earlier version that this one
// cannot read is refused before its tables are changed, so that the earlier
// version still can.
func TestUnreadableStoreIsLeftAlone(t *testing.T) {
	address := unpack(t, filepath.Join("testdata", "stores", "v1", "whole-log"))
	if err := store.BeforeUpgrade(t.Context(), address, controller.Readable); err != nil {
		t.Errorf("a store that can be read: %v", err)
	}
	raw := have(sql.Open("sqlite", strings.TrimPrefix(address, "sqlite:")))(t)
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), "UPDATE log SET body = x'7b' WHERE seq = 100"); err != nil {
		t.Fatal(err)
	}
	err := store.BeforeUpgrade(t.Context(), address, controller.Readable)
	if err == nil || !strings.Contains(err.Error(), "at entry 100") || !strings.Contains(err.Error(), "was not changed") {
		t.Errorf("a store that cannot be read: %v", err)
	}
	var form int
	if err := raw.QueryRowContext(t.Context(), "SELECT max(version) FROM libra_migrations").Scan(&form); err != nil || form != 2 {
		t.Errorf("its form is %d: %v", form, err)
	}
	if err := store.BeforeUpgrade(t.Context(), newFile(t), controller.Readable); err != nil {
		t.Errorf("a store that is not there: %v", err)
	}
}
