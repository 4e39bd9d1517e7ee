package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/client/v1"
)

// terminal is a terminal, and what somebody sees who watches it.
func terminal(t *testing.T) (watched, seen *os.File) {
	t.Helper()
	seen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = seen.Close() })
	if err = unix.IoctlSetPointerInt(int(seen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(seen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if watched, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return watched, seen
}

// A terminal shows what somebody else's job wrote; a file and whoever asks for it
// get it as it is.
func TestLogsAreNotObeyed(t *testing.T) {
	const wrote = "a\x1b[2J\u202eb\r\nc\xff\n"
	f := newFloor()
	f.Put(v1.Job{ID: 7, Owner: "alice", Name: "x\u202e", State: v1.Completed})
	f.Write(7, wrote)
	open(t, f, v1.RoleUser)
	for _, c := range []struct {
		args []string
		want string // on a terminal
	}{
		{[]string{"logs", "7"}, `a\u001b[2J\u202eb\r` + "\n" + `c\xff` + "\n"},
		{[]string{"logs", "--tail", "1", "7"}, `c\xff` + "\n"},
		{[]string{"logs", "--raw", "7"}, wrote},
	} {
		watched, seen := terminal(t)
		said := make(chan string)
		go func() {
			text, _ := io.ReadAll(seen) // it ends with an error when the other side is closed
			said <- string(text)
		}()
		if code := run(t.Context(), c.args, strings.NewReader(""), watched, io.Discard); code != exitOK {
			t.Errorf("libra %v: exit code %d", c.args, code)
		}
		_ = watched.Close()
		// A terminal makes two characters of the end of a line.
		if got := strings.ReplaceAll(<-said, "\r", ""); got != strings.ReplaceAll(c.want, "\r", "") {
			t.Errorf("libra %v on a terminal: %q, want %q", c.args, got, c.want)
		}
	}
	if got := mustLibra(t, "logs", "7"); got != wrote {
		t.Errorf("in a pipe: %q", got)
	}
}

// On a terminal a table has its colours, and nothing else of that kind.
func TestATableOnATerminal(t *testing.T) {
	f := newFloor()
	f.Put(v1.Job{ID: 7, Owner: "alice", Name: "x\x1b[31m\u202e", State: v1.Running})
	open(t, f, v1.RoleUser)
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	watched, seen := terminal(t)
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(seen) // as above
		said <- string(text)
	}()
	if code := run(t.Context(), []string{"jobs"}, strings.NewReader(""), watched, io.Discard); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	_ = watched.Close()
	got := <-said
	if !strings.Contains(got, "\x1b[1m") || !strings.Contains(got, `x\u001b[31m\u202e`) || strings.Contains(got, "x\x1b") {
		t.Errorf("%q", got)
	}
}
