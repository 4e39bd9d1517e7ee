package store

import (
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/trade"
)

// What can go wrong, for programs to tell apart.
var (
	ErrConflict    = errors.New("another writer was here")
	ErrInvalid     = errors.New("cannot be stored")
	ErrTaken       = errors.New("another controller leads")
	ErrNewer       = errors.New("the database was written by a newer version")
	ErrForeign     = errors.New("the database holds something else")
	ErrNotDatabase = errors.New("not a database")
	ErrDamaged     = errors.New("the store is damaged")
	ErrAddress     = errors.New("not the address of a store")
	ErrExists      = errors.New("exists already")
	ErrUnknown     = errors.New("does not exist")
)

// What can go wrong for a while. A market on such a store is closed meanwhile, and
// whoever asks may be told why.
var (
	ErrFull      error = &trade.Closed{Why: "no space left for the database"}
	ErrReadOnly  error = &trade.Closed{Why: "the database cannot be written"}
	ErrAway      error = &trade.Closed{Why: "the database does not answer"}
	ErrUncertain error = &trade.Closed{Why: "the connection was lost before the database said whether it is written"}
	ErrDeposed   error = &trade.Closed{Why: "this controller does not lead any more"}
	ErrClosed    error = &trade.Closed{Why: "the store is closed"}
)

// BrokenChain says where the log stops making sense.
type BrokenChain struct {
	Seq int64 // the first entry that is wrong or missing
	Why string
}

// Error names the entry and what is wrong with it.
func (b *BrokenChain) Error() string {
	return fmt.Sprintf("the log is broken at entry %d: %s", b.Seq, b.Why)
}

// Taken says who leads. It is an [ErrTaken].
type Taken struct {
	PID   int    // of the process, or of its session in PostgreSQL; 0 if unknown
	Where string // the lock file, or where the session comes from

	orphan bool // it is of this machine, and gone: see patiently
}

// Error names the holder.
func (t *Taken) Error() string {
	if t.PID == 0 {
		return fmt.Sprintf("%v (%s)", ErrTaken, t.Where)
	}
	return fmt.Sprintf("%v (pid %d, %s)", ErrTaken, t.PID, t.Where)
}

// Unwrap is [ErrTaken].
func (t *Taken) Unwrap() error { return ErrTaken }

// uncertain is an [ErrUncertain] and why.
type uncertain struct{ cause error }

func (u *uncertain) Error() string        { return fmt.Sprintf("%v: %v", ErrUncertain, u.cause) }
func (u *uncertain) Unwrap() error        { return u.cause }
func (u *uncertain) Is(target error) bool { return target == ErrUncertain }

// errStale: the head is not the one that was expected, so somebody else wrote.
var errStale = errors.New("the head has moved")

// sentinels are the errors that explain hands out; what carries one already is
// explained.
var sentinels = []error{
	ErrConflict, ErrInvalid, ErrFull, ErrReadOnly, ErrAway, ErrUncertain, ErrDeposed, ErrTaken, ErrNewer, ErrForeign, ErrNotDatabase, ErrDamaged, ErrClosed, errStale,
}

func explained(err error) bool {
	for _, s := range sentinels {
		if errors.Is(err, s) {
			return true
		}
	}
	return false
}
