package habit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/lab/habit"
	"github.com/libra-market/libra/lab/workload"
)

// What is known is what has ended: the first job is still running when the second comes.
func TestNothingIsKnownBeforeItEnds(t *testing.T) {
	lines := []string{
		"1 0 0 100 1 -1 -1 1 1000 -1 1 1 1 1 -1 -1 -1 -1",
		"2 50 0 100 1 -1 -1 1 1000 -1 1 1 1 1 -1 -1 -1 -1",
		"3 120 0 100 1 -1 -1 1 1000 -1 1 1 1 1 -1 -1 -1 -1",
		"4 130 0 100 1 -1 -1 1 1000 -1 1 2 1 1 -1 -1 -1 -1",
		"5 400 0 5000 1 -1 -1 1 9000 -1 1 1 1 1 -1 -1 -1 -1",
	}
	log, err := workload.NewSWF(strings.NewReader(strings.Join(lines, "\n")+"\n"), "x.swf")
	if err != nil {
		t.Fatal(err)
	}
	got, err := habit.Measure(log, 0.9)
	if err != nil || got.Jobs != 5 || got.Guessed != 2 || got.Held != 1 || got.Asked != 2 || got.Sure != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// On real logs, where the next run is not always like those before, an estimate that is
// to be 90 % sure holds nearly as often. The table is printed with -v, and for any log by
// libra estimate --trace.
func TestEstimatesOnRealLogs(t *testing.T) {
	const traces = "../../../shared/traces"
	for _, name := range []string{"KTH-SP2-1996-2.1-cln.swf.gz", "SDSC-SP2-1998-4.2-cln.swf.gz"} {
		path := filepath.Join(traces, name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("the log %s is not here", name)
		}
		file, err := workload.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		log, err := file.Records()
		if err != nil {
			t.Fatal(err)
		}
		r, err := habit.Measure(log, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		of := func(n, whole int) float64 { return 100 * float64(n) / float64(max(1, whole)) }
		t.Logf("%-30s %6d jobs, %5.1f %% with a history: %5.1f %% held (%5.1f %% of those from enough runs; what was asked: %5.1f %%), %.2f of what was asked (median %.2f)",
			name, r.Jobs, of(r.Guessed, r.Jobs), of(r.Held, r.Guessed), of(r.SureHeld, r.Sure), of(r.Asked, r.Guessed), r.Total, r.Median)
		if of(r.Held, r.Guessed) < 80 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
