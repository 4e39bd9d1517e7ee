package controller_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// TestStrictChangesNothing checks stores of the first version as its kill left
// them: every byte stays, so that the program that wrote them can go on.
func TestStrictChangesNothing(t *testing.T) {
	for _, name := range []string{"whole-log", "snapshot-tail", "postgres", "mf-hbf"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", "stores", "v1", name)
			var want expected
			if err := json.Unmarshal(have(os.ReadFile(filepath.Join(dir, "expect.json")))(t), &want); err != nil {
				t.Fatal(err)
			}
			address := unpack(t, dir)
			before := allOf(t, address)
			past := have(store.OpenPast(t.Context(), address))(t)
			last, found, err := past.Last(t.Context())
			if err != nil || !found || last.Seq != want.LogSeq || last.Version != 1 {
				t.Errorf("the last entry: %d of form %d, want %d (%v)", last.Seq, last.Version, want.LogSeq, err)
			}
			s := have(controller.CheckStrictly(t.Context(), past, "test", nil))(t)
			if s.Entries != want.LogSeq {
				t.Errorf("%d entries were checked of %d", s.Entries, want.LogSeq)
			}
			if err := controller.Readable(t.Context(), past); err != nil {
				t.Error(err)
			}
			if err := past.Close(); err != nil {
				t.Error(err)
			}
			if after := allOf(t, address); after != before {
				t.Errorf("the store was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// allOf is a store: the bytes of its files but for -shm, which says only where
// what is in the log; or the form and the columns of its tables.
func allOf(t *testing.T, address string) string {
	t.Helper()
	var all strings.Builder
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		for _, file := range []string{path, path + "-wal"} {
			sum := sha256.Sum256(have(os.ReadFile(file))(t))
			all.WriteString(filepath.Base(file) + " " + hex.EncodeToString(sum[:]) + "\n")
		}
		return all.String()
	}
	conn := have(pgx.Connect(t.Context(), address))(t)
	defer conn.Close(t.Context())
	rows := have(conn.Query(t.Context(), "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'"+
		" UNION ALL SELECT name FROM libra_migrations UNION ALL SELECT key || '=' || value FROM meta UNION ALL SELECT seq || ':' || fence FROM head ORDER BY 1"))(t)
	lines := have(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	return strings.Join(lines, "\n")
}
