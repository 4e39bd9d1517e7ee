package system_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A sweep through the command line: six elements, two at a time, and a job that
// follows it.
func TestASweepAndWhatFollows(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	u := newUp(t, scene(t))
	u.args = append(u.args, "--cpus", "0,1")
	u.start()
	element := `echo "begin $LIBRA_ARRAY_INDEX $(date +%s%N)" >> sweep; sleep 0.5; echo "end $LIBRA_ARRAY_INDEX $(date +%s%N)" >> sweep; echo element $LIBRA_ARRAY_INDEX`
	var sweep v1.Job
	u.json(&sweep, "submit", "--json", "--estimate", "1s", "--deadline", "1m", "--array", "1-6%2", "--", "sh", "-c", element)
	after := u.handInAfter(sweep.ID, "wc -l < sweep > counted")

	c := u.client()
	if j, err := c.Job(t.Context(), after); err != nil || j.State != v1.Held {
		t.Errorf("what follows is %s (%v)", j.State, err)
	}
	said := u.libra("submit", "--wait", "--estimate", "1s", "--deadline", "1m", "--after", fmt.Sprint(after), "--", "true")
	if !strings.Contains(said, "completed") {
		t.Errorf("after that: %s", said)
	}
	u.json(&sweep, "job", "--json", fmt.Sprint(sweep.ID))
	if sweep.State != v1.Completed || sweep.Width != 2 {
		t.Errorf("the sweep is %s, %d wide: %s", sweep.State, sweep.Width, sweep.Detail)
	}
	if got := strings.TrimSpace(text(t, filepath.Join(u.home, "counted"))); got != "12" {
		t.Errorf("what followed saw %s lines, want 12", got)
	}
	sideBySide(t, text(t, filepath.Join(u.home, "sweep")), 6, 2)
	for i := 1; i <= 6; i++ {
		file := filepath.Join(u.home, fmt.Sprintf("libra-%d-%d.out", sweep.ID, i))
		if got := text(t, file); got != fmt.Sprintf("element %d\n", i) {
			t.Errorf("%s: %q", file, got)
		}
	}
	// What follows a failure does not run.
	failing := u.handIn("1s", "sleep 1; exit 7")
	doomed := u.handInAfter(failing, "echo never > never")
	var j v1.Job
	until(t, "the end", func() bool {
		u.json(&j, "job", "--json", fmt.Sprint(doomed))
		return j.State.Final()
	})
	if j.State != v1.Cancelled || j.Reason != v1.ReasonDependency || text(t, filepath.Join(u.home, "never")) != "" {
		t.Errorf("what followed a failure is %s (%s)", j.State, j.Reason)
	}
	if r := run(t, u.home, binary(), "submit", "--wait", "-e", "1s", "--", "sh", "-c", "exit 7"); r.code != 7 {
		t.Errorf("--wait ends with %d, the job with 7: %s%s", r.code, r.out, r.err)
	}
}

// json runs a command and reads what it printed.
func (u *upMarket) json(into any, args ...string) {
	u.t.Helper()
	if err := json.Unmarshal([]byte(u.libra(args...)), into); err != nil {
		u.t.Fatal(err)
	}
}

func (u *upMarket) handInAfter(id int64, line string) int64 {
	u.t.Helper()
	var j v1.Job
	u.json(&j, "submit", "--json", "--estimate", "1s", "--deadline", "1m", "--after", fmt.Sprint(id), "--", "sh", "-c", line)
	return j.ID
}

// sideBySide checks that each of so many elements ran once, to its end, and never
// more than so many at a time.
func sideBySide(t testing.TB, lines string, elements, most int) {
	t.Helper()
	type span struct{ begin, end int64 }
	spans := map[string]*span{}
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		at, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		switch one := spans[f[1]]; {
		case f[0] == "begin" && one == nil:
			spans[f[1]] = &span{begin: at}
		case f[0] == "end" && one != nil && one.end == 0:
			one.end = at
		default:
			t.Errorf("element %s: %s once more", f[1], f[0])
		}
	}
	largest := 0
	for _, one := range spans {
		together := 0
		for _, other := range spans {
			if other.begin <= one.begin && one.begin < other.end {
				together++
			}
		}
		largest = max(largest, together)
	}
	if len(spans) != elements || largest > most || largest < 1 {
		t.Errorf("%d elements ran, up to %d at a time; want %d, %d", len(spans), largest, elements, most)
	}
}
