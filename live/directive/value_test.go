package directive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/directive"
)

func TestLengthsOfTime(t *testing.T) {
	for text, want := range map[string]int64{
		"90": 90_000, "90s": 90_000, "2m30s": 150_000, "1h": 3_600_000, "1.5h": 5_400_000, "1d": 86_400_000, "1d12h": 129_600_000,
		"0.5": 500, "250ms": 250, "1us": 1, "0": 0, "1h30": 5_400_000, "1 hour 30": 5_400_000, "2m5": 125_000, "1d12": 129_600_000,
		"5 min": 300_000, "1 h": 3_600_000, "2 hours 30 minutes": 9_000_000, "90m": 5_400_000, "2h30m": 9_000_000, "1:30:00": 5_400_000,
		"2-12:00:00": 216_000_000, "1.5d": 129_600_000, "2 weeks": 1_209_600_000, "3 Days": 259_200_000, " 10s ": 10_000,
	} {
		if got, err := directive.Duration(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "+1", "-1h", "1:30", "h", "d", "1d-1h", "-1d", "+1d", "4000000h", "1h2h", "1s1", "1d90", "1h90", "5 mins ago", "1h:30", "1:-30:00", "5 parsecs", "5  " + "  .", "min", "200000d", "9223372036854775807ns", ".", "1h1d", "NaN", "1e3"} {
		if got, err := directive.Duration(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

func TestDeadlinesCountFromNow(t *testing.T) {
	zone := time.FixedZone("east", 2*3600)
	now := time.Date(2026, 11, 15, 14, 0, 0, 0, zone)
	for text, want := range map[string]time.Duration{
		"10m": 10 * time.Minute, "14:30": 30 * time.Minute, "at 14:00:05": 5 * time.Second, "today 14:00:05": 5 * time.Second, "at 14:30": 30 * time.Minute, "13:59": 24*time.Hour - time.Minute,
		"14:00": 24 * time.Hour, "2026-11-15T15:00": time.Hour, "2026-11-15 15:00": time.Hour, "2026-11-15T14:00:00Z": 2 * time.Hour,
		"2026-11-16": 10 * time.Hour, "tomorrow 9:00": 19 * time.Hour, "tomorrow 15:00:30": 25*time.Hour + 30*time.Second,
		"today 14:30": 30 * time.Minute, "5 min": 5 * time.Minute, "2026-11-15T15:00:00+02:00": time.Hour,
		// as of an estimate, and as batch systems write limits
		"1:30:00": 90 * time.Minute, "14:00:05": 14*time.Hour + 5*time.Second, "1-12:00:00": 36 * time.Hour, "30:00:00": 30 * time.Hour,
	} {
		if got, err := directive.Deadline(text, now); err != nil || got != want.Milliseconds() {
			t.Errorf("%q: got %d, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "25:00", "2026-11-15T13:00", "yesterday", "3026-11-15", "today 13:00", "tomorrow", "tomorrow 9", "tomorrow 25:00", "at 25:00", "at 1h", "0:00:00", "1:-30:00"} {
		if got, err := directive.Deadline(text, now); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

// A day on which the clocks change is not 24 hours long.
func TestADeadlineTomorrowKnowsThatClocksChange(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("no time zones here: %v", err)
	}
	now := time.Date(2026, 10, 24, 12, 0, 0, 0, berlin)
	if got, err := directive.Deadline("11:00", now); err != nil || got != (24*time.Hour).Milliseconds() {
		t.Errorf("got %v, %v, want 24 hours: 23 by the clock and one given back", time.Duration(got)*time.Millisecond, err)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"500": 500, "500M": 500, "2G": 2048, "2g": 2048, "2GB": 2048, "2GiB": 2048, "1.5G": 1536, "1K": 1, "1025k": 2, "1T": 1 << 20, "0": 0,
	} {
		if got, err := directive.Megabytes(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "G", "-1", "1e5", "1X", "NaN", "1..5", "9999999999T", "+5"} {
		if got, err := directive.Megabytes(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

func TestArrays(t *testing.T) {
	for text, want := range map[string][4]int{
		"1-100": {1, 100, 1, 0}, "0-30:2": {0, 30, 2, 0}, "1-100%10": {1, 100, 1, 10}, "7": {7, 7, 1, 0}, "2,4,6%2": {2, 6, 2, 2}, "1,2": {1, 2, 1, 0}, "1,1": {1, 1, 1, 0}, "3,1,2": {1, 3, 1, 0},
	} {
		a, err := directive.Array(text)
		if err != nil || [4]int{a.First, a.Last, a.Step, a.Limit} != want {
			t.Errorf("%q: got %+v, %v, want %v", text, a, err, want)
		}
	}
	for text, want := range map[string]string{"1,3,4": "1,3,4", "5,1-3": "1,2,3,5", "0-6:2,1%2": "0,1,2,4,6"} {
		if a, err := directive.Array(text); err != nil || a.Indexes() != want || a.Len() != strings.Count(want, ",")+1 || a.Index(1) != a.List[1] {
			t.Errorf("%q: got %+v, %v, want %s", text, a, err, want)
		}
	}
	for _, text := range []string{"", "-", "1-", "-5", "5-1", "1-5:0", "1-5%0", "1-5%", "a", "7:2", "1,2,,3", "1,3-1", "0-99999,1", "1,2,200000"} {
		if a, err := directive.Array(text); err == nil {
			t.Errorf("%q is taken for %+v", text, a)
		}
	}
}
