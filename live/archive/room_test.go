package archive_test

import (
	"database/sql"
	"math"
	"path/filepath"
	"testing"

	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/store"
)

// What was archived gives its room back to the jobs that come after it, though nobody
// shrinks the file: rows that have become small do not go on filling a page each.
func TestWhatIsArchivedGivesItsRoomBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "libra.db")
	s := lead(t, "sqlite:"+file)
	fill(t, s, 1, 4000)
	m := &archive.Mover{Store: s, Dir: t.TempDir()}
	for r := move(t, m, math.MaxInt64); r.More; {
		r = move(t, m, math.MaxInt64)
	}
	archived := pagesInUse(t, file)
	if err := store.Shrink(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if least := pagesInUse(t, file); archived > least*3/2 {
		t.Errorf("%d pages are in use, and %d would do", archived, least)
	}
}

func pagesInUse(tb testing.TB, file string) (n int) {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	var all, free int
	for _, one := range []struct {
		pragma string
		to     *int
	}{{"PRAGMA page_count", &all}, {"PRAGMA freelist_count", &free}} {
		if err := db.QueryRowContext(tb.Context(), one.pragma).Scan(one.to); err != nil {
			tb.Fatal(err)
		}
	}
	return all - free
}
