package ledger

import (
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// What can be wrong with a request, or with a recorded transaction.
var (
	ErrPath    = errors.New("not the path of an account")
	ErrUnknown = errors.New("unknown account")
	ErrExists  = errors.New("account is open already")
	ErrClosed  = errors.New("account is closed")
	ErrSystem  = errors.New("not for a system account")
	ErrInUse   = errors.New("account is not empty")
	ErrMemo    = errors.New("not a memo")
	ErrTime    = errors.New("not a time that can come next")
	ErrJob     = errors.New("not a job")

	ErrShort      = errors.New("not enough money")
	ErrLimit      = errors.New("limit exceeded")
	ErrHeld       = errors.New("job has a hold already")
	ErrNoHold     = errors.New("job has no hold")
	ErrBeyondHold = errors.New("more than is held")

	ErrSum     = errors.New("postings do not sum to zero")
	ErrForm    = errors.New("not a transaction of its kind")
	ErrGap     = errors.New("not the next transaction")
	ErrHash    = errors.New("hash does not match")
	ErrBalance = errors.New("not what the transactions add up to")
	ErrState   = errors.New("not a state of a ledger")
)

// Shortage says that an account, with all above it, has less than was wanted.
type Shortage struct {
	Account market.Account
	Wanted  market.Money
	Have    market.Money // that could be taken, credit included
}

func (s *Shortage) Error() string {
	return fmt.Sprintf("%s: %v: wanted %s, have %s", s.Account, ErrShort, s.Wanted, s.Have)
}

// Unwrap makes every shortage an [ErrShort].
func (s *Shortage) Unwrap() error { return ErrShort }

// OverLimit says that a hold would take an account, with all below it, beyond
// its limit for the month.
type OverLimit struct {
	Account market.Account // whose limit it is: the payer's or one above
	Limit   market.Money
	Used    market.Money // held, and spent this month
	Wanted  market.Money
}

func (o *OverLimit) Error() string {
	return fmt.Sprintf("%s: %v: used %s of %s this month, wanted %s more", o.Account, ErrLimit, o.Used, o.Limit, o.Wanted)
}

// Unwrap makes every exceeded limit an [ErrLimit].
func (o *OverLimit) Unwrap() error { return ErrLimit }

// Break is where a log stops being true.
type Break struct {
	Seq int64 // of the first transaction that is wrong, or missing
	Err error // why
}

func (b *Break) Error() string { return fmt.Sprintf("transaction %d: %v", b.Seq, b.Err) }

// Unwrap is why the log breaks.
func (b *Break) Unwrap() error { return b.Err }
