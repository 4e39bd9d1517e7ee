package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that a stranger has put where output will be is not written to.
func TestOutputIsNotWrittenIntoAStrangersFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a file of another user")
	}
	const stranger = 4321
	for _, c := range []struct {
		name    string
		mode    os.FileMode // of the directory
		owner   int
		planted bool
	}{
		{"a stranger's, where all may write", os.ModeSticky | 0o777, stranger, true},
		{"one's own, where all may write", os.ModeSticky | 0o777, os.Geteuid(), false},
		{"a colleague's, in a directory of the group", 0o770, stranger, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Chmod(dir, c.mode); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "libra-6.out")
			if err := os.WriteFile(path, []byte("before"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(path, c.owner, c.owner); err != nil {
				t.Fatal(err)
			}
			fd, err := target{Path: path}.open(-1)
			kept, _ := os.ReadFile(path) // what it was, or nothing
			if c.planted {
				if err == nil || !strings.Contains(err.Error(), "another user's") || string(kept) != "before" {
					t.Errorf("opened: %v, %q is left", err, kept)
				}
				return
			}
			if err != nil || string(kept) != "" {
				t.Fatalf("not opened anew: %v, %q is left", err, kept)
			}
			if err = unix.Close(fd); err != nil {
				t.Fatal(err)
			}
		})
	}
}
