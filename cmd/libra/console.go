package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/libra-market/libra/core/plain"
)

// console is where a command reads and writes. Results go to out; everything
// that is said about the work goes to err, so that results can be piped.
type console struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// newConsole shows what is written, and obeys none of it.
func newConsole(in io.Reader, out, err io.Writer) *console {
	return &console{in: in, out: &screen{to: out}, err: &screen{to: err}}
}

// finish is when no more is written.
func (c *console) finish() {
	control(c.out, "")
	control(c.err, "")
}

// warn tells the user something that does not stop the work.
func (c *console) warn(format string, args ...any) {
	for i := range args {
		args[i] = visible(args[i])
	}
	_ = paragraph(c.err, "libra: warning: ", fmt.Sprintf(format, args...)) // where it cannot be said it goes unsaid
}

// note tells the user how something was understood.
func (c *console) note(format string, args ...any) {
	for i := range args {
		args[i] = visible(args[i])
	}
	_ = paragraph(c.err, "libra: ", fmt.Sprintf(format, args...)) // as above
}

// complain says why the command ends. A file can have several mistakes; each
// has its line.
func (c *console) complain(err error) {
	if err.Error() == "" { // the exit code says it
		return
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	most := columnsIn(c.err)
	for line := range strings.SplitSeq(inLines(err), "\n") {
		const who = "libra: "
		if most > leastText+len(who) {
			line = strings.Join(aroundCommand(line, most-len(who)), "\n"+strings.Repeat(" ", len(who)))
		}
		printf(c.err, "%s%s\n", who, lines(line))
	}
}

// aroundCommand breaks a text into lines between words; a command that is to be pasted, one
// that a line begins with or that follows a colon, stays whole.
func aroundCommand(line string, most int) []string {
	const command = "libra "
	switch before, after, found := strings.Cut(line, ": "+command); {
	case strings.HasPrefix(strings.TrimLeft(line, " "), command):
		return []string{line}
	case found && columnsOf(line) > most:
		return append(inColumns(before+":", most), command+after)
	}
	return inColumns(line, most)
}

// inLines is the text of an error. It has the lines of several mistakes, and of what a
// market would take instead; whatever else was put into it has none.
func inLines(err error) string {
	if offers, is := err.(*refusal); is { //nolint:errorlint // of this one alone, not of what wraps it
		return offers.Error()
	}
	var parts []error
	switch wrapper := err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() []error }:
		parts = wrapper.Unwrap()
	case interface{ Unwrap() error }:
		parts = append(parts, wrapper.Unwrap())
	}
	var b strings.Builder
	rest := err.Error()
	for _, part := range parts {
		if part == nil {
			continue
		}
		before, after, found := strings.Cut(rest, part.Error())
		if !found {
			continue
		}
		if before != "\n" { // that is between two mistakes
			before = plain.Text(before)
		}
		b.WriteString(before + inLines(part))
		rest = after
	}
	return b.String() + plain.Text(rest)
}

// writeJSON writes a result for programs.
func (c *console) writeJSON(value any) error {
	encoder := json.NewEncoder(c.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// interactive reports whether somebody is there who can be asked.
func (c *console) interactive() bool {
	file, ok := c.in.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && onTerminal(c.err)
}

// onTerminal reports whether somebody watches what is written there.
func onTerminal(out io.Writer) bool {
	if s, is := out.(*screen); is {
		out = s.to
	}
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
