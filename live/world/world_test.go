package world

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	seeds   = flag.Int("seeds", 100, "how many days")
	first   = flag.Uint64("seed", 1, "the first of them")
	many    = flag.Int("jobs", 25, "deeds of a day")
	smaller = flag.Int("shrink", 0, "make a day that goes wrong smaller, with at most so many runs")
	twice   = flag.Int("twice", 3, "how many days are lived through again")
	again   = flag.Int("again", 1, "and how often")
	written = flag.String("day", "", "a file with a day: run that")
	kept    = flag.String("keep", "", "a directory for what happened on days that went wrong")
	verbose = flag.Bool("tell", false, "tell all that happened")
)

// TestMain lets the garbage lie longer: a day makes much of it, and is soon over.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// live runs a day in a bubble.
func live(t *testing.T, d *Day) (r *Result) {
	t.Helper()
	dir, err := os.MkdirTemp(base(), "world") //nolint:usetesting // where files cost least, and gone after each day
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is as good as empty
	var log *slog.Logger
	if *verbose {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	synctest.Test(t, func(*testing.T) { r = Run(d, dir, log) })
	return r
}

// base is where files cost least.
func base() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return filepath.Clean(os.TempDir())
}

// kindred reports whether two days go wrong in the same way: by the first words.
func kindred(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && digits.ReplaceAllString(a[0], "0") == digits.ReplaceAllString(b[0], "0")
}

var digits = regexp.MustCompile("[0-9.]+")

// TestDay runs a day that was written down.
func TestDay(t *testing.T) {
	if *written == "" {
		t.Skip("no day is named (-day)")
	}
	text, err := os.ReadFile(*written)
	if err != nil {
		t.Fatal(err)
	}
	var d Day
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	r := live(t, &d)
	t.Log("\n" + strings.Join(r.Lines, "\n"))
	for _, wrong := range r.Wrong {
		t.Error(wrong)
	}
}

// TestWorld lives through days, and prints the seed of one that goes wrong.
func TestWorld(t *testing.T) {
	sum := &summary{faults: map[string]int{}, states: map[string]int64{}}
	t.Cleanup(func() { sum.write(t) })
	days := *seeds
	if raced {
		days = min(days, 10)
	}
	for i := range days {
		seed := *first + uint64(i)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			d := Draw(seed, *many)
			r := live(t, d)
			sum.add(d, r)
			if *verbose {
				t.Log("\n" + strings.Join(r.Lines, "\n"))
				t.Log(r.Jobs, r.Took)
			}
			if len(r.Wrong) == 0 {
				return
			}
			for _, wrong := range r.Wrong {
				t.Errorf("seed %d: %s", seed, wrong)
			}
			if *kept != "" {
				if err := os.WriteFile(filepath.Join(*kept, fmt.Sprint("seed-", seed)), []byte(strings.Join(r.Lines, "\n")+"\n"), 0o600); err != nil {
					t.Error(err)
				}
			}
			if *smaller == 0 {
				return
			}
			small := Shrink(Draw(seed, *many), *smaller, func(d *Day) bool { return kindred(live(t, d).Wrong, r.Wrong) })
			text, err := json.Marshal(small)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("a smaller day that goes wrong likewise (-day FILE runs it): %s", text)
			t.Log("\n" + strings.Join(live(t, small).Lines, "\n"))
		})
	}
}

// summary is what all days come to.
type summary struct {
	mu                 sync.Mutex
	days, wrong, deeds int
	onSlurm            int
	faults             map[string]int
	states             map[string]int64
	took               time.Duration
}

func (s *summary) add(d *Day, r *Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.days++
	if len(r.Wrong) > 0 {
		s.wrong++
	}
	if d.Slurm {
		s.onSlurm++
	}
	s.deeds += len(d.Deeds)
	s.took += r.Took
	for _, f := range d.Faults {
		s.faults[f.Kind]++
	}
	for state, n := range r.Jobs {
		s.states[state] += n
	}
}

func (s *summary) write(t *testing.T) {
	t.Helper()
	text := fmt.Sprintf("%d days (%s of virtual time; %d on Slurm), %d went wrong; %d deeds; jobs %v; faults %v\n",
		s.days, s.took.Round(time.Hour), s.onSlurm, s.wrong, s.deeds, s.states, s.faults)
	t.Log(text)
	if *kept != "" {
		if err := os.WriteFile(filepath.Join(*kept, "summary"), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// TestTheSameSeedIsTheSameDay lives through some days again.
func TestTheSameSeedIsTheSameDay(t *testing.T) {
	differ, days := 0, []uint64{18} // of which every second was another: a task ended when its agent looked at it
	for seed := *first; seed < *first+uint64(*twice); seed++ {
		days = append(days, seed)
	}
	for _, seed := range days {
		a := live(t, Draw(seed, 40))
		for range *again {
			if b := live(t, Draw(seed, 40)); a.Digest != b.Digest {
				differ++
				tellApart(t, seed, a, b)
			}
		}
	}
	t.Logf("%d of %d days are other than the first of their seed", differ, len(days)**again)
}

// tellApart says where two days that should be the same part.
func tellApart(t *testing.T, seed uint64, a, b *Result) {
	t.Helper()
	for i := range min(len(a.Lines), len(b.Lines)) {
		if a.Lines[i] != b.Lines[i] {
			t.Errorf("seed %d: line %d\n%s\n%s", seed, i, a.Lines[i], b.Lines[i])
			return
		}
	}
	t.Errorf("seed %d: %d lines and %d", seed, len(a.Lines), len(b.Lines))
}
