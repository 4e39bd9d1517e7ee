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
)

// console is where a command reads and writes. Results go to out; everything
// that is said about the work goes to err, so that results can be piped.
type console struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// warn tells the user something that does not stop the work.
func (c *console) warn(format string, args ...any) {
	fmt.Fprintf(c.err, "libra: warning: "+format+"\n", args...)
}

// complain says why the command ends. A file can have several mistakes; each
// has its line.
func (c *console) complain(err error) {
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(c.err, "libra: %s\n", line)
	}
}

// writeJSON writes a result for programs.
func (c *console) writeJSON(value any) error {
	encoder := json.NewEncoder(c.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// onTerminal reports whether somebody watches what is written there.
func onTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
