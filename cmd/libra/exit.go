package main

import (
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// The exit codes, as the help of libra states them.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitRefused = 3 // the market said no
	// exitNotTaken is the same where exit codes are a job's: one that programs leave to
	// those who run them.
	exitNotTaken = 125
)

// usageError is a mistake in the command line, not in a file.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if as, ok := errors.AsType[*sbatchError](err); ok {
		return as.code
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*market.Rejection](err); ok {
		return exitRefused
	}
	if coded, ok := errors.AsType[exitCoder](err); ok {
		return coded.ExitCode()
	}
	return exitFailure
}

// exitCoder is an error that knows what to exit with: a live market's answer,
// or the end of a job that was waited for.
type exitCoder interface {
	error
	ExitCode() int
}
