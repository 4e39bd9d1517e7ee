package main

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/libra-market/libra/core/plain"
)

// screen is what every command writes to: whatever people wrote, names, arguments,
// directories, error texts, is shown there and not obeyed (core/plain). What draws on
// a terminal says so by control. Lines are the program's own: what comes from
// elsewhere is printed by printf and printline, or stands in a grid, which leave none
// in it. A test holds all commands to that.
type screen struct {
	mu   sync.Mutex
	to   io.Writer
	rest []byte // the beginning of a character whose end is still to come

	columns int // that there are, where that is known otherwise; 0: ask the terminal
}

// Write shows a text.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := text
	if len(s.rest) > 0 {
		whole = append(s.rest, text...)
	}
	whole, s.rest = wholeRunes(whole)
	if _, err := io.WriteString(s.to, plain.Lines(string(whole))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// wholeRunes cuts a text before a character that is not all there.
func wholeRunes(text []byte) (whole, rest []byte) {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		if !utf8.FullRune(text[i:]) {
			return text[:i], append([]byte(nil), text[i:]...)
		}
		break
	}
	return text, nil
}

// control moves the cursor, and the like.
func (s *screen) control(sequence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The beginning of a character that has no end comes first. What cannot be drawn
	// cannot be said either.
	_, _ = io.WriteString(s.to, plain.Text(string(s.rest))+sequence)
	s.rest = nil
}

// control writes to a terminal what it is to obey. Elsewhere there is nothing to
// obey it.
func control(to io.Writer, sequence string) {
	if s, is := to.(*screen); is {
		s.control(sequence)
	}
}

// raw is where bytes go that are not for people.
func raw(to io.Writer) io.Writer {
	if s, is := to.(*screen); is {
		s.control("") // what was begun comes first
		return s.to
	}
	return to
}

// unwatched is where bytes go that may be for people: as they are, unless somebody
// watches.
func unwatched(to io.Writer) io.Writer {
	if onTerminal(to) {
		return to
	}
	return raw(to)
}

// printf prints with all arguments on the line they are in.
func printf(to io.Writer, format string, args ...any) (int, error) {
	for i := range args {
		args[i] = visible(args[i])
	}
	return fmt.Fprintf(to, format, args...)
}

// printline prints arguments and ends the line.
func printline(to io.Writer, args ...any) (int, error) {
	for i := range args {
		args[i] = visible(args[i])
	}
	return fmt.Fprintln(to, args...)
}

// lines is a text of the program's own that may have several.
type lines string

// visible is an argument as it is printed.
func visible(arg any) any {
	switch arg := arg.(type) {
	case nil, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64, lines, seen:
		return arg
	default:
		return seen{arg}
	}
}

// seen is a value that is printed like any other, and then made plain.
type seen struct{ value any }

// Format prints it.
func (s seen) Format(to fmt.State, verb rune) {
	_, _ = io.WriteString(to, plain.Text(fmt.Sprintf(fmt.FormatString(to, verb), s.value))) // a buffer of fmt's
}
