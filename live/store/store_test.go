package store_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/libra-market/libra/live/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var backends = map[string]storetest.Backend{
	"sqlite": {
		New: func(tb testing.TB) string { return "sqlite:" + filepath.Join(tb.TempDir(), "libra.db") },
		SQL: func(tb testing.TB, address string) *sql.DB {
			return rawSQL(tb, "sqlite", strings.TrimPrefix(address, "sqlite:")+"?_pragma=busy_timeout(5000)")
		},
	},
	"postgres": {
		New: storetest.Postgres,
		SQL: func(tb testing.TB, address string) *sql.DB { return rawSQL(tb, "pgx", address) },
	},
}

func rawSQL(tb testing.TB, driver, name string) *sql.DB {
	tb.Helper()
	db, err := sql.Open(driver, name)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

func TestSQLite(t *testing.T) { storetest.Run(t, backends["sqlite"]) }

func TestMemory(t *testing.T) { storetest.Run(t, storetest.Backend{New: storetest.Memory}) }

func TestPostgres(t *testing.T) { storetest.Run(t, backends["postgres"]) }
