package spec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is one mistake in a file, and where it is. File is empty and Line is 0
// for a job or a cluster that does not come from a file.
type Error struct {
	File    string
	Line    int
	Field   string // as in qos.deadline; empty: the text as a whole
	Problem string
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:", e.Line)
	}
	if b.Len() > 0 {
		b.WriteString(" ")
	}
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	return b.String() + e.Problem
}

// Errors is every mistake found in a file, in the order of its lines.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the first mistake.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// ErrTooLarge says that a text is beyond [MaxBytes].
var ErrTooLarge = errors.New("text too large")

// quote shows what the user wrote, but not all of it if that is a lot.
func quote(text string) string {
	const enough = 40
	if len(text) > enough {
		cut := enough
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "..."
	}
	return strconv.Quote(text)
}

// plainKey is a key as it stands in a path: quoted if it could be mistaken for
// something else.
func plainKey(key string) string {
	for _, c := range key {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return quote(key)
		}
	}
	if key == "" || len(key) > 40 {
		return quote(key)
	}
	return key
}
