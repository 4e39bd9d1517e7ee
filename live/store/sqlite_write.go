package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
)

// sqliteWriter is the one connection that writes, with its statements.
type sqliteWriter struct {
	conn                                         *sql.Conn
	head, log                                    *sql.Stmt
	places, insertJob, moveJob, updateJob        *sql.Stmt
	newest, spec, count, total, tx, touch, reply *sql.Stmt
	all                                          []*sql.Stmt // nil: not prepared yet
	ids                                          [sqliteOld]any
	seen                                         places
}

func newSQLiteWriter(ctx context.Context, db *sql.DB) (*sqliteWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &sqliteWriter{conn: conn, seen: places{newest: unknownID}}, nil
}

// prepare makes the statements ready, once there are tables.
func (w *sqliteWriter) prepare(ctx context.Context) error {
	if w.all != nil {
		return nil
	}
	s := &sqliteStatements
	var all []*sql.Stmt
	for _, p := range []struct {
		into *(*sql.Stmt)
		text string
	}{
		{&w.head, s.head},
		{&w.log, s.log},
		{&w.places, s.old},
		{&w.insertJob, s.insertJob},
		{&w.moveJob, s.moveJob},
		{&w.updateJob, s.updateJob},
		{&w.newest, s.newest},
		{&w.spec, s.spec},
		{&w.count, s.count},
		{&w.total, s.total},
		{&w.tx, s.tx},
		{&w.touch, s.touch},
		{&w.reply, s.reply},
	} {
		stmt, err := w.conn.PrepareContext(ctx, p.text)
		if err != nil {
			closeAll(all)
			return err
		}
		*p.into = stmt
		all = append(all, stmt)
	}
	w.all = all
	return nil
}

func (w *sqliteWriter) close() {
	closeAll(w.all)
	w.conn.Close() // whatever was wrong has been said
}

func closeAll(statements []*sql.Stmt) {
	for _, s := range statements {
		s.Close() // nothing is under way
	}
}

func (s *sqlite) fence(ctx context.Context, term int64) (head, error) {
	var h head
	err := s.writing(ctx, func(w *sqliteWriter) error {
		w.seen.forget() // whoever asks may have missed something
		return w.change(ctx, func(tx *sql.Tx) error {
			return deposed(tx.QueryRowContext(ctx, sqliteStatements.fence, term).Scan(&h.seq, &h.hash, &h.fence))
		})
	})
	return h, s.explain(err)
}

func (w *sqliteWriter) change(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := w.conn.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		tx.Rollback() // on a full disk SQLite has done so itself
		return err
	}
	return tx.Commit()
}

// write runs an append in one transaction. Once begun it is not interrupted:
// it takes milliseconds, and watching the context costs more.
func (s *sqlite) write(ctx context.Context, w *work, from head) error {
	waiting := ctx
	ctx = context.WithoutCancel(ctx)
	err := s.writing(waiting, func(to *sqliteWriter) error {
		err := to.append(ctx, w, from)
		if err != nil {
			to.seen.forget()
		} else {
			to.seen.add(w.jobs)
			s.noteEnd(w.next)
		}
		return err
	})
	return s.explain(err)
}

func (w *sqliteWriter) append(ctx context.Context, k *work, from head) error {
	if err := w.prepare(ctx); err != nil {
		return err
	}
	tx, err := w.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := w.write(ctx, k, from); err != nil {
		tx.Rollback() // on a full disk SQLite has done so itself
		return err
	}
	if err := tx.Commit(); lostCommit(err) {
		return &uncertain{err}
	} else if err != nil {
		return err
	}
	return nil
}

func (w *sqliteWriter) write(ctx context.Context, k *work, from head) error {
	res, err := w.head.ExecContext(ctx, k.next.seq, k.next.hash, from.fence, from.term)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return errStale
	}
	for i := range k.entries {
		e := &k.entries[i]
		if _, err := w.log.ExecContext(ctx, e.Seq, e.At, e.Kind, e.version(), some(e.Body), k.hashes[i]); err != nil {
			return err
		}
	}
	if err := w.writeJobs(ctx, k.jobs); err != nil {
		return err
	}
	for i := range k.txs {
		t := &k.txs[i]
		if _, err := w.tx.ExecContext(ctx, t.Seq, t.At, t.Kind, t.Job, t.Memo, some(t.Hash), some(t.Body), k.postings[i]); err != nil {
			return err
		}
	}
	for _, t := range k.touched {
		if _, err := w.touch.ExecContext(ctx, t.account, t.tx); err != nil {
			return err
		}
	}
	for i := range k.replies {
		r := &k.replies[i]
		if _, err := w.reply.ExecContext(ctx, k.replyID(i), r.Owner, r.Key, some(r.Digest), some(r.Body), r.At); err != nil {
			return err
		}
	}
	return nil
}

func (w *sqliteWriter) writeJobs(ctx context.Context, jobs []Job) error {
	old, err := w.old(ctx, jobs)
	if err != nil {
		return err
	}
	change := make(map[place]int64)
	for i := range jobs {
		j := &jobs[i]
		now := place{j.Owner, j.Account, j.State}
		was, known := old[j.ID]
		switch {
		case !known:
			_, err = w.insertJob.ExecContext(ctx, j.Owner, j.Account, j.Name, j.State, j.Submitted, j.Ended, some(j.Body), j.ID)
		case was != now:
			_, err = w.moveJob.ExecContext(ctx, j.Owner, j.Account, j.Name, j.State, j.Submitted, j.Ended, some(j.Body), j.ID)
		default: // leaves the indexes alone
			_, err = w.updateJob.ExecContext(ctx, j.Name, j.Submitted, j.Ended, some(j.Body), j.ID)
		}
		if err != nil {
			return err
		}
		if known {
			change[was]--
		}
		change[now]++
		if j.Spec != nil {
			if _, err := w.spec.ExecContext(ctx, j.ID, j.Spec); err != nil {
				return err
			}
		}
	}
	return w.writeCounts(ctx, change)
}

func (w *sqliteWriter) writeCounts(ctx context.Context, change map[place]int64) error {
	totals := make(map[string]int64)
	for _, p := range slices.SortedFunc(maps.Keys(change), comparePlaces) {
		if n := change[p]; n != 0 {
			if _, err := w.count.ExecContext(ctx, p.owner, p.account, p.state, n); err != nil {
				return err
			}
			totals[p.state] += n
		}
	}
	for state, n := range totals {
		if n != 0 {
			if _, err := w.total.ExecContext(ctx, state, n); err != nil {
				return err
			}
		}
	}
	return nil
}
