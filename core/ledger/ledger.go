package ledger

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Ledger is the state that the transactions so far add up to. Every operation
// checks all before it changes anything, costs no more for a larger ledger or a
// longer history, and returns the transaction it made, for the caller to store.
type Ledger struct {
	accounts map[market.Account]*node
	holds    map[int64]hold
	seq      int64
	at       int64
	head     Hash
	buffer   []byte // scratch of the encoding

	// Rule is the one under which new transactions are made. It is not part of the
	// state.
	Rule Rule
}

// New is a ledger with nothing in it but the system accounts.
func New() *Ledger {
	l := &Ledger{accounts: map[market.Account]*node{}, holds: map[int64]hold{}, Rule: RuleGiven}
	for _, path := range []market.Account{Mint, Owner} {
		l.accounts[path] = &node{Account: Account{Path: path, Limit: NoLimit}}
	}
	return l
}

// enter makes the transaction true as the next of the chain.
func (l *Ledger) enter(tx Tx) (Tx, error) {
	tx.Seq = l.seq + 1
	c, err := l.check(&tx)
	if err != nil {
		return Tx{}, err
	}
	tx.Hash = l.sum(&tx)
	l.carry(&tx, &c)
	return tx, nil
}

// Apply makes a recorded transaction true. It decides nothing: who paid and
// how much is what the transaction says. But it must be the next of the chain,
// unaltered, and possible: known accounts, postings of its kind that sum to
// zero, nobody overdrawn, nothing captured that was not held. Limits are not
// asked again, since they say what may be begun, not what has been.
func (l *Ledger) Apply(tx Tx) error {
	if tx.Seq != l.seq+1 {
		return fmt.Errorf("%w: found %d, want %d", ErrGap, tx.Seq, l.seq+1)
	}
	if sum := l.sum(&tx); sum != tx.Hash {
		return fmt.Errorf("%w: found %s, want %s", ErrHash, tx.Hash, sum)
	}
	c, err := l.check(&tx)
	if err != nil {
		return err
	}
	l.carry(&tx, &c)
	return nil
}

func (l *Ledger) sum(tx *Tx) Hash {
	l.buffer = tx.encode(l.buffer[:0], l.head)
	return sha256.Sum256(l.buffer)
}

// Head is the number and the hash of the last transaction.
func (l *Ledger) Head() (seq int64, hash Hash) { return l.seq, l.head }

// Account is what the ledger knows of an account, if it was ever opened.
func (l *Ledger) Account(path market.Account) (Account, bool) {
	n, there := l.accounts[path]
	if !there {
		return Account{}, false
	}
	return n.Account, true
}

// Accounts are the account and all below it, closed ones included, in order of
// their paths; with no prefix all there are, the system accounts too.
func (l *Ledger) Accounts(prefix market.Account) []Account {
	found := []Account{}
	for path, n := range l.accounts {
		if prefix == "" || Within(path, prefix) {
			found = append(found, n.Account)
		}
	}
	slices.SortFunc(found, func(a, b Account) int { return cmp.Compare(a.Path, b.Path) })
	return found
}

// Paths are the accounts of people, in order.
func (l *Ledger) Paths() []string {
	var paths []string
	for _, a := range l.Accounts("") {
		if !system(a.Path) {
			paths = append(paths, string(a.Path))
		}
	}
	return paths
}

// Holds are what is held for the jobs of the account and of all below it, in
// order of the jobs; with no path, of all accounts.
func (l *Ledger) Holds(path market.Account) []Hold {
	found := []Hold{}
	for _, job := range slices.Sorted(maps.Keys(l.holds)) {
		h := l.holds[job]
		if path == "" || Within(h.payer.Path, path) {
			found = append(found, h.show(job))
		}
	}
	return found
}

// HoldOf is what is held for a job, if anything ever was and still is.
func (l *Ledger) HoldOf(job int64) (Hold, bool) {
	h, there := l.holds[job]
	if !there {
		return Hold{}, false
	}
	return h.show(job), true
}

// Total is the sum of all money there is, which is zero: all of it was lent by
// the mint.
func (l *Ledger) Total() market.Money {
	// In two halves, because sums on the way may be larger than money can be.
	var high, low int64
	for _, n := range l.accounts {
		for _, m := range [...]market.Money{n.Free, n.Held} {
			high += int64(m) >> 32
			low += int64(m) & 0xffff_ffff
		}
	}
	high += low >> 32
	switch {
	case high > math.MaxInt32:
		return math.MaxInt64
	case high < math.MinInt32:
		return math.MinInt64
	}
	return market.Money(high<<32 | low&0xffff_ffff)
}
