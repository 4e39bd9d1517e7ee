package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// sessionWait is how long a session that is given up may take to end.
const sessionWait = 5 * time.Second

// session competes for the lead with a connection of its own. The lead is a row,
// with the term and a beat. Beside it the leader's session has a lock that is
// named after the term: it goes when the session goes, and then nobody needs to
// wait for the beat.
type session struct {
	conn   *pgx.Conn
	d      *database
	shared bool // the lock of older versions, which they have alone and we have together
	seen   observer
	term   int64 // of its lead
}

func (p *postgres) claim(ctx context.Context, d *database) (claim, error) {
	conn, err := pgx.ConnectConfig(ctx, p.pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, d: d}
	if _, err := conn.Exec(ctx, postgresLeadSession); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

func (s *session) try(ctx context.Context) (int64, error) {
	var taken Taken
	if !s.shared {
		if err := s.conn.QueryRow(ctx, postgresElders).Scan(&s.shared); err != nil {
			return 0, err
		}
		if !s.shared {
			err := s.conn.QueryRow(ctx, postgresElder).Scan(&taken.PID, &taken.Where)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) { // no row: it has just been given up
				return 0, err
			}
			return 0, &taken
		}
	}
	var term, beat int64
	if err := s.conn.QueryRow(ctx, postgresLeader).Scan(&term, &beat, &taken.PID, &taken.Where); err != nil {
		return 0, err
	}
	free, err := s.lock(ctx, term)
	if err != nil {
		return 0, err
	}
	if free {
		defer s.unlock(term)
	} else if !s.seen.still(term, beat) {
		return 0, &taken
	}
	mine, err := s.lock(ctx, term+1)
	if err != nil {
		return 0, err
	}
	if !mine { // somebody else is about to
		return 0, &taken
	}
	got, err := s.take(ctx, term, beat)
	if err == nil && got {
		s.term = term + 1
		return s.term, nil
	}
	s.unlock(term + 1)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == stateLocked:
		// The leader before stands still, or is dead, with a transaction open that
		// nobody will end.
		_, err = s.conn.Exec(ctx, postgresEndWriters)
		return 0, errors.Join(&taken, err)
	case err != nil:
		return 0, err
	default:
		return 0, &taken
	}
}

// take raises the term, here and in the head: an append of the leader before may
// still be on its way, and from here on none arrives.
func (s *session) take(ctx context.Context, term, beat int64) (bool, error) {
	history := s.history(ctx)
	tx, err := s.conn.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer tx.Rollback(ctx) // nothing once it is committed
	if _, err = tx.Exec(ctx, postgresTakePatience); err != nil {
		return false, err
	}
	tag, err := tx.Exec(ctx, postgresTake, term, beat)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	if _, err = tx.Exec(ctx, postgresRaise, term+1); err != nil {
		return false, err
	}
	if err = s.continueHistory(ctx, tx, history); err != nil {
		return false, err
	}
	return true, tx.Commit(ctx)
}

// history names the past of the server: another one means that it was promoted,
// or brought back to some time, and what had been acknowledged last may be
// missing. Servers that do not tell ("") are taken at their word.
func (s *session) history(ctx context.Context) string {
	var name string
	if s.conn.QueryRow(ctx, postgresHistory).Scan(&name) != nil {
		return ""
	}
	return name
}

// continueHistory begins another generation where the past is another one, or the
// tables are, which were filled from a dump: so that no number is given out again that
// was given out in what is missing.
func (s *session) continueHistory(ctx context.Context, tx pgx.Tx, history string) error {
	now := map[string]string{historyMeta: history}
	var tables string
	if err := tx.QueryRow(ctx, postgresTables).Scan(&tables); err != nil {
		return err
	}
	now[tablesMeta] = tables
	values := map[string]string{}
	for key, value := range now {
		var before string
		err := tx.QueryRow(ctx, "SELECT value FROM meta WHERE key = $1", key).Scan(&before)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if value == "" || value == before {
			continue
		}
		values[key] = value
		if before != "" {
			values[generationMeta] = newName()
		}
	}
	for key, value := range values {
		if _, err := tx.Exec(ctx, postgresSetMeta, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) lock(ctx context.Context, term int64) (got bool, err error) {
	err = s.conn.QueryRow(ctx, postgresLock, term).Scan(&got)
	return got, err
}

// unlock gives a lock back that the session must not keep: if it cannot, the
// session is at its end, and so is the lock.
func (s *session) unlock(term int64) {
	ctx, cancel := context.WithTimeout(context.Background(), sessionWait)
	defer cancel()
	s.conn.Exec(ctx, postgresUnlock, term) // see above
}

// rest listens: a session that ends says so at once.
func (s *session) rest(ctx context.Context, long time.Duration) error {
	listening, stop := context.WithTimeout(ctx, long)
	defer stop()
	_, err := s.conn.WaitForNotification(listening)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.conn.IsClosed():
		return ErrAway
	case err != nil && listening.Err() == nil:
		return err
	default:
		return nil
	}
}

func (s *session) renew(ctx context.Context) error {
	tag, err := s.conn.Exec(ctx, postgresRenew, s.term)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrDeposed
	}
	return err
}

func (s *session) gone() bool { return s.conn.IsClosed() }

func (s *session) release() {
	ctx, cancel := context.WithTimeout(context.Background(), sessionWait)
	defer cancel()
	// The server ends a session some time after it was told to. Who has given the
	// lead up can take it again at once only if the lock goes before that.
	s.conn.Exec(ctx, postgresRelease) // without a connection there is nobody to tell
	s.conn.Close(ctx)                 // the server drops the lock whatever it says
}
