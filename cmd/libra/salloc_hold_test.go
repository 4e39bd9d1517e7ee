package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// slurmOnPath has Slurm's commands be scripts that note how they were called, and says
// where they do.
func slurmOnPath(t *testing.T, scripts map[string]string) (dir, calls string) {
	t.Helper()
	dir = t.TempDir()
	calls = filepath.Join(dir, "calls")
	for name, script := range scripts {
		text := fmt.Sprintf("#!/bin/sh\necho %s \"$@\" >>%s\n%s\n", name, calls, script)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir, calls
}

func noted(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// What holds processors that nobody comes for ends by itself, in two minutes; where
// somebody does it is there for the whole time, and leaves nothing behind.
func TestWhatNobodyComesForEnds(t *testing.T) {
	number := fmt.Sprintf("test-%d", os.Getpid())
	t.Setenv("SLURM_JOB_ID", number)
	mark := markOf(number)
	t.Cleanup(func() { _ = os.RemoveAll(mark) })
	run := func(script, sleep string) (called []string, code int, said string) {
		t.Helper()
		dir, calls := slurmOnPath(t, map[string]string{"sleep": sleep})
		sh := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
		sh.Dir = dir
		out, err := sh.CombinedOutput()
		return noted(t, calls), exitStatus(err), string(out)
	}
	if called, code, said := run(holding(3600, true), ""); code != 75 || len(called) != int(comes/time.Second) || !strings.Contains(said, "nobody came") {
		t.Errorf("nobody comes: exit %d after %d seconds: %s", code, len(called), said)
	}
	called, code, said := run(holding(3600, true), "[ -e third ] && [ $1 = 1 ] && mkdir "+mark+"; [ -e second ] && touch third; touch second")
	if last := called[len(called)-1]; code != 0 || last != "sleep 3597" || said != "" {
		t.Errorf("somebody comes: exit %d, %q: %s", code, called, said)
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the mark is there still: %v", err)
	}
	for name, sleep := range map[string]string{
		"while it has them": "if [ $1 = 1 ]; then mkdir " + mark + "; else kill -USR1 $PPID; exec /bin/sleep 5 >/dev/null 2>&1; fi",
		"before it looked":  "kill -USR1 $PPID",
	} {
		if _, code, said := run(holding(3600, true), sleep); code != 0 || said != "" {
			t.Errorf("who came says that it is done %s: exit %d: %s", name, code, said)
		}
		_ = os.RemoveAll(mark)
	}
	if called, code, _ := run(holding(3600, false), ""); code != 0 || len(called) != 1 || called[0] != "sleep 3600" {
		t.Errorf("where nobody can say that they are here: exit %d, %q", code, called)
	}
}

// A market that does not answer is asked for a while; then what is held is ended in Slurm,
// and what Slurm does not have yet is not mistaken for all that it has.
func TestLeavingWhileTheMarketIsAway(t *testing.T) {
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer away.Close()
	to, err := client.New(away.URL, "token", client.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ batch, scancel, called, said string }{
		"it is there":            {"4711", "", "scancel 4711", "ended in Slurm"},
		"Slurm does not have it": {"", "", "", "if it begins and nobody comes"},
		"nor does Slurm answer":  {"4711", "exit 1", "scancel 4711", "libra cancel 5 does it"},
	} {
		t.Run(name, func(t *testing.T) {
			_, calls := slurmOnPath(t, map[string]string{"squeue": "echo RUNNING", "scancel": c.scancel})
			var said strings.Builder
			a := allocation{con: &console{out: io.Discard, err: &said}, market: to, job: v1.Job{ID: 5, State: v1.Running, Batch: c.batch}, patience: 100 * time.Millisecond}
			a.giveBack(false)
			if called := noted(t, calls); called[len(called)-1] != c.called || !strings.Contains(said.String(), c.said) {
				t.Errorf("%q: %s", called, said.String())
			}
		})
	}
}

// What was done on processors that somebody had, and ended well, has the job end well, where what holds
// them knows of whoever came; otherwise, or where it does not end, it is cancelled.
func TestWhatEndedWellIsDone(t *testing.T) {
	for name, c := range map[string]struct {
		well, came   bool
		srun, signal string
		state        v1.State
	}{
		"well":                 {true, true, "", "", v1.Completed},
		"badly":                {false, true, "", "", v1.Cancelled},
		"nobody could come":    {true, false, "", "", v1.Cancelled},
		"Slurm starts no step": {true, true, "exit 1", "", v1.Cancelled},
		"nor tells of the end": {true, true, "", "exit 1", v1.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			_, calls := slurmOnPath(t, map[string]string{"squeue": "echo RUNNING", "srun": c.srun, "scancel": c.signal})
			cancelled := false
			market := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				j := v1.Job{ID: 5, State: v1.Running, Batch: "4711"}
				cancelled = cancelled || r.Method != http.MethodGet
				switch called := noted(t, calls); {
				case cancelled:
					j.State = v1.Cancelled
				case strings.HasPrefix(called[len(called)-1], "scancel --batch --signal=USR1 4711"):
					j.State = v1.Completed
				}
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(j)
			}))
			defer market.Close()
			to, err := client.New(market.URL, "token", client.Options{Retries: -1, Plain: true})
			if err != nil {
				t.Fatal(err)
			}
			a := allocation{con: &console{out: io.Discard, err: io.Discard}, market: to, job: v1.Job{ID: 5, State: v1.Running, Batch: "4711"}, patience: 5 * time.Second, came: c.came}
			if a.giveBack(c.well); a.job.State != c.state || cancelled != (c.state == v1.Cancelled) {
				t.Errorf("it is %s; cancelled: %v; called %q", a.job.State, cancelled, noted(t, calls))
			}
		})
	}
}
