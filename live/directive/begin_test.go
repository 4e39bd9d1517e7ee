package directive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/directive"
)

// When a job may begin, in sbatch's words. The market counts a deadline from there; one that
// is a point in time, or counts from now, stays where it is.
func TestWhenAJobBegins(t *testing.T) {
	at := func(hour, minute int) int64 {
		return time.Date(noon.Year(), noon.Month(), noon.Day(), hour, minute, 0, 0, noon.Location()).UnixMilli() - noon.UnixMilli()
	}
	const day = 24 * 3_600_000
	for options, want := range map[string][2]int64{
		"-b now+1hour": {3_600_000, 0}, "--begin=now+90": {90_000, 0}, "--begin=now": {0, 0}, "-b 16:00": {at(16, 0), 0}, "-b teatime": {at(16, 0), 0},
		"-b midnight": {at(24, 0), 0}, "-b tomorrow": {day, 0}, "--begin=" + noon.Add(2*time.Hour).Format("2006-01-02T15:04:05"): {2 * 3_600_000, 0},
		"--begin=" + noon.Add(-time.Hour).Format("2006-01-02T15:04:05"): {0, 0},
		"-b now+1hour --deadline=now+3hours":                            {3_600_000, 2 * 3_600_000},
		"-b now+1hour --deadline=now+30minutes":                         {3_600_000, 1},
		"-b 16:00 --deadline=18:00":                                     {at(16, 0), 2 * 3_600_000},
	} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(options)); err != nil {
			t.Errorf("%s: %v", options, err)
			continue
		}
		if r := h.Finish("x", nil); r.BeginMS != want[0] || r.DeadlineMS != want[1] || r.Hold {
			t.Errorf("%s: begins in %d, is due %d later, want %v", options, r.BeginMS, r.DeadlineMS, want)
		}
	}
	h := directive.New(directive.Place{Now: noon, User: "alice"})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -H --begin=now+1hour\n#LIBRA deadline=10m\ntrue\n", nil); err != nil {
		t.Fatal(err)
	}
	if r := h.Finish("x", nil); !r.Hold || r.BeginMS != 3_600_000 || r.DeadlineMS != 600_000 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"-b soon", "-b now+1fortnight", "-b 25:00"} {
		if err := directive.New(directive.Place{Now: noon}).ReadSbatch("job.sh", "#!/bin/sh\n", strings.Fields(bad)); err == nil {
			t.Errorf("%s is understood", bad)
		}
	}
}
