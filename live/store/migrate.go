package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step from a version of the tables to the next.
type migration struct {
	version int64
	name    string
	script  string
}

// migrations are all steps this program knows, in order.
func migrations() ([]migration, error) {
	return readMigrations(migrationFiles)
}

// readMigrations reads steps named like 0001_first.sql, numbered without gaps.
func readMigrations(from fs.FS) ([]migration, error) {
	files, err := fs.Glob(from, "migrations/*.sql") // in the order of their names
	if err != nil {
		return nil, err
	}
	steps := make([]migration, len(files))
	for i, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "migrations/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || version != int64(i+1) {
			return nil, fmt.Errorf("migration %s is not number %d", file, i+1)
		}
		script, err := fs.ReadFile(from, file)
		if err != nil {
			return nil, err
		}
		steps[i] = migration{version, name, string(script)}
	}
	return steps, nil
}

// migrate brings the tables to the latest version, all missing steps in one
// transaction.
func (d *database) migrate(ctx context.Context, steps []migration) error {
	err := d.engine.change(ctx, func(tx *sql.Tx) error { return d.migrateIn(ctx, tx, steps) })
	return d.explain(err)
}

func (d *database) migrateIn(ctx context.Context, tx *sql.Tx, steps []migration) error {
	if d.lock != "" {
		if _, err := tx.ExecContext(ctx, d.lock); err != nil {
			return err
		}
	}
	var ours, others, version int64
	if err := tx.QueryRowContext(ctx, d.present).Scan(&ours); err != nil {
		return err
	}
	if ours == 0 {
		if err := tx.QueryRowContext(ctx, d.foreign).Scan(&others); err != nil {
			return err
		}
		if others > 0 {
			return fmt.Errorf("%w: it has %d tables, none of them says which version they are", ErrForeign, others)
		}
		if _, err := tx.ExecContext(ctx, d.words.Replace(
			"CREATE TABLE libra_migrations (version {id}, name {text} NOT NULL) {plain}")); err != nil {
			return err
		}
	}
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM libra_migrations").Scan(&version); err != nil {
		return err
	}
	if latest := int64(len(steps)); version > latest {
		return fmt.Errorf("%w: its tables have version %d, this program knows up to %d", ErrNewer, version, latest)
	}
	for _, step := range steps[version:] {
		if _, err := tx.ExecContext(ctx, d.words.Replace(step.script)); err != nil {
			return fmt.Errorf("migration %s: %w", step.name, err)
		}
		if _, err := tx.ExecContext(ctx, d.q("INSERT INTO libra_migrations (version, name) VALUES (?, ?)"),
			step.version, step.name); err != nil {
			return fmt.Errorf("migration %s: %w", step.name, err)
		}
	}
	return nil
}
