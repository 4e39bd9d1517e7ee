package ledger

import (
	"fmt"
	"iter"
)

// Verify adds all transactions up again, from nothing (the zero [State]) or from
// a state that is trusted, and returns the state they lead to. The first one
// that cannot be true comes back as a [*Break], with its number and why. If a
// state is given that they should lead to, a difference to it is a Break too,
// at the last transaction: without it, a log that lost its end looks whole.
//
// An error of the log itself is returned as it came, with the place.
func Verify(from State, log iter.Seq2[Tx, error], want *State) (State, error) {
	l, err := Restore(from)
	if err != nil {
		return State{}, err
	}
	for tx, err := range log {
		if err != nil {
			return State{}, fmt.Errorf("read after transaction %d: %w", l.seq, err)
		}
		if err := l.Apply(tx); err != nil {
			return State{}, &Break{Seq: l.seq + 1, Err: err}
		}
	}
	if sum := l.Total(); sum != 0 {
		return State{}, &Break{Seq: l.seq, Err: fmt.Errorf("%w: all money together is %s", ErrSum, sum)}
	}
	reached := l.State()
	if want == nil {
		return reached, nil
	}
	if err := reached.differs(want); err != nil {
		return State{}, &Break{Seq: l.seq, Err: err}
	}
	return reached, nil
}

// is reports whether an account is as claimed. What it sent was not noted at first, and
// binds nobody: less of that may be claimed.
func (a Account) is(claimed Account) bool {
	claimed.Sent = max(claimed.Sent, a.Sent)
	return a == claimed
}

// differs names the first difference between what the transactions add up to
// and what is claimed.
func (s *State) differs(claimed *State) error {
	for i := range max(len(s.Accounts), len(claimed.Accounts)) {
		switch {
		case i >= len(claimed.Accounts):
			return fmt.Errorf("%w: %s is missing", ErrBalance, s.Accounts[i].Path)
		case i >= len(s.Accounts):
			return fmt.Errorf("%w: %s was never opened", ErrBalance, claimed.Accounts[i].Path)
		case !s.Accounts[i].is(claimed.Accounts[i]):
			return fmt.Errorf("%w: found %+v, want %+v", ErrBalance, claimed.Accounts[i], s.Accounts[i])
		}
	}
	for i := range max(len(s.Holds), len(claimed.Holds)) {
		switch {
		case i >= len(claimed.Holds):
			return fmt.Errorf("%w: the hold of job %d is missing", ErrBalance, s.Holds[i].Job)
		case i >= len(s.Holds):
			return fmt.Errorf("%w: nothing is held for job %d", ErrBalance, claimed.Holds[i].Job)
		case !s.Holds[i].equal(claimed.Holds[i]):
			return fmt.Errorf("%w: found %+v, want %+v", ErrBalance, claimed.Holds[i], s.Holds[i])
		}
	}
	if s.Seq != claimed.Seq || s.At != claimed.At || s.Hash != claimed.Hash {
		return fmt.Errorf("%w: found transaction %d with hash %s, want %d with %s",
			ErrBalance, claimed.Seq, claimed.Hash, s.Seq, s.Hash)
	}
	return nil
}
