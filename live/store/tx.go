package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

const (
	txsAtOnce   = 256  // transactions in memory
	txIDsAtOnce = 2048 // numbers in memory; each look costs a step per account
)

// Txs finds the numbers of the transactions through the accounts they touch,
// then reads these transactions, some at a time.
func (d *database) Txs(ctx context.Context, q TxQuery) iter.Seq2[Tx, error] {
	return func(yield func(Tx, error) bool) {
		if err := d.txs(ctx, q, func(tx Tx) bool { return yield(tx, nil) }); err != nil {
			yield(Tx{}, fmt.Errorf("transactions: %w", err))
		}
	}
}

func (d *database) txs(ctx context.Context, q TxQuery, see func(Tx) bool) error {
	if err := checkTexts(q.Account); err != nil {
		return err
	}
	in, err := d.within(ctx, d.reads, "txs", "seq", "at", q.From, q.To)
	if err != nil {
		return err
	}
	if q.AfterSeq != 0 {
		in.after = max(in.after, q.AfterSeq)
	}
	table, id, legs := "txs", "seq", []leg{{where: "TRUE"}}
	if q.Account != "" {
		table, id = "tx_accounts", "tx"
		if legs, err = d.accounts(ctx, q.Account, q.Subtree); err != nil {
			return err
		}
	}
	for {
		ids, err := d.ids(ctx, d.reads, table, id, legs, in, oldestFirst, txIDsAtOnce)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(ids, txsAtOnce) {
			txs, err := d.txsByID(ctx, some)
			if err != nil {
				return err
			}
			for i := range txs {
				if !see(txs[i]) {
					return nil
				}
			}
		}
		if len(ids) < txIDsAtOnce {
			return nil
		}
		in.after = ids[len(ids)-1]
	}
}

// accounts are the legs of an account, or of it and all below. They are found
// by leaping from one account to the next, not by reading all there is of each.
func (d *database) accounts(ctx context.Context, account string, below bool) ([]leg, error) {
	legs := []leg{{where: "account = ?", args: []any{account}}}
	if !below {
		return legs, nil
	}
	err := d.each(ctx, d.reads, "WITH RECURSIVE below(name) AS ("+
		"SELECT min(account) FROM tx_accounts WHERE account > ? AND account < ?"+
		" UNION ALL SELECT (SELECT min(account) FROM tx_accounts WHERE account > name AND account < ?)"+
		" FROM below WHERE name IS NOT NULL)"+
		" SELECT name FROM below WHERE name IS NOT NULL",
		[]any{account + "/", account + "0", account + "0"},
		func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			legs = append(legs, leg{where: "account = ?", args: []any{name}})
			return err
		})
	return legs, err
}

const txColumns = "seq, at, kind, job, memo, hash, body, postings"

func (d *database) txsByID(ctx context.Context, ids []int64) ([]Tx, error) {
	txs := make([]Tx, 0, len(ids))
	err := d.each(ctx, d.reads, "SELECT "+txColumns+" FROM txs WHERE "+fmt.Sprintf(d.among, "seq")+" ORDER BY seq",
		[]any{d.list(ids)},
		func(rows *sql.Rows) error {
			tx, err := scanTx(rows)
			txs = append(txs, tx)
			return err
		})
	return txs, err
}

func scanTx(rows *sql.Rows) (Tx, error) {
	var tx Tx
	var postings []byte
	if err := rows.Scan(&tx.Seq, &tx.At, &tx.Kind, &tx.Job, &tx.Memo, &tx.Hash, &tx.Body, &postings); err != nil {
		return tx, err
	}
	if len(postings) == 0 { // they are packed with the body
		var err error
		if tx.Body, postings, err = unpackPair(tx.Body); err != nil {
			return tx, fmt.Errorf("transaction %d: %w", tx.Seq, err)
		}
	}
	if err := json.Unmarshal(postings, &tx.Postings); err != nil {
		return tx, fmt.Errorf("postings of %d: %w", tx.Seq, err)
	}
	if len(tx.Postings) == 0 {
		tx.Postings = nil
	}
	tx.Hash, tx.Body = none(tx.Hash), none(tx.Body)
	return tx, nil
}
