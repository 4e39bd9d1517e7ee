package controller

import (
	"encoding/json"
	"fmt"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/store"
)

// txRest is what a row of a transaction says in no column of its own. The log has all of
// it, and the hash is of all of it: what was changed in a row is found there.
type txRest struct {
	Account market.Account `json:"account"`
	Limit   market.Money   `json:"limit_micros,omitempty"`
	Credit  market.Money   `json:"credit_micros,omitempty"`
	Rule    ledger.Rule    `json:"rule,omitempty"`
}

// txRow is a transaction as it is kept.
func txRow(t *ledger.Tx) (store.Tx, error) {
	body, err := json.Marshal(&txRest{Account: t.Account, Limit: t.Limit, Credit: t.Credit, Rule: t.Rule})
	row := store.Tx{Seq: t.Seq, At: t.At, Kind: string(t.Kind), Job: t.Job, Memo: t.Memo, Hash: t.Hash[:], Body: body}
	for _, p := range t.Postings {
		row.Postings = append(row.Postings, store.Posting{Account: string(p.Account), Side: string(p.Side), Amount: int64(p.Amount)})
	}
	return row, err
}

// FromRow is the transaction of a row. Those of the first versions say all of it twice.
func FromRow(row *store.Tx) (ledger.Tx, error) {
	var tx ledger.Tx
	if err := json.Unmarshal(row.Body, &tx); err != nil {
		return tx, fmt.Errorf("transaction %d in the store: %w", row.Seq, err)
	}
	if tx.Seq != 0 {
		return tx, nil
	}
	if len(row.Hash) != len(tx.Hash) {
		return tx, fmt.Errorf("transaction %d in the store: its hash has %d bytes", row.Seq, len(row.Hash))
	}
	tx.Seq, tx.At, tx.Kind, tx.Job, tx.Memo = row.Seq, row.At, ledger.Kind(row.Kind), row.Job, row.Memo
	copy(tx.Hash[:], row.Hash)
	for _, p := range row.Postings {
		tx.Postings = append(tx.Postings, ledger.Posting{Account: market.Account(p.Account), Side: ledger.Side(p.Side), Amount: market.Money(p.Amount)})
	}
	return tx, nil
}
