package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
)

// What is not finished leaves the old file as it was and nothing beside it.
func TestOutputIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	con := &console{out: io.Discard, err: io.Discard}
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := con.writeOutput(path, func(out io.Writer) error {
		_, _ = io.WriteString(out, "half")
		return broken
	})
	if !errors.Is(err, broken) || read(t, path) != "old" {
		t.Errorf("%v, and the file holds %q", err, read(t, path))
	}
	link := filepath.Join(dir, "link.csv")
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := con.writeOutput(link, func(out io.Writer) error { _, err := io.WriteString(out, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	about, err := os.Stat(path)
	if err != nil || read(t, path) != "new" || about.Mode().Perm() != 0o640 {
		t.Errorf("%v, the file holds %q, mode %v", err, read(t, path), about.Mode())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, the directory holds %v", err, entries)
	}
	if err := con.writeOutput(dir, nil); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("writing to a directory: %v", err)
	}
}

// A device is written to and stays a device.
func TestOutputToDevice(t *testing.T) {
	con := &console{out: io.Discard, err: io.Discard}
	if err := con.writeOutput(os.DevNull, func(out io.Writer) error { _, err := io.WriteString(out, "x"); return err }); err != nil {
		t.Fatal(err)
	}
	if about, err := os.Stat(os.DevNull); err != nil || about.Mode().IsRegular() {
		t.Errorf("%v, %v", about, err)
	}
}

func TestBar(t *testing.T) {
	if got, want := paintBar("fifo", 200, 50), "fifo  [#######.......................]  25 %"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := paintBar("fifo", -1, 1234), "fifo  1,234"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var out lockedBuffer
	finish := startBar(&screen{to: &out}, "fifo", 10, func() int64 { return 20 })
	for end := time.Now().Add(time.Minute); !strings.Contains(out.String(), "100 %") && time.Now().Before(end); {
		time.Sleep(barEvery / 10)
	}
	finish()
	finish()
	if got := out.String(); !strings.Contains(got, "100 %") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("got %q, want a full bar, erased at the end", got)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) WriteString(text string) (int, error) { return b.Write([]byte(text)) }

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{grouped(0, 0), "0"},
		{grouped(999, 0), "999"},
		{grouped(1234567.891, 2), "1,234,567.89"},
		{grouped(-1234, 0), "-1,234"},
		{grouped(-0.001, 2), "0.00"},
		{amount(12.5), "12.50"},
		{amount(123456.7), "123,457"},
		{percentOf(1, 3), "33.3 %"},
		{percentOf(0, 0), ""},
		{unpadded(12), "12"},
		{unpadded(0.5), "0.5"},
		{unpadded(1.0 / 3), "0.333"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for want, err := range map[int]error{
		exitOK:      nil,
		exitFailure: errors.New("x"),
		exitUsage:   fmt.Errorf("y: %w", usagef("x")),
		exitRefused: fmt.Errorf("y: %w", &market.Rejection{Reason: market.CannotMeetBudget}),
	} {
		if got := exitCode(err); got != want {
			t.Errorf("%v: exit code %d, want %d", err, got, want)
		}
	}
}
