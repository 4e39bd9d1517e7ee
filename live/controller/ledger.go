package controller

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/audit"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// txs reads transactions back from the store.
func (c *Controller) txs(ctx context.Context, q store.TxQuery) iter.Seq2[ledger.Tx, error] {
	return readTxs(c.log.Txs(ctx, q))
}

// readTxs reads transactions as the ledger has them.
func readTxs(rows iter.Seq2[store.Tx, error]) iter.Seq2[ledger.Tx, error] {
	return func(yield func(ledger.Tx, error) bool) {
		for row, err := range rows {
			var tx ledger.Tx
			if err == nil {
				tx, err = FromRow(&row)
			}
			if !yield(tx, err) || err != nil {
				return
			}
		}
	}
}

// VerifyBooks adds up all transactions of a store that no market runs on: each
// follows from the one before, and the sum of all is zero.
func VerifyBooks(rows iter.Seq2[store.Tx, error]) error {
	_, err := ledger.Verify(ledger.State{}, readTxs(rows), nil)
	return err
}

// VerifyLedger adds everything up again: the chain of the log, the chain of the
// ledger, every balance from nothing, and the sum of all, which is zero. And it holds
// the books against the jobs: what is held, what was charged and what was paid back.
func (c *Controller) VerifyLedger(ctx context.Context) (v1.Verified, error) {
	var state ledger.State
	var last int64
	var total market.Money
	var wrong error
	if err := c.query(ctx, func(x *exchange.Exchange) {
		wrong = x.CheckBooks()
		state = x.LedgerState()
		last, _ = x.LedgerHead()
		total = x.LedgerTotal()
	}); err != nil {
		return v1.Verified{}, err
	}
	v := v1.Verified{}
	var err error
	if v.Entries, err = c.log.VerifyLog(ctx); err != nil {
		v.Problem = err.Error()
		return v, nil //nolint:nilerr // what is wrong with the log is the answer
	}
	if v.Unread, err = c.log.Unread(ctx); err != nil {
		return v, err
	}
	if total != 0 {
		v.Problem = fmt.Sprintf("the books sum to %s, not to zero", total)
		return v, nil
	}
	if wrong != nil {
		v.Problem = wrong.Error()
		return v, nil //nolint:nilerr // what is wrong with the books is the answer
	}
	against := audit.New()
	upTo := func(yield func(ledger.Tx, error) bool) {
		for tx, err := range c.txs(ctx, store.TxQuery{}) {
			if err == nil && tx.Seq > last { // made since the look
				return
			}
			if !yield(tx, err) {
				return
			}
			against.Tx(&tx)
			v.Transactions = tx.Seq
			v.Head = hex.EncodeToString(tx.Hash[:])
		}
	}
	if _, err := ledger.Verify(ledger.State{}, upTo, &state); err != nil {
		v.Problem = err.Error()
		return v, nil //nolint:nilerr // what is wrong with the books is the answer
	}
	if err := c.eachJob(ctx, store.Query{}, func(j *trade.Job) error {
		if wrong == nil {
			wrong = against.Job(j)
		}
		return nil
	}); err != nil {
		return v, err
	}
	if wrong != nil {
		v.Problem = wrong.Error()
	}
	return v, nil
}

// Usage lists what the jobs of an account, and of those below it, used and were
// charged in a period, by when they were billed, and the rents of their quotes: all
// that went from the account to the owner, and back, by a market's doing.
func (c *Controller) Usage(ctx context.Context, account string, fromUS, toUS int64) ([]ledger.Usage, error) {
	var usage []ledger.Usage
	err := c.eachJob(ctx, store.Query{Account: account}, func(j *trade.Job) error {
		billed := j.EndedUS
		if j.Receipt != nil { // of an optional part the end may be before it was billed
			billed = j.Receipt.IssuedUS
		}
		if !j.State.Final() || billed < fromUS || billed >= toUS || j.Charged == 0 && j.Penalty == 0 && j.Used() == 0 {
			return nil
		}
		begun := j.StartedUS
		if begun == 0 { // it waited in vain, and that was paid for
			begun = j.EndedUS
		}
		usage = append(usage, ledger.Usage{
			Job: j.ID, Name: j.Name, Account: market.Account(j.Account), Start: begun, End: j.EndedUS,
			Quantity: j.Used(), Charge: market.Money(j.Charged), Penalty: market.Money(j.Penalty),
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.rents(ctx, fromUS, toUS, func(tx *ledger.Tx, rent market.Money) {
		if account == "" || ledger.Within(tx.Account, market.Account(account)) {
			usage = append(usage, ledger.Usage{Quote: tx.Quote(), Account: tx.Account, Start: tx.At, End: tx.At, Charge: rent})
		}
	})
	return usage, err
}

// rents goes through what quotes that were not taken have paid in a period.
func (c *Controller) rents(ctx context.Context, fromUS, toUS int64, see func(*ledger.Tx, market.Money)) error {
	rows := func(yield func(store.Tx, error) bool) {
		for row, err := range c.log.Txs(ctx, store.TxQuery{Account: string(ledger.Owner), From: fromUS, To: toUS}) {
			if err == nil && row.Kind != string(ledger.KindRent) && row.Memo == "" {
				continue // the charge of a job: there are many
			}
			if !yield(row, err) {
				return
			}
		}
	}
	for tx, err := range readTxs(rows) {
		if err != nil {
			return err
		}
		if tx.Quote() == "" {
			continue
		}
		for _, p := range tx.Postings {
			if p.Account == ledger.Owner {
				see(&tx, p.Amount)
			}
		}
	}
	return nil
}

// eachJob goes through jobs in the order of submission, a page at a time.
func (c *Controller) eachJob(ctx context.Context, q store.Query, f func(*trade.Job) error) error {
	const page = 1000
	q.Limit = page
	for after := int64(0); ; {
		jobs, err := c.forward(ctx, q, after, page)
		if err != nil {
			return err
		}
		for i := range jobs {
			if err := f(&jobs[i]); err != nil {
				return err
			}
			after = jobs[i].ID
		}
		if len(jobs) < page {
			return nil
		}
	}
}

// forward is a page of jobs after one, in the order of their numbers. The store
// lists the newest first, so it is asked for one span of numbers after another.
func (c *Controller) forward(ctx context.Context, q store.Query, after int64, limit int) ([]trade.Job, error) {
	newest, err := c.log.Jobs(ctx, store.Query{Limit: 1})
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	var jobs []trade.Job
	for after < newest[0].ID && len(jobs) < limit {
		q.After, q.Before, q.Limit = after, after+int64(limit-len(jobs))+1, limit
		rows, err := c.log.Jobs(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, row := range slices.Backward(rows) {
			j, err := fromRow(&row)
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, j)
		}
		after = q.Before - 1
	}
	return jobs, nil
}

// History lists all jobs in order of submission, for a replay.
func (c *Controller) History(ctx context.Context, after int64, limit int) ([]trade.Job, error) {
	return c.forward(ctx, store.Query{}, after, limit)
}

// FirstSince is the number of the first job submitted at or after a time, or one
// beyond the last.
func (c *Controller) FirstSince(ctx context.Context, sinceUS int64) (int64, error) {
	newest, err := c.log.Jobs(ctx, store.Query{Limit: 1})
	if err != nil || len(newest) == 0 {
		return 1, err
	}
	low, high := int64(1), newest[0].ID+1
	for low < high { // numbers grow with time
		middle := (low + high) / 2
		rows, err := c.log.Jobs(ctx, store.Query{Before: middle + 1, Limit: 1})
		if err != nil {
			return 0, err
		}
		if len(rows) == 0 || rows[0].Submitted < sinceUS {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// Log lists the raw records after one.
func (c *Controller) Log(ctx context.Context, after int64, limit int) ([]v1.LogEntry, error) {
	var lines []v1.LogEntry
	for e, err := range c.log.Tail(ctx, after) {
		if errors.Is(err, store.ErrArchived) {
			err = fmt.Errorf("%w: %w", trade.ErrUnknown, err)
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, v1.LogEntry{Seq: e.Seq, AtUS: e.At, Kind: e.Kind, Body: e.Body, Hash: hex.EncodeToString(e.Hash)})
		if len(lines) >= limit {
			break
		}
	}
	return lines, nil
}
