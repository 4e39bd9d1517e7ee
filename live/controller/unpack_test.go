package controller_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/libra-market/libra/live/store/storetest"
)

// unpack makes a copy of a store that was put away, and returns its address.
func unpack(t *testing.T, dir string) string {
	t.Helper()
	if sql, err := os.Open(filepath.Join(dir, "store.sql.gz")); err == nil {
		defer sql.Close()
		return unpackSQL(t, sql)
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	packed := have(os.Open(filepath.Join(dir, "store.tar.gz")))(t)
	defer packed.Close()
	to := t.TempDir()
	files := tar.NewReader(have(gzip.NewReader(packed))(t))
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return "sqlite:" + filepath.Join(to, "libra.db")
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(h.Name)), have(io.ReadAll(files))(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// unpackSQL sends what pg_dump wrote to a database of its own.
func unpackSQL(t *testing.T, packed io.Reader) string {
	t.Helper()
	address := storetest.Postgres(t)
	statements := have(io.ReadAll(have(gzip.NewReader(packed))(t)))(t)
	conn := have(pgx.Connect(t.Context(), address))(t)
	defer conn.Close(t.Context())
	if _, err := conn.PgConn().Exec(t.Context(), string(statements)).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return address
}
