package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"strings"
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

// postgresWrite is how long an append may take. A line that carries nothing would
// be waited for in vain, for a quarter of an hour.
const postgresWrite = 20 * time.Second

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
	if hosts(config.ConnConfig) > 1 && config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // the others are copies
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

// hosts is on how many servers the database may be.
func hosts(c *pgx.ConnConfig) int {
	type place struct {
		host string
		port uint16
	}
	all := map[place]bool{{c.Host, c.Port}: true}
	for _, f := range c.Fallbacks { // the same with and without encryption among them
		all[place{f.Host, f.Port}] = true
	}
	return len(all)
}

// led says in a *Taken that a controller leads, of this version or an older one.
func (p *postgres) led(ctx context.Context, tx *sql.Tx, form int64) error {
	var free bool
	if err := tx.QueryRowContext(ctx, postgresNoElder).Scan(&free); err != nil {
		return err
	}
	if free && form >= formLeader {
		if err := tx.QueryRowContext(ctx, postgresNoLeader).Scan(&free); err != nil {
			return err
		}
	}
	if !free {
		return &Taken{Where: "an older version of the tables"}
	}
	return nil
}

func (p *postgres) fence(ctx context.Context, term int64) (head, error) {
	var h head
	err := p.pool.QueryRow(ctx, postgresFence, term).Scan(&h.seq, &h.hash, &h.fence)
	return h, p.explain(deposed(err))
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
	stateLocked    = "55P03"

	stateConnection = "08" // all that begin so
)

// awayStates are what a server says that ends, begins, or has no more room for
// connections.
var awayStates = map[string]bool{"57P01": true, "57P02": true, "57P03": true, "57P05": true, "53300": true}

// noAnswer reports whether nobody was there to answer.
func noAnswer(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}

// explain gives an error of PostgreSQL the sentinel it deserves.
func (p *postgres) explain(err error) error {
	var e *pgconn.PgError
	switch {
	case err == nil || explained(err) || errors.Is(err, context.Canceled):
		return err
	case !errors.As(err, &e):
		if noAnswer(err) {
			return fmt.Errorf("%w: %w", ErrAway, err)
		}
		return err
	case awayStates[e.Code], strings.HasPrefix(e.Code, stateConnection):
		return fmt.Errorf("%w: %w", ErrAway, err)
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
