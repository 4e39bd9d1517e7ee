package ledger

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// Open opens an account, and those above it that are missing, with no money,
// no limit and no credit. An account that was closed opens again with the limit
// and the credit it had.
func (l *Ledger) Open(at int64, path market.Account) (Tx, error) {
	return l.enter(Tx{At: at, Kind: KindOpen, Job: NoJob, Account: path})
}

// SetLimit sets the most that an account, with all below it, may have held and
// spent in a calendar month; NoLimit lifts it. A limit below what is used
// already takes nothing back, but nothing more can be held.
func (l *Ledger) SetLimit(at int64, path market.Account, limit market.Money) (Tx, error) {
	n, err := l.findOrdinary(path)
	if err != nil {
		return Tx{}, err
	}
	return l.enter(Tx{At: at, Kind: KindLimit, Job: NoJob, Account: path, Limit: limit, Credit: n.Credit})
}

// SetCredit sets how far below zero the account may go to pay for jobs. It
// cannot be less than what the account is below zero now.
func (l *Ledger) SetCredit(at int64, path market.Account, credit market.Money) (Tx, error) {
	n, err := l.findOrdinary(path)
	if err != nil {
		return Tx{}, err
	}
	return l.enter(Tx{At: at, Kind: KindLimit, Job: NoJob, Account: path, Limit: n.Limit, Credit: credit})
}

// Close closes an account that has nothing in it: no money, no debt, no job
// that something is held for, no open account below it.
func (l *Ledger) Close(at int64, path market.Account) (Tx, error) {
	return l.enter(Tx{At: at, Kind: KindClose, Job: NoJob, Account: path})
}

func (l *Ledger) checkOpen(tx *Tx) error {
	if len(tx.Postings) != 0 {
		return fmt.Errorf("%w: %s with postings", ErrForm, tx.Kind)
	}
	if err := CheckPath(tx.Account); err != nil {
		return err
	}
	if n, there := l.accounts[tx.Account]; there && !n.Closed {
		return fmt.Errorf("%w: %s", ErrExists, tx.Account)
	}
	// Above the first account that is there all are, and if it is open all
	// are open.
	for path, more := parent(tx.Account); more; path, more = parent(path) {
		if n, there := l.accounts[path]; there {
			if n.Closed {
				return fmt.Errorf("%w: %s", ErrClosed, path)
			}
			break
		}
	}
	return nil
}

func (l *Ledger) checkLimit(tx *Tx) error {
	if len(tx.Postings) != 0 {
		return fmt.Errorf("%w: %s with postings", ErrForm, tx.Kind)
	}
	n, err := l.findOrdinary(tx.Account)
	switch {
	case err != nil:
		return err
	case tx.Limit < 0 && tx.Limit != NoLimit:
		return fmt.Errorf("%w: limit of %s (want 0 or more, or none)", market.ErrAmount, tx.Limit)
	case tx.Credit < 0:
		return fmt.Errorf("%w: credit of %s (want 0 or more)", market.ErrAmount, tx.Credit)
	case n.Free < -tx.Credit:
		return fmt.Errorf("%w: %s is %s below zero (want a credit of that at least)", ErrInUse, n.Path, n.Overdrawn())
	}
	return nil
}

func (l *Ledger) checkClose(tx *Tx) error {
	if len(tx.Postings) != 0 {
		return fmt.Errorf("%w: %s with postings", ErrForm, tx.Kind)
	}
	n, err := l.findOrdinary(tx.Account)
	switch {
	case err != nil:
		return err
	case n.Free != 0 || n.Held != 0:
		return fmt.Errorf("%w: %s has %s free and %s held", ErrInUse, n.Path, n.Free, n.Held)
	case n.jobs != 0:
		return fmt.Errorf("%w: %s has %d jobs with a hold", ErrInUse, n.Path, n.jobs)
	case n.below != 0:
		return fmt.Errorf("%w: %s has %d open accounts below it", ErrInUse, n.Path, n.below)
	}
	return nil
}

func (l *Ledger) open(path market.Account) *node {
	n, there := l.accounts[path]
	if there && !n.Closed {
		return n
	}
	if !there {
		n = &node{Account: Account{Path: path, Limit: NoLimit}}
		if above, more := parent(path); more {
			n.up = l.open(above)
		}
		l.accounts[path] = n
	}
	n.Closed = false
	if n.up != nil {
		n.up.below++
	}
	return n
}

func (l *Ledger) close(path market.Account) {
	n := l.accounts[path]
	n.Closed = true
	if n.up != nil {
		n.up.below--
	}
}
