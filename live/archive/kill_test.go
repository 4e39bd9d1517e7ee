package archive_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// childVar says to the test binary that it is a mover that is killed after so many
// steps.
const childVar = "LIBRA_ARCHIVE_CHILD"

// moveAndDie moves the log of the store at an address and kills itself without a word
// after a step.
func moveAndDie(address, dir, after string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, address)
	if err != nil {
		return err
	}
	if _, _, err = s.Lead(ctx); err != nil {
		return err
	}
	m := &archive.Mover{Store: s, Dir: dir}
	m.StopAt(func(step string) error {
		if step == after {
			if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
				return err
			}
			select {}
		}
		return nil
	})
	for {
		r, err := m.Move(ctx, math.MaxInt64, 1)
		if err != nil || !r.More {
			return err
		}
	}
}

// Killed after any step, again and again, a mover has lost nothing
// and done nothing twice: with what files are recorded the log is what it was, what people
// look up is what it was, and the next mover ends what was begun.
func TestKilledAfterEveryStep(t *testing.T) {
	const last = 701
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			address, dir := bases[name](t), filepath.Join(t.TempDir(), "archive")
			s := storetest.Open(t, address)
			fill(t, s, 1, last)
			all, looked := entries(t, s, 0), rows(t, s)
			whole := archive.Whole(s, dir)
			for _, step := range []string{"written", "synced", "renamed", "named", "recorded", "bitten", "bitten", "the end"} {
				if ended := !dies(t, address, dir, step); ended != (step == "the end") {
					t.Fatalf("killed after %s: %v", step, !ended)
				}
				if got := entries(t, whole, 0); !slices.EqualFunc(got, all, same) {
					t.Fatalf("killed after %s: %d entries of %d", step, len(got), len(all))
				}
				if n, err := whole.VerifyLog(t.Context()); err != nil || n != last {
					t.Fatalf("killed after %s: %d sound, %v", step, n, err)
				}
				if got := rows(t, s); got != looked {
					t.Fatalf("killed after %s: what people look up has changed", step)
				}
			}
			files, err := filepath.Glob(filepath.Join(dir, ".*log-*"))
			if err != nil || len(files) != 0 {
				t.Errorf("what was not finished is swept away: %v, %v", files, err)
			}
			files, err = filepath.Glob(filepath.Join(dir, "log-*"))
			if err != nil || len(files) != 1 {
				t.Errorf("what was finished and not recorded is taken as it is: %v, %v", files, err)
			}
			if left, err := s.Oldest(t.Context()); err != nil || left != last {
				t.Errorf("entries from %d on are in the store: %v", left, err)
			}
		})
	}
}

// dies runs a mover that is killed after a step, and says whether it was.
func dies(t *testing.T, address, dir, after string) bool {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], address, dir, after)
	child.Env = append(os.Environ(), childVar+"=1")
	var wrong strings.Builder
	child.Stderr = &wrong
	err := child.Run()
	if wrong.Len() > 0 {
		t.Fatalf("%s: %v", wrong.String(), err)
	}
	return err != nil
}
