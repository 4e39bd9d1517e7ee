package store

import (
	"context"
	"database/sql"
	"io/fs"
)

// MigrateWith brings the tables of a store to the steps in a file system.
func MigrateWith(ctx context.Context, s Store, from fs.FS) error {
	steps, err := readMigrations(from)
	if err != nil {
		return err
	}
	return s.(*database).migrate(ctx, steps)
}

// Migrations are the steps that are built in.
var Migrations = migrationFiles

// Setting is a setting of the session that a store on PostgreSQL would use.
func Setting(ctx context.Context, s Store, name string) (value string, err error) {
	err = s.(*database).reads.QueryRowContext(ctx, "SELECT current_setting($1)", name).Scan(&value)
	return value, err
}

// Pragma is a setting of the connection that writes in a store on SQLite.
func Pragma(ctx context.Context, s Store, name string) (value string, err error) {
	err = s.(*database).engine.change(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	})
	return value, err
}
