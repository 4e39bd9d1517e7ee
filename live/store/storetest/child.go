package storetest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"testing"

	"github.com/libra-market/libra/live/store"
)

// Child is another process that uses a store and is killed at some time.
type Child struct {
	command *exec.Cmd
	words   io.WriteCloser // what it is told
	lines   *bufio.Scanner
}

// StartChild runs this test binary as a child of a kind, on the store that the
// first argument names.
func StartChild(tb testing.TB, kind string, args ...string) *Child {
	tb.Helper()
	c := &Child{command: exec.Command(os.Args[0], args...)}
	c.command.Env = append(os.Environ(), childVar+"="+kind)
	c.command.Stderr = os.Stderr
	out, err := c.command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if c.words, err = c.command.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		tb.Fatal(err)
	}
	c.lines = bufio.NewScanner(out)
	tb.Cleanup(func() { c.Kill() })
	return c
}

// PID is the process of the child.
func (c *Child) PID() int { return c.command.Process.Pid }

// Line is the next line the child prints; false if it has ended.
func (c *Child) Line() (string, bool) {
	ok := c.lines.Scan()
	return c.lines.Text(), ok
}

// Tell says a line to the child, and returns what it says to that.
func (c *Child) Tell(tb testing.TB, line string) string {
	tb.Helper()
	if _, err := io.WriteString(c.words, line+"\n"); err != nil {
		tb.Fatal(err)
	}
	said, ok := c.Line()
	if !ok {
		tb.Fatalf("the child ended when it was told to %s", line)
	}
	return said
}

// Signal sends the child a signal, such as one that makes it stand still.
func (c *Child) Signal(tb testing.TB, s os.Signal) {
	tb.Helper()
	if err := c.command.Process.Signal(s); err != nil {
		tb.Fatal(err)
	}
}

// Kill ends the child without a word, waits until it is gone, and returns the
// last line it had printed.
func (c *Child) Kill() string {
	c.command.Process.Kill() // it may have ended
	last := c.lines.Text()
	for c.lines.Scan() {
		last = c.lines.Text()
	}
	c.command.Wait() // it was killed
	return last
}

// The kinds of children.
const (
	// Appender leads, appends batches for ever and prints the last entry of
	// each when the store has acknowledged it.
	Appender = "append"
	// Leader takes the lead, prints "leads", and keeps it.
	Leader = "lead"
	// Servant takes the lead, prints "leads", and then does what it is told, line
	// by line: append, set, note or lead. It prints "done", or why not.
	Servant = "serve"
	// Restorer restores a backup of a second store and prints a line for every
	// row.
	Restorer = "restore"
)

func child(kind string, args []string) error {
	ctx := context.Background()
	if kind == Restorer {
		return restore(ctx, args[0], args[1])
	}
	s, err := store.Open(ctx, args[0])
	if err != nil {
		return err
	}
	switch kind {
	case Appender:
		return appendForEver(ctx, s)
	case Leader:
		if _, _, err := s.Lead(ctx); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, "leads")
		select {}
	case Servant:
		return serve(ctx, s)
	}
	return fmt.Errorf("no such kind: %s", kind)
}

// serve does what it is told.
func serve(ctx context.Context, s store.Store) error {
	if _, _, err := s.Lead(ctx); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "leads")
	last, _, err := s.Last(ctx)
	if err != nil {
		return err
	}
	seq := last.Seq
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch lines.Text() {
		case "append":
			if err = s.Append(ctx, Numbered(seq+1, 1)); err == nil {
				seq++
			}
		case "set":
			err = s.SetMeta(ctx, "servant", "was here")
		case "note":
			err = s.PutNotes(ctx, []store.Note{{Kind: "servant", Key: "k"}})
		case "lead":
			_, err = s.Leads()
		}
		switch {
		case err == nil:
			fmt.Fprintln(os.Stdout, "done")
		case errors.Is(err, store.ErrDeposed):
			fmt.Fprintln(os.Stdout, "deposed")
		default:
			fmt.Fprintln(os.Stdout, err)
		}
	}
	return nil
}

func restore(ctx context.Context, address, source string) error {
	var backup bytes.Buffer
	if _, err := store.Save(ctx, source, &backup, 0, nil); err != nil {
		return err
	}
	from, err := store.ReadBackup(&backup)
	if err != nil {
		return err
	}
	return store.Load(ctx, address, from, func(iter.Seq2[store.Tx, error]) error { return nil },
		func(done, _ int64) { fmt.Fprintln(os.Stdout, done) })
}

func appendForEver(ctx context.Context, s store.Store) error {
	if _, _, err := s.Lead(ctx); err != nil {
		return err
	}
	last, _, err := s.Last(ctx)
	if err != nil {
		return err
	}
	for seq := last.Seq; ; {
		b := Numbered(seq+1, 1+int(seq%7))
		if err := s.Append(ctx, b); err != nil {
			return err
		}
		seq = b.Entries[len(b.Entries)-1].Seq
		fmt.Fprintln(os.Stdout, seq)
	}
}
