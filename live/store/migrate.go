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

// By hand: the steps only go forward, all missing ones in one transaction with the
// check of what is there; a library does each by itself, and brings ways back that
// nobody tests.
//
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

// settleForm sees to it that the tables have a form that this program can use.
func (d *database) settleForm(ctx context.Context, how manner) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	if how == asItIs {
		return d.explain(d.view(ctx, func(tx *sql.Tx) error { return d.readForm(ctx, tx, int64(len(steps))) }))
	}
	d.form = int64(len(steps))
	if err = d.migrate(ctx, steps); err != nil {
		return err
	}
	return d.sound(ctx)
}

// readForm refuses what is no store, or a newer one.
func (d *database) readForm(ctx context.Context, tx *sql.Tx, latest int64) error {
	var ours, form int64
	if err := tx.QueryRowContext(ctx, d.present).Scan(&ours); err != nil {
		return err
	}
	if ours == 0 {
		return fmt.Errorf("%w: no market was ever opened in it", ErrForeign)
	}
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM libra_migrations").Scan(&form); err != nil {
		return err
	}
	if form > latest {
		return d.newer(ctx, tx, form, latest)
	}
	d.form = form
	return nil
}

// migrate brings the tables to the latest version, all missing steps in one
// transaction: first it reads which version they have and refuses what it does
// not know, and only then it changes anything.
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
		return d.newer(ctx, tx, version, latest)
	}
	if version > 0 && version < int64(len(steps)) {
		if err := d.engine.led(ctx, tx, version); err != nil {
			return fmt.Errorf("the tables cannot be brought from form %d to %d: %w: stop it first", version, len(steps), err)
		}
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
	return d.signIn(ctx, tx, version < int64(len(steps)))
}
