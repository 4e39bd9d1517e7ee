package ledger

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// State is all a ledger knows, as plain data: what it needs to go on from here
// without the transactions that led here. The zero State is that of a ledger
// with nothing in it.
type State struct {
	Seq      int64     `json:"seq"`   // of the last transaction
	At       int64     `json:"at_us"` // when that was
	Hash     Hash      `json:"hash"`
	Accounts []Account `json:"accounts"` // in order of their paths
	Holds    []Hold    `json:"holds"`    // in order of their jobs
}

// State is what the ledger knows now.
func (l *Ledger) State() State {
	return State{Seq: l.seq, At: l.at, Hash: l.head, Accounts: l.Accounts(""), Holds: l.Holds("")}
}

// Restore is the ledger of that state. It refuses a state that no transactions
// could have led to, as far as that can be seen without them.
func Restore(s State) (*Ledger, error) {
	l := New()
	if s.Seq == 0 && s.At == 0 && s.Hash == (Hash{}) && len(s.Accounts) == 0 && len(s.Holds) == 0 {
		return l, nil
	}
	if s.Seq < 0 || checkTime(s.At) != nil {
		return nil, fmt.Errorf("%w: transaction %d at %d", ErrState, s.Seq, s.At)
	}
	l.seq, l.at, l.head = s.Seq, s.At, s.Hash
	if err := l.restoreAccounts(s.Accounts); err != nil {
		return nil, err
	}
	if err := l.restoreHolds(s.Holds); err != nil {
		return nil, err
	}
	for _, a := range s.Accounts {
		n := l.accounts[a.Path]
		if n.Held != a.Held || n.Reserved != a.Reserved {
			return nil, fmt.Errorf("%w: %s has %s held and %s reserved, its holds make %s and %s",
				ErrState, a.Path, a.Held, a.Reserved, n.Held, n.Reserved)
		}
		if n.Closed && (n.Free != 0 || n.Held != 0 || n.jobs != 0 || n.below != 0) {
			return nil, fmt.Errorf("%w: %s is closed, but not empty", ErrState, a.Path)
		}
	}
	if sum := l.Total(); sum != 0 {
		return nil, fmt.Errorf("%w: all money together is %s", ErrState, sum)
	}
	return l, nil
}

// restoreAccounts builds the tree, with nothing held yet.
func (l *Ledger) restoreAccounts(accounts []Account) error {
	if !slices.IsSortedFunc(accounts, func(a, b Account) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), -1) // the same one twice is out of order
	}) {
		return fmt.Errorf("%w: accounts are not in order of their paths", ErrState)
	}
	found := 0
	for _, a := range accounts {
		if err := l.checkAccount(&a); err != nil {
			return err
		}
		n := &node{Account: a}
		n.Held, n.Reserved = 0, 0
		if system(a.Path) {
			if a.Path != Allowances { // which is there once it was needed
				found++
			}
		} else if above, more := parent(a.Path); more {
			// A path sorts before all below it, so the parent was made.
			if n.up = l.accounts[above]; n.up == nil {
				return fmt.Errorf("%w: %s without %s", ErrState, a.Path, above)
			}
			if !a.Closed {
				n.up.below++
			}
		}
		l.accounts[a.Path] = n
	}
	if found != 2 {
		return fmt.Errorf("%w: without the system accounts", ErrState)
	}
	return nil
}

func (l *Ledger) checkAccount(a *Account) error {
	switch {
	case !system(a.Path):
		if err := CheckPath(a.Path); err != nil {
			return fmt.Errorf("%w: %w", ErrState, err)
		}
		if a.Free < -a.Credit {
			return fmt.Errorf("%w: %s is below zero by %s, its credit is %s", ErrState, a.Path, a.Overdrawn(), a.Credit)
		}
	case a.Limit != NoLimit || a.Credit != 0 || a.Month != 0 || a.Closed:
		return fmt.Errorf("%w: %s with a limit, or closed", ErrState, a.Path)
	}
	if a.Limit < NoLimit || a.Credit < 0 {
		return fmt.Errorf("%w: %s has a limit of %s and a credit of %s", ErrState, a.Path, a.Limit, a.Credit)
	}
	inYear := a.Month%100 >= 1 && a.Month%100 <= 12 && a.Month >= monthOf(0) && a.Month <= monthOf(l.at)
	if !inYear && (a.Month != 0 || a.Spent != 0) {
		return fmt.Errorf("%w: %s has spent %s in month %d", ErrState, a.Path, a.Spent, a.Month)
	}
	if a.Sent < 0 || a.Sent != 0 && a.Month == 0 {
		return fmt.Errorf("%w: %s has sent %s in month %d", ErrState, a.Path, a.Sent, a.Month)
	}
	return nil
}

// restoreHolds adds up what is held from the holds.
func (l *Ledger) restoreHolds(holds []Hold) error {
	if !slices.IsSortedFunc(holds, func(a, b Hold) int { return cmp.Or(cmp.Compare(a.Job, b.Job), -1) }) {
		return fmt.Errorf("%w: holds are not in order of their jobs", ErrState)
	}
	for _, h := range holds {
		payer, err := l.findOrdinary(h.Account)
		if err != nil || h.Job < 0 || h.At < 0 || h.At > l.at {
			return fmt.Errorf("%w: job %d of %q at %d", ErrState, h.Job, h.Account, h.At)
		}
		var sum market.Money
		n := payer
		for _, p := range h.Parts {
			for n != nil && n.Path != p.Account {
				n = n.up
			}
			if n == nil || p.Amount <= 0 {
				return fmt.Errorf("%w: job %d of %s has %s of %q", ErrState, h.Job, h.Account, p.Amount, p.Account)
			}
			if sum, err = sum.Plus(p.Amount); err != nil {
				return fmt.Errorf("%w: job %d: %w", ErrState, h.Job, err)
			}
			if n.Held, err = n.Held.Plus(p.Amount); err != nil {
				return fmt.Errorf("%w: %s: %w", ErrState, n.Path, err)
			}
			n = n.up
		}
		for n := payer; n != nil; n = n.up {
			if n.Reserved, err = n.Reserved.Plus(sum); err != nil {
				return fmt.Errorf("%w: %s: %w", ErrState, n.Path, err)
			}
		}
		payer.jobs++
		l.holds[h.Job] = hold{payer: payer, at: h.At, parts: append([]Part{}, h.Parts...)}
	}
	return nil
}
