package ledger

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// Statement is what happened to an account in a period: what it owned at the
// start, every change of that, and what it owned at the end. What an account
// owns is what it has free and held together, so setting money aside for a job
// is no line, and taking it back is none: only the charge is.
//
// It is a fold: make one, show it the transactions in their order, from the
// first on or from where Carry says, and read it.
type Statement struct {
	Account market.Account `json:"account"`
	Subtree bool           `json:"subtree"` // with all accounts below it, as one
	Period  Period         `json:"period"`
	Opening market.Money   `json:"opening_micros"`
	Closing market.Money   `json:"closing_micros"`
	Held    market.Money   `json:"held_micros"` // of the closing balance
	Lines   []Line         `json:"lines"`

	seq int64 // of the last transaction seen
}

// Line is one change of what an account owns.
type Line struct {
	Seq     int64        `json:"seq"`
	At      int64        `json:"at_us"`
	Kind    Kind         `json:"kind"`
	Job     int64        `json:"job"`             // NoJob: none
	Quote   string       `json:"quote,omitempty"` // whose rent it is; then there is no job
	Memo    string       `json:"memo,omitempty"`
	Amount  market.Money `json:"amount_micros"`
	Balance market.Money `json:"balance_micros"` // after it
}

// NewStatement is the statement of an account that no transaction was shown to
// yet.
func NewStatement(account market.Account, subtree bool, period Period) *Statement {
	return &Statement{Account: account, Subtree: subtree, Period: period, Lines: []Line{}}
}

// Carry sets what the account owned, and how much of that was held, before the
// first transaction that will be shown, for those who know it and need not
// begin at the first of all.
func (s *Statement) Carry(owned, held market.Money) {
	s.Opening, s.Closing, s.Held = owned, owned, held
}

// Add takes the next transaction in. Those before the period make the opening
// balance, those after it are left out, and those in which the account has no
// part may be left out by the caller.
func (s *Statement) Add(tx Tx) error {
	if tx.Seq <= s.seq {
		return fmt.Errorf("%w: %d after %d", ErrGap, tx.Seq, s.seq)
	}
	if tx.At >= s.Period.End {
		return nil
	}
	var free, held market.Money
	for _, p := range tx.Postings {
		if p.Account != s.Account && !(s.Subtree && Within(p.Account, s.Account)) {
			continue
		}
		side := &free
		if p.Side == Held {
			side = &held
		}
		var err error
		if *side, err = side.Plus(p.Amount); err != nil {
			return fmt.Errorf("transaction %d: %w", tx.Seq, err)
		}
	}
	amount, err := free.Plus(held)
	if err != nil {
		return fmt.Errorf("transaction %d: %w", tx.Seq, err)
	}
	balance, err := s.Closing.Plus(amount)
	if err != nil {
		return fmt.Errorf("transaction %d: %w", tx.Seq, err)
	}
	s.seq, s.Closing, s.Held = tx.Seq, balance, s.Held+held
	switch {
	case tx.At < s.Period.Start:
		s.Opening = balance
	case amount != 0:
		line := Line{Seq: tx.Seq, At: tx.At, Kind: tx.Kind, Job: tx.Job, Memo: tx.Memo, Amount: amount, Balance: balance}
		if quote := tx.Quote(); quote != "" {
			line.Kind, line.Job, line.Quote = KindRent, NoJob, quote
		}
		s.Lines = append(s.Lines, line)
	}
	return nil
}
