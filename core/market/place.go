package market

import (
	"errors"
	"fmt"
)

// PlaceError says where in a file something is wrong.
type PlaceError struct {
	File  string
	Line  int64  // from 1; 0: the file as a whole
	Field string // a column of a table or a field of a record; may be empty
	Err   error
}

func (e *PlaceError) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s line %d", e.File, e.Line)
	}
	// A FieldError names its field itself.
	if _, named := errors.AsType[*FieldError](e.Err); e.Field == "" || named {
		return fmt.Sprintf("%s: %v", place, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", place, e.Field, e.Err)
}

// Unwrap gives the cause.
func (e *PlaceError) Unwrap() error { return e.Err }
