package workload

import (
	"errors"
	"fmt"
)

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
