package ledger

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// Grant gives an account new money.
func (l *Ledger) Grant(at int64, account market.Account, amount market.Money, memo string) (Tx, error) {
	return l.move(Tx{At: at, Kind: KindGrant, Job: NoJob, Account: account, Memo: memo}, Mint, account, amount)
}

// Income gives an account what its allowance brings.
func (l *Ledger) Income(at int64, account market.Account, amount market.Money, memo string) (Tx, error) {
	return l.move(Tx{At: at, Kind: KindIncome, Job: NoJob, Account: account, Memo: memo}, Allowances, account, amount)
}

// Transfer moves money that is there, neither held nor on credit, from one
// account to another. To the mint, it takes money out of the ledger; from the
// mint it is a grant, and refused here. It counts as spent, and is bound by the
// limits of the account and of those above it that the other is not below.
func (l *Ledger) Transfer(at int64, from, to market.Account, amount market.Money, memo string) (Tx, error) {
	tx := Tx{At: at, Kind: KindTransfer, Job: NoJob, Account: from, Memo: memo, Rule: l.Rule}
	if giver, err := l.find(from); err == nil && l.Rule == RuleGiven && checkTime(at) == nil {
		if err := giver.checkLimits(monthOf(at), amount, l.above(giver, to)); err != nil {
			return Tx{}, err
		}
	}
	return l.move(tx, from, to, amount)
}

// above is the first account from n upwards that another is or is below.
func (l *Ledger) above(n *node, other market.Account) *node {
	for n != nil && !Within(other, n.Path) {
		n = n.up
	}
	return n
}

// Penalty pays an account for a promise that was broken. The owner pays it even
// where that takes it below zero.
func (l *Ledger) Penalty(at, job int64, account market.Account, amount market.Money) (Tx, error) {
	return l.move(Tx{At: at, Kind: KindPenalty, Job: job, Account: account, Rule: l.Rule}, Owner, account, amount)
}

// Refund gives an account back what it should not have been charged. It is no
// longer spent.
func (l *Ledger) Refund(at, job int64, account market.Account, amount market.Money, memo string) (Tx, error) {
	return l.move(Tx{At: at, Kind: KindRefund, Job: job, Account: account, Memo: memo}, Owner, account, amount)
}

func (l *Ledger) move(tx Tx, from, to market.Account, amount market.Money) (Tx, error) {
	if amount <= 0 {
		return Tx{}, fmt.Errorf("%w: %s of %s (want more than 0)", market.ErrAmount, tx.Kind, amount)
	}
	tx.Postings = []Posting{{Account: from, Side: Free, Amount: -amount}, {Account: to, Side: Free, Amount: amount}}
	return l.enter(tx)
}

// checkMove asks for one amount from the free side of the account that gives to
// that of the one that gets, and for the right accounts.
func (l *Ledger) checkMove(tx *Tx, c *change) error {
	if len(tx.Postings) != 2 || tx.Postings[0].Amount >= 0 || tx.Postings[0].Side != Free || tx.Postings[1].Side != Free {
		return fmt.Errorf("%w: %s", ErrForm, tx.Kind)
	}
	from, to := tx.Postings[0].Account, tx.Postings[1].Account
	if from == to {
		return fmt.Errorf("%w: %s from %s to itself", ErrForm, tx.Kind, from)
	}
	switch tx.Kind {
	case KindGrant:
		if from != Mint || to != tx.Account {
			return fmt.Errorf("%w: %s to %s from %s to %s", ErrForm, tx.Kind, tx.Account, from, to)
		}
	case KindIncome:
		if from != Allowances || to != tx.Account || system(to) {
			return fmt.Errorf("%w: %s to %s from %s to %s", ErrForm, tx.Kind, tx.Account, from, to)
		}
	case KindTransfer:
		if from != tx.Account {
			return fmt.Errorf("%w: %s by %s from %s", ErrForm, tx.Kind, tx.Account, from)
		}
		if from == Mint || from == Allowances {
			return fmt.Errorf("%w: %s from %s (want a grant)", ErrSystem, tx.Kind, from)
		}
		if giver := l.accounts[from]; tx.Rule == RuleGiven && giver != nil && !system(from) {
			c.payer, c.within, c.spent, c.given = giver, l.above(giver, to), tx.Postings[1].Amount, true
		}
	default: // penalty, refund
		if from != Owner || to != tx.Account {
			return fmt.Errorf("%w: %s to %s from %s to %s", ErrForm, tx.Kind, tx.Account, from, to)
		}
		payee, err := l.findOrdinary(to)
		if err != nil {
			return err
		}
		if tx.Kind == KindRefund || tx.Rule == RuleFirst {
			c.payer, c.spent = payee, tx.Postings[0].Amount
		}
	}
	return nil
}
