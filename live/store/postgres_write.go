package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// write sends all statements of an append at once. Between two of them there is
// no end of a transaction, so the server takes them as one, and one answer says
// whether it is durable.
func (p *postgres) write(ctx context.Context, w *work, from head) error {
	ctx, cancel := context.WithTimeout(ctx, postgresWrite)
	defer cancel()
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return p.explain(outcome(conn.SendBatch(ctx, w.statements(from)).Close()))
}

// outcome tells an append that was refused from one whose answer was lost. A
// server that ends the session may do so just after it has written.
func outcome(err error) error {
	var e *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e.SeverityUnlocalized == "ERROR", pgconn.SafeToRetry(err):
		return err
	default:
		return &uncertain{err}
	}
}

func (w *work) statements(from head) *pgx.Batch {
	b := &pgx.Batch{}
	b.Queue(postgresHead, w.next.seq, w.next.hash, from.fence, from.term)
	if len(w.entries) > 0 {
		b.Queue(postgresLog,
			column(w.entries, func(e *Entry) int64 { return e.Seq }),
			column(w.entries, func(e *Entry) int64 { return e.At }),
			column(w.entries, func(e *Entry) string { return e.Kind }),
			column(w.entries, func(e *Entry) int64 { return int64(e.version()) }),
			column(w.entries, func(e *Entry) []byte { return some(e.Body) }),
			w.hashes)
	}
	w.queueJobs(b)
	if len(w.txs) > 0 {
		b.Queue(postgresTxs,
			column(w.txs, func(t *Tx) int64 { return t.Seq }),
			column(w.txs, func(t *Tx) int64 { return t.At }),
			column(w.txs, func(t *Tx) string { return t.Kind }),
			column(w.txs, func(t *Tx) int64 { return t.Job }),
			column(w.txs, func(t *Tx) string { return t.Memo }),
			column(w.txs, func(t *Tx) []byte { return some(t.Hash) }),
			column(w.txs, func(t *Tx) []byte { return some(t.Body) }),
			w.postings)
	}
	if len(w.touched) > 0 {
		b.Queue(postgresTouched,
			column(w.touched, func(t *touch) string { return t.account }),
			column(w.touched, func(t *touch) int64 { return t.tx }))
	}
	if len(w.replies) > 0 {
		ids := make([]int64, len(w.replies))
		for i := range ids {
			ids[i] = w.replyID(i)
		}
		b.Queue(postgresReplies,
			ids,
			column(w.replies, func(r *Reply) string { return r.Owner }),
			column(w.replies, func(r *Reply) string { return r.Key }),
			column(w.replies, func(r *Reply) []byte { return some(r.Digest) }),
			column(w.replies, func(r *Reply) []byte { return some(r.Body) }),
			column(w.replies, func(r *Reply) int64 { return r.At }))
	}
	return b
}

func (w *work) queueJobs(b *pgx.Batch) {
	if len(w.jobs) == 0 {
		return
	}
	b.Queue(postgresJobs,
		column(w.jobs, func(j *Job) int64 { return j.ID }),
		column(w.jobs, func(j *Job) string { return j.Owner }),
		column(w.jobs, func(j *Job) string { return j.Account }),
		column(w.jobs, func(j *Job) string { return j.Name }),
		column(w.jobs, func(j *Job) string { return j.State }),
		column(w.jobs, func(j *Job) int64 { return j.Submitted }),
		column(w.jobs, func(j *Job) int64 { return j.Ended }),
		column(w.jobs, func(j *Job) []byte { return some(j.Body) }))
	var ids []int64
	var specs [][]byte
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Spec != nil {
			ids, specs = append(ids, j.ID), append(specs, j.Spec)
		}
	}
	if len(ids) > 0 {
		b.Queue(postgresSpecs, ids, specs)
	}
}

// column is one field of many rows.
func column[Row, Field any](rows []Row, field func(*Row) Field) []Field {
	fields := make([]Field, len(rows))
	for i := range rows {
		fields[i] = field(&rows[i])
	}
	return fields
}
