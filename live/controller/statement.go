package controller

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/store"
)

// statements keeps what has been added up of accounts that are looked at again
// and again: each look reads only what has moved since the last.
type statements struct {
	mu   sync.Mutex
	kept []*running // the one looked at last is last
}

// running is the statement of an account from a time on, as if it had owned
// nothing then: what it did own is known only from what it owns now.
type running struct {
	account string
	subtree bool
	from    int64
	seq     int64 // of the last transaction in it
	all     *ledger.Statement
}

// Bounds of what is kept.
const (
	mostStatements = 64
	mostLines      = 500_000
)

// Statement is what moved on an account in a period.
func (c *Controller) Statement(ctx context.Context, account string, subtree bool, fromUS, toUS int64) (ledger.Statement, error) {
	if toUS > c.now() {
		return c.statementSince(ctx, account, subtree, fromUS, toUS)
	}
	return c.statementOf(ctx, account, subtree, fromUS, toUS)
}

// statementSince is the statement of a period that is not over.
func (c *Controller) statementSince(ctx context.Context, account string, subtree bool, fromUS, toUS int64) (ledger.Statement, error) {
	c.statements.mu.Lock()
	defer c.statements.mu.Unlock()
	r := c.statements.of(account, subtree, fromUS)
	owned, held, err := c.moved(ctx, account, subtree, fromUS, r.seq, func(tx *ledger.Tx) error {
		r.seq = tx.Seq
		return r.all.Add(*tx)
	})
	if err != nil {
		return ledger.Statement{}, err
	}
	s := *r.all
	s.Period.End, s.Opening, s.Closing, s.Held = toUS, owned-r.all.Closing, owned, held
	s.Lines = slices.Clone(r.all.Lines)
	for i := range s.Lines {
		s.Lines[i].Balance += s.Opening
	}
	return s, nil
}

// statementOf is the statement of a period of the past. What the account owned
// at its start is what it owns now less what moved since: so only what came
// after is read, however long the history.
func (c *Controller) statementOf(ctx context.Context, account string, subtree bool, fromUS, toUS int64) (ledger.Statement, error) {
	all := ledger.NewStatement(market.Account(account), subtree, ledger.Period{Start: fromUS, End: math.MaxInt64})
	var since []ledger.Tx
	owned, held, err := c.moved(ctx, account, subtree, fromUS, 0, func(tx *ledger.Tx) error {
		since = append(since, *tx)
		return all.Add(*tx)
	})
	if err != nil {
		return ledger.Statement{}, err
	}
	s := ledger.NewStatement(market.Account(account), subtree, ledger.Period{Start: fromUS, End: toUS})
	s.Carry(owned-all.Closing, held-all.Held)
	for i := range since {
		if err := s.Add(since[i]); err != nil {
			return ledger.Statement{}, err
		}
	}
	return *s, nil
}

// moved shows the transactions of an account from a time on that come after
// another, and says what the account owns after the last of them.
func (c *Controller) moved(ctx context.Context, account string, subtree bool, fromUS, after int64, see func(*ledger.Tx) error) (owned, held market.Money, err error) {
	var last int64
	if err = c.query(ctx, func(x *exchange.Exchange) {
		owned, held = x.Owned(account, subtree)
		last, _ = x.LedgerHead()
	}); err != nil {
		return 0, 0, err
	}
	for row, err := range c.log.Txs(ctx, store.TxQuery{Account: account, Subtree: subtree, From: fromUS, AfterSeq: after}) {
		if err != nil {
			return 0, 0, err
		}
		if row.Seq > last { // made since the look
			break
		}
		tx := ledger.Tx{Seq: row.Seq, At: row.At, Kind: ledger.Kind(row.Kind), Job: row.Job, Memo: row.Memo}
		for _, p := range row.Postings {
			tx.Postings = append(tx.Postings, ledger.Posting{
				Account: market.Account(p.Account), Side: ledger.Side(p.Side), Amount: market.Money(p.Amount),
			})
		}
		if err := see(&tx); err != nil {
			return 0, 0, err
		}
	}
	return owned, held, nil
}

// of finds the statement of an account, or begins one.
func (s *statements) of(account string, subtree bool, from int64) *running {
	i := slices.IndexFunc(s.kept, func(r *running) bool { return r.account == account && r.subtree == subtree && r.from == from })
	var r *running
	if i >= 0 {
		r = s.kept[i]
		s.kept = slices.Delete(s.kept, i, i+1)
	} else {
		r = &running{account: account, subtree: subtree, from: from}
		r.all = ledger.NewStatement(market.Account(account), subtree, ledger.Period{Start: from, End: math.MaxInt64})
	}
	lines := len(r.all.Lines)
	first := len(s.kept)
	for first > 0 && len(s.kept)-first < mostStatements-1 && lines+len(s.kept[first-1].all.Lines) <= mostLines {
		first--
		lines += len(s.kept[first].all.Lines)
	}
	s.kept = append(slices.Delete(s.kept, 0, first), r)
	return r
}
