package store

import (
	"context"
	"database/sql"
	"fmt"
)

const tokenColumns = "hash, person, role, name, created, expires, used, revoked"

// AddToken keeps a token.
func (d *database) AddToken(ctx context.Context, t Token) error {
	if err := checkKeys(t.User, t.Role, t.Name); err != nil {
		return fmt.Errorf("add token: %w", err)
	}
	if len(t.Hash) == 0 {
		return fmt.Errorf("add token: %w: it has no hash", ErrInvalid)
	}
	n, err := d.exec(ctx, "INSERT INTO tokens ("+tokenColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		t.Hash, t.User, t.Role, t.Name, t.Created, t.Expires, t.Used, number(t.Revoked))
	if err != nil {
		return fmt.Errorf("add token: %w", err)
	}
	if n == 0 {
		return fmt.Errorf("add token: %w", ErrExists)
	}
	return nil
}

// Token is the token with a hash, revoked or not.
func (d *database) Token(ctx context.Context, hash []byte) (Token, bool, error) {
	var t Token
	var revoked int64
	found, err := d.row(ctx, "SELECT "+tokenColumns+" FROM tokens WHERE hash = ?", []any{some(hash)}, t.columns(&revoked))
	if err != nil {
		return Token{}, false, fmt.Errorf("token: %w", err)
	}
	t.Revoked = revoked != 0
	return t, found, nil
}

// Tokens are those of a user, or of all.
func (d *database) Tokens(ctx context.Context, user string) ([]Token, error) {
	if err := checkTexts(user); err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	var tokens []Token
	where, args := "", []any(nil)
	if user != "" {
		where, args = " WHERE person = ?", []any{user}
	}
	err := d.each(ctx, d.reads, "SELECT "+tokenColumns+" FROM tokens"+where+" ORDER BY created, hash", args,
		func(rows *sql.Rows) error {
			var t Token
			var revoked int64
			err := rows.Scan(t.columns(&revoked)...)
			t.Revoked = revoked != 0
			tokens = append(tokens, t)
			return err
		})
	if err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	return tokens, nil
}

// UseToken remembers when a token was last used, the latest time if several
// are said out of order.
func (d *database) UseToken(ctx context.Context, hash []byte, at int64) error {
	if _, err := d.exec(ctx, "UPDATE tokens SET used = ? WHERE hash = ? AND used < ?", at, some(hash), at); err != nil {
		return fmt.Errorf("use token: %w", err)
	}
	return nil
}

// RevokeToken makes a token void.
func (d *database) RevokeToken(ctx context.Context, hash []byte) error {
	n, err := d.exec(ctx, "UPDATE tokens SET revoked = 1 WHERE hash = ?", some(hash))
	if err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	if n == 0 {
		return fmt.Errorf("revoke token: %w", ErrUnknown)
	}
	return nil
}

func (t *Token) columns(revoked *int64) []any {
	return []any{&t.Hash, &t.User, &t.Role, &t.Name, &t.Created, &t.Expires, &t.Used, revoked}
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
