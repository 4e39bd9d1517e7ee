package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"testing"
	"testing/fstest"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

func TestMigrations(t *testing.T) {
	real := builtIn(t)
	forms := len(real)
	file := func(after int, name string) string { return fmt.Sprintf("%04d_%s.sql", forms+after, name) }
	steps := func(later map[string]string) fs.FS {
		files := maps.Clone(real)
		for name, script := range later {
			files["migrations/"+name] = &fstest.MapFile{Data: []byte(script)}
		}
		return files
	}
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			address, ctx := b.New(t), t.Context()
			s, raw := storetest.Open(t, address), b.SQL(t, address)
			tables := func() (n int) { // of those the steps below make
				for _, table := range []string{"second", "third"} {
					var rows int
					if raw.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&rows) == nil {
						n++
					}
				}
				return n
			}
			version := func() (v int) {
				t.Helper()
				if err := raw.QueryRowContext(ctx, "SELECT max(version) FROM libra_migrations").Scan(&v); err != nil {
					t.Fatal(err)
				}
				return v
			}
			// Of two steps the second fails: neither is done.
			err := store.MigrateWith(ctx, s, steps(map[string]string{
				file(1, "second"): "CREATE TABLE second (a {int} NOT NULL) {plain}; INSERT INTO second (a) VALUES (1);",
				file(2, "third"):  "CREATE TABLE third (a {int} NOT NULL) {plain}; INSERT INTO nowhere (a) VALUES (1);",
			}))
			if err == nil || tables() != 0 || version() != forms {
				t.Errorf("a step that fails: %v, %d tables, version %d", err, tables(), version())
			}
			if err := s.Append(ctx, store.Batch{Entries: []store.Entry{{Seq: 1}}}); err != nil {
				t.Errorf("after it: %v", err)
			}
			good := steps(map[string]string{
				file(1, "second"): "CREATE TABLE second (a {int} NOT NULL) {plain}; INSERT INTO second (a) VALUES (1);",
				file(2, "third"):  "CREATE TABLE third (a {id}, b {text} NOT NULL, c {bytes}) {hot}; DELETE FROM second;",
			})
			for range 2 { // the second time there is nothing to do
				if err := store.MigrateWith(ctx, s, good); err != nil {
					t.Error(err)
				}
			}
			if tables() != 2 || version() != forms+2 {
				t.Errorf("%d tables, version %d", tables(), version())
			}
			if _, err := store.Open(ctx, address); !errors.Is(err, store.ErrNewer) {
				t.Errorf("a program of yesterday: %v", err)
			}
		})
	}
	for name, files := range map[string]fs.FS{
		"a gap":     steps(map[string]string{file(2, "third"): ""}),
		"no number": steps(map[string]string{"second.sql": ""}),
		"twice":     steps(map[string]string{"0001_again.sql": ""}),
	} {
		if err := store.MigrateWith(t.Context(), storetest.Open(t, backends["sqlite"].New(t)), files); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestOpenAtOnce opens one new database from several sides: one of them makes
// the tables, and none is refused because another has it locked.
func TestOpenAtOnce(t *testing.T) {
	rounds := map[string]int{"sqlite": 100} // there it takes luck to be in each other's way
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			for range max(1, rounds[name]) {
				openAtOnce(t, b.New(t), 8)
			}
		})
	}
}

func openAtOnce(t *testing.T, address string, sides int) {
	t.Helper()
	opened := make(chan error)
	for range sides {
		go func() {
			s, err := store.Open(t.Context(), address)
			if err == nil {
				err = s.Close()
			}
			opened <- err
		}()
	}
	for range sides {
		if err := <-opened; err != nil {
			t.Error(err)
		}
	}
}

// builtIn is the steps that are built in.
func builtIn(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(store.Migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		script, err := fs.ReadFile(store.Migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: script}
	}
	return files
}

// laterMigration is the same, and one more.
func laterMigration(t *testing.T) fs.FS {
	files := builtIn(t)
	files[fmt.Sprintf("migrations/%04d_later.sql", len(files)+1)] = &fstest.MapFile{Data: []byte("CREATE TABLE later (a {int} NOT NULL) {plain};")}
	return files
}
