package store

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// Open opens the store at an address and brings its tables up to date:
// "sqlite:/path/file.db" or a bare path for SQLite, which makes the file if
// there is none, or "postgres://user@host/database" for PostgreSQL, in a
// database that exists. PostgreSQL must be reached directly or through a pooler
// that keeps sessions: the lead is a lock of a session.
func Open(ctx context.Context, address string) (Store, error) {
	d, err := open(ctx, address, upToDate)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// OpenPast opens the store at an address to read its past. Nothing in it is changed,
// not even to the form of this program: it is for tools that check. A store that is
// not there is not made.
func OpenPast(ctx context.Context, address string) (PastCloser, error) {
	d, err := open(ctx, address, asItIs)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// manner is how a store is opened.
type manner int

const (
	upToDate manner = iota // made if there is none, and brought to the form of this program
	asItIs                 // only if there is one, and nothing in it is changed
	toFill                 // made like the first, whatever was there before: somebody restores a backup
)

func open(ctx context.Context, address string, how manner) (*database, error) {
	scheme, rest, hasScheme := strings.Cut(address, ":")
	var d *database
	var err error
	switch {
	case address == "":
		return nil, fmt.Errorf("open store: %w: it is empty", ErrAddress)
	case hasScheme && (scheme == "postgres" || scheme == "postgresql"):
		d, err = openPostgres(ctx, address, how)
	case hasScheme && scheme == "sqlite":
		d, err = openSQLite(ctx, strings.TrimPrefix(rest, "//"), how)
	case hasScheme && strings.HasPrefix(rest, "//"):
		return nil, fmt.Errorf("open store: %w: %q is neither sqlite nor postgres", ErrAddress, scheme)
	default:
		d, err = openSQLite(ctx, address, how)
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", Redact(address), err)
	}
	return d, nil
}

// Redact is an address without its password, to be shown and logged.
func Redact(address string) string {
	if !strings.HasPrefix(address, "postgres:") && !strings.HasPrefix(address, "postgresql:") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://..." // the password may be anywhere in it
	}
	if values := u.Query(); values.Has("password") {
		values.Set("password", "xxxxx")
		u.RawQuery = values.Encode()
	}
	return u.Redacted()
}
