package archive_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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
	n, err := strconv.Atoi(after)
	if err != nil {
		return err
	}
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
		fmt.Fprintln(os.Stdout, step) //nolint:forbidigo // what the parent reads
		if n--; n < 0 {
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

// Killed after any step, and after any step of the next one, a mover has lost nothing
// and done nothing twice: with what files are recorded the log is what it was, what people
// look up is what it was, and the next mover ends what was begun.
func TestKilledAfterEveryStep(t *testing.T) {
	const last = 901
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			address, dir := bases[name](t), filepath.Join(t.TempDir(), "archive")
			s := storetest.Open(t, address)
			fill(t, s, 1, last)
			all, looked := entries(t, s, 0), rows(t, s)
			whole := archive.Whole(s, dir)
			steps := map[string]bool{}
			killed := 0
			for after, ended := 0, false; !ended; after = (after + 1) % 9 {
				step, ok := dies(t, address, dir, after)
				if ended = ok; !ended {
					killed++
					steps[step] = true
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
				if killed > 100 {
					t.Fatal("it never gets done")
				}
			}
			for _, step := range []string{"written", "synced", "renamed", "named", "recorded", "bitten"} {
				if !steps[step] {
					t.Errorf("never killed after %s: %v", step, steps)
				}
			}
			files, err := filepath.Glob(filepath.Join(dir, "log-*"))
			if err != nil || len(files) != 1 {
				t.Errorf("what was finished and not recorded is taken as it is: %v, %v", files, err)
			}
			if left, err := s.Oldest(t.Context()); err != nil || left != last {
				t.Errorf("entries from %d on are in the store: %v", left, err)
			}
		})
	}
}

// dies runs a mover that is killed after a step; it says which, or that it was done
// before.
func dies(t *testing.T, address, dir string, after int) (step string, ended bool) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], address, dir, strconv.Itoa(after))
	child.Env = append(os.Environ(), childVar+"=1")
	var said, wrong strings.Builder
	child.Stdout, child.Stderr = &said, &wrong
	err := child.Run()
	lines := bufio.NewScanner(strings.NewReader(said.String()))
	for lines.Scan() {
		step = lines.Text()
	}
	if wrong.Len() > 0 {
		t.Fatalf("%s: %v", wrong.String(), err)
	}
	return step, err == nil
}
