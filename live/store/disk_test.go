package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// tmpfs is a directory with a file system of its own that goes with the test.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "libra-tmpfs-") //nolint:usetesting // a server of another user must reach it
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=755,size="+size); err != nil {
		storetest.Missing(t, "tmpfs", errors.Join(err, os.Remove(dir)))
	}
	t.Cleanup(func() {
		if err := errors.Join(unix.Unmount(dir, unix.MNT_DETACH), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// numbers appends entries of some size and knows how many were acknowledged.
type numbers struct{ seq int64 }

func (n *numbers) append(t *testing.T, s store.Store, size int) error {
	t.Helper()
	next := n.seq + 1
	body := make([]byte, size) // that cannot be made smaller
	rand.NewChaCha8([32]byte{byte(next), byte(next >> 8)}).Read(body)
	err := s.Append(t.Context(), store.Batch{
		Entries: []store.Entry{{Seq: next, Kind: "k", Body: body}},
		Jobs:    []store.Job{{ID: next, Owner: "ann", Account: "lab", State: "queued"}},
		Txs:     []store.Tx{{Seq: next, Postings: []store.Posting{{Account: "lab", Amount: 1}}}},
		Replies: []store.Reply{{Owner: "ann", Key: fmt.Sprint(next)}},
	})
	if err == nil {
		n.seq = next
	}
	return err
}

// check finds exactly what was acknowledged.
func (n *numbers) check(t *testing.T, s store.Store) {
	t.Helper()
	sound, err := s.VerifyLog(t.Context())
	if err != nil || sound != n.seq {
		t.Errorf("%d entries acknowledged, %d sound: %v", n.seq, sound, err)
	}
	counts, err := s.CountJobs(t.Context(), store.Query{})
	if err != nil || counts["queued"] != n.seq {
		t.Errorf("%d entries acknowledged, jobs %v: %v", n.seq, counts, err)
	}
	var txs int64
	for _, err := range s.Txs(t.Context(), store.TxQuery{Account: "lab"}) {
		if err != nil {
			t.Fatal(err)
		}
		txs++
	}
	if txs != n.seq {
		t.Errorf("%d entries acknowledged, %d transactions", n.seq, txs)
	}
	if _, found, err := s.Reply(t.Context(), "ann", fmt.Sprint(n.seq+1)); found || err != nil {
		t.Errorf("a reply to what was not acknowledged (%v)", err)
	}
}

func TestSQLiteOnAFullDisk(t *testing.T) {
	dir := tmpfs(t, "8m")
	filler := filepath.Join(dir, "filler")
	s := storetest.Open(t, filepath.Join(dir, "libra.db"))
	var n numbers
	for round := range 3 {
		if err := os.WriteFile(filler, make([]byte, (5-round)<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		for err == nil && n.seq < 1000 {
			err = n.append(t, s, 20_000)
		}
		if !errors.Is(err, store.ErrFull) {
			t.Fatalf("round %d, entry %d: %v", round, n.seq, err)
		}
		for range 3 { // it stays full, and stays sound
			if err := n.append(t, s, 200_000); !errors.Is(err, store.ErrFull) {
				t.Errorf("still full: %v", err)
			}
		}
		n.check(t, s)
		// To lead takes a few pages; whether a write that failed left as many is chance.
		if err := os.Truncate(filler, int64(5-round)<<20-1<<16); err != nil {
			t.Fatal(err)
		}
		if _, release, err := s.TryLead(t.Context()); err != nil {
			t.Errorf("lead on a disk that is almost full: %v", err)
		} else {
			release()
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if err := n.append(t, s, 20_000); err != nil {
			t.Errorf("with space again: %v", err)
		}
		n.check(t, s)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	n.check(t, storetest.Open(t, filepath.Join(dir, "libra.db")))
}

func TestSQLiteThatIsFull(t *testing.T) {
	dir := tmpfs(t, "1m")
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(t.Context(), filepath.Join(dir, "libra.db"))
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("a new store on a full disk: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	storetest.Open(t, filepath.Join(dir, "libra.db"))
}

func TestSQLiteMountedReadOnly(t *testing.T) {
	dir := tmpfs(t, "8m")
	path := filepath.Join(dir, "libra.db")
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var n numbers
	if err := errors.Join(n.append(t, s, 10), s.Close()); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, filepath.Join(dir, "new.db")} {
		if _, err := store.Open(t.Context(), p); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
	n.check(t, storetest.Open(t, path))
}

// TestSQLiteTurnedReadOnly takes the file system away from under an open store,
// as the system does when a disk fails.
func TestSQLiteTurnedReadOnly(t *testing.T) {
	image := filepath.Join(t.TempDir(), "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 32<<20)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, command := range [][]string{{"mkfs.ext4", "-q", "-F", image}, {"mount", "-o", "loop", image, dir}} {
		if said, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			storetest.Missing(t, "loop", fmt.Errorf("%s: %w: %s", command[0], err, said))
		}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s, err := store.Open(t.Context(), filepath.Join(dir, "libra.db"))
	if err != nil {
		t.Fatal(err)
	}
	var n numbers
	for range 5 {
		if err := n.append(t, s, 1000); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, "abort"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := n.append(t, s, 1000); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("append: %v", err)
		}
		if err := s.SetMeta(t.Context(), "k", "v"); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("set meta: %v", err)
		}
		n.check(t, s) // what was written can still be read
	}
	s.Close() // it cannot end well
}
