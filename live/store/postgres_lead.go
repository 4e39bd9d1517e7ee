package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// sessionCheck is how often the leader asks whether its session still is.
	sessionCheck = 2 * time.Second
	// sessionWait is how long it waits for the answer.
	sessionWait = 5 * time.Second
)

// session competes for a lock with a connection of its own.
type session struct{ conn *pgx.Conn }

func (p *postgres) claim(ctx context.Context) (claim, error) {
	conn, err := pgx.ConnectConfig(ctx, p.pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	s := &session{conn}
	if _, err := conn.Exec(ctx, postgresLeadSession); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// try takes the lock and then moves the fence: the leader before may be dead
// while an append of its is still on the way, and from here on none arrives.
func (s *session) try(ctx context.Context) error {
	var got bool
	if err := s.conn.QueryRow(ctx, postgresLead).Scan(&got); err != nil {
		return err
	}
	if got {
		_, err := s.conn.Exec(ctx, postgresFence)
		return err
	}
	var taken Taken
	err := s.conn.QueryRow(ctx, postgresLeader).Scan(&taken.PID, &taken.Where)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) { // no row: it has just been given up
		return err
	}
	return &taken
}

// watch listens: a session that ends says so at once, and one that is silent is
// asked.
func (s *session) watch(ctx context.Context) {
	for ctx.Err() == nil {
		listening, stop := context.WithTimeout(ctx, sessionCheck)
		_, err := s.conn.WaitForNotification(listening)
		quiet := listening.Err() != nil
		stop()
		if err != nil && !quiet || s.conn.IsClosed() {
			return
		}
		if ctx.Err() != nil {
			return
		}
		// A question that is given up would cost the session, and then nobody
		// could say when its lock is gone: it is heard out.
		asking, stop := context.WithTimeout(context.WithoutCancel(ctx), sessionWait)
		err = s.conn.Ping(asking)
		stop()
		if err != nil {
			return
		}
	}
}

func (s *session) release() {
	ctx, cancel := context.WithTimeout(context.Background(), sessionWait)
	defer cancel()
	// The server ends a session some time after it was told to. Who has given the
	// lead up can take it again at once only if the lock goes before that.
	s.conn.Exec(ctx, postgresRelease) // without a connection there is nobody to tell
	s.conn.Close(ctx)                 // the server drops the lock whatever it says
}
