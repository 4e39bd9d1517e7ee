package main

import (
	"errors"

	"github.com/libra-market/libra/live/directive"
)

// exitUnread is what sbatch ends with where it cannot read its options, or those in a script.
const exitUnread = 255

// sbatchError is what went wrong with a job that was handed in as with sbatch, and what that would
// have ended with: scripts that hand in others look at it.
type sbatchError struct {
	err  error
	code int
}

func (e *sbatchError) Error() string { return e.err.Error() }
func (e *sbatchError) Unwrap() error { return e.err }

// asSbatch has a mistake of a user end like one in sbatch. What the market says stays what it is.
func asSbatch(err error) error {
	if directive.Unread(err) {
		return &sbatchError{err, exitUnread}
	}
	if _, usage := errors.AsType[*usageError](err); usage {
		return &sbatchError{err, exitFailure}
	}
	return err
}
