package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// What an address may say otherwise.
const (
	postgresConnections = 8                // the size of the pool
	postgresConnect     = 10 * time.Second // how long a server may take to answer
)

// postgres is a database of a PostgreSQL server.
type postgres struct {
	pool  *pgxpool.Pool
	reads *sql.DB // over the pool
}

func openPostgres(ctx context.Context, address string, how manner) (*database, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	if u, bad := url.Parse(address); bad != nil || !u.Query().Has("pool_max_conns") {
		config.MaxConns = postgresConnections
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = postgresConnect
	}
	if params := config.ConnConfig.RuntimeParams; params["application_name"] == "" {
		params["application_name"] = "libra"
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, refused := conn.Exec(ctx, postgresSession)
		return refused
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	p := &postgres{pool: pool, reads: stdlib.OpenDBFromPool(pool)}
	d := newDatabase(postgresDialect(), p, p.reads)
	if err := d.settleForm(ctx, how); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (p *postgres) fence(ctx context.Context) (head, error) {
	var h head
	err := p.pool.QueryRow(ctx, postgresFence).Scan(&h.seq, &h.hash, &h.fence)
	return h, p.explain(err)
}

// change runs a small transaction.
func (p *postgres) change(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := p.reads.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		tx.Rollback() // the error that led here is the one to tell
		return err
	}
	return tx.Commit()
}

// The conditions of PostgreSQL that are told apart.
const (
	stateUnique    = "23505"
	stateCheck     = "23514"
	stateReadOnly  = "25006"
	stateFull      = "53100"
	stateForbidden = "42501"
)

// explain gives an error of PostgreSQL the sentinel it deserves.
func (p *postgres) explain(err error) error {
	var e *pgconn.PgError
	if err == nil || explained(err) || !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case stateUnique:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case stateCheck:
		if e.TableName == "head" {
			return fmt.Errorf("%w: %w", errStale, err)
		}
	case stateReadOnly:
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case stateFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case stateForbidden:
		return fmt.Errorf("%w: %w", fs.ErrPermission, err)
	}
	return err
}

func (p *postgres) close() error {
	err := p.reads.Close()
	p.pool.Close()
	return err
}
