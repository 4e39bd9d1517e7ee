package store

import (
	"context"
	"fmt"
)

// Meta is a small setting kept beside the log.
func (d *database) Meta(ctx context.Context, key string) (string, bool, error) {
	if err := checkTexts(key); err != nil {
		return "", false, fmt.Errorf("meta: %w", err)
	}
	var value string
	found, err := d.row(ctx, "SELECT value FROM meta WHERE key = ?", []any{key}, []any{&value})
	if err != nil {
		return "", false, fmt.Errorf("meta %s: %w", key, err)
	}
	return value, found, nil
}

// SetMeta sets it.
func (d *database) SetMeta(ctx context.Context, key, value string) error {
	if err := checkKeys(key); err != nil {
		return fmt.Errorf("set meta: %w", err)
	}
	if err := checkTexts(value); err != nil {
		return fmt.Errorf("set meta %s: %w", key, err)
	}
	_, err := d.exec(ctx, "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
		key, value)
	if err != nil {
		return fmt.Errorf("set meta %s: %w", key, err)
	}
	return nil
}
