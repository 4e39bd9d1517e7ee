package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	lib "modernc.org/sqlite/lib"
)

// For a leader that is gone one waits, longer than a lease lasts and not for ever; for one that
// lives not at all.
func TestForWhomOneWaits(t *testing.T) {
	gone, lives, other := &Taken{PID: 7, orphan: true}, &Taken{PID: 7}, errors.New("something else")
	for name, c := range map[string]struct {
		says  []error // and nothing wrong after that
		looks int
		want  error
	}{
		"nobody":                          {nil, 1, nil},
		"one that lives":                  {[]error{lives}, 1, lives},
		"something else":                  {[]error{other}, 1, other},
		"one that is gone":                {[]error{gone, gone, gone}, 4, nil},
		"one that is gone, then a leader": {[]error{gone, gone, lives}, 3, lives},
	} {
		synctest.Test(t, func(t *testing.T) {
			looks := 0
			err := patiently(t.Context(), func() error {
				if looks++; looks <= len(c.says) {
					return c.says[looks-1]
				}
				return nil
			})
			if looks != c.looks || !errors.Is(err, c.want) {
				t.Errorf("%s: %v after %d looks", name, err, looks)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		err := patiently(t.Context(), func() error { return gone })
		if waited := time.Since(begun); !errors.Is(err, gone) || waited <= leadExpires || waited > 2*leadExpires {
			t.Errorf("whose locks stay: %v after %s", err, waited)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		looks := 0
		if err = patiently(ctx, func() error { looks++; return gone }); !errors.Is(err, context.Canceled) || looks != 1 {
			t.Errorf("who is to stop looks %d times: %v", looks, err)
		}
	})
}

// Who has the lead is gone if this machine has no such process; whose number nobody knows is not.
func TestWhoIsGone(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "a.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	l := &fileLock{file: file}
	for pid, gone := range map[int]bool{os.Getpid(): false, 0: false, 1 << 30: true} { // more than Linux counts to
		if taken := l.taken(pid); taken.orphan != gone || taken.PID != pid || taken.Where != file.Name() {
			t.Errorf("%d: %+v", pid, taken)
		}
	}
}

// What others are in the way of is done again until they are not.
func TestWhileOthersAreInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	var busy error
	for range 2 { // the first has it locked
		d, err := sql.Open("sqlite", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		d.SetMaxOpenConns(1)
		_, busy = d.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if !sqliteBusy(busy) {
		t.Fatalf("it is not busy: %v", busy)
	}
	for code, want := range map[int]bool{lib.SQLITE_BUSY: true, lib.SQLITE_BUSY_SNAPSHOT: true, lib.SQLITE_PROTOCOL: true, lib.SQLITE_LOCKED: false, lib.SQLITE_IOERR_LOCK: false, 0: false} {
		if busyCode(code) != want {
			t.Errorf("code %d is busy: %v", code, !want)
		}
	}
	for _, end := range []error{nil, sql.ErrNoRows} {
		times := 0
		if err := whileBusy(t.Context(), func() error {
			if times++; times < 6 {
				return busy
			}
			return end
		}); !errors.Is(err, end) || times != 6 {
			t.Errorf("it was done %d times: %v, want %v", times, err, end)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := whileBusy(ctx, func() error { return busy }); !errors.Is(err, context.Canceled) {
		t.Errorf("who is to stop: %v", err)
	}
}
