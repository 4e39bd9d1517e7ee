package workload

import (
	"errors"
	"fmt"

	"libra/market"
)

// PlaceError says where in a file something is wrong.
type PlaceError struct {
	File  string
	Line  int64  // from 1; 0: the file as a whole
	Field string // a column of a CSV file or a field of an SWF record; may be empty
	Err   error
}

func (e *PlaceError) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s line %d", e.File, e.Line)
	}
	// A FieldError names its field itself.
	if _, named := errors.AsType[*market.FieldError](e.Err); e.Field == "" || named {
		return fmt.Sprintf("%s: %v", place, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", place, e.Field, e.Err)
}

// Unwrap gives the cause.
func (e *PlaceError) Unwrap() error { return e.Err }

// maxSpan is the largest time or work that [market.Job.Validate] accepts. It
// is repeated here because real runtimes, which no policy sees, are held to it
// too.
const maxSpan = 1e15

var (
	errNotNumber = errors.New("not a number")
	errNotWhole  = errors.New("not a whole number")
	errTooLarge  = errors.New("too large")
	errNegative  = errors.New("less than 0")
)

// valueError shows a value beside what is wrong with it.
func valueError(value float64, err error) error { return fmt.Errorf("%v: %w", value, err) }
