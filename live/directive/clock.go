package directive

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrPast says that a deadline is over before the job is handed in.
var ErrPast = errors.New("is over already")

// Deadline reads when a job must be done, as milliseconds from now: a length
// of time (10m, 1:30:00), a time of day (14:30: the next one; at 14:30:05; tomorrow
// 9:00), or a point in time (2026-11-15T14:30, also with a zone).
func Deadline(text string, now time.Time) (int64, error) {
	if at, ok := clockTime(strings.TrimPrefix(text, "at "), now); ok && !Counted(text) {
		return until(text, at, now)
	}
	ms, err := Duration(text)
	if err != nil || strings.Contains(text, ":") && !Counted(text) { // a time of day, and a wrong one
		return 0, fmt.Errorf("%w: %q (want 10m, 1:30:00, 14:30, tomorrow 9:00 or 2026-11-15T14:30)", ErrDuration, text)
	}
	if ms == 0 {
		return 0, fmt.Errorf("%q %w", text, ErrPast)
	}
	return ms, nil
}

// Counted reports whether a text is a length of time that looks like a time of day:
// 1:30:00 is an hour and a half, of a deadline as of an estimate, and as of the limits
// of Slurm and PBS. Whoever reads one out says so.
func Counted(text string) bool {
	_, clock, dashed := strings.Cut(text, "-")
	if !dashed {
		clock = text
	}
	parts, err := numbers(strings.Split(clock, ":"))
	_, wrong := slurmTime(text)
	return err == nil && wrong == nil && len(parts) == 3 && parts[1] < 60 && parts[2] < 60
}

// CountedNote is what there is to say of such a text as a deadline.
func CountedNote(text string) string {
	return fmt.Sprintf("%s from now (at %s would be a time of day)", text, text)
}

// slurmDeadline reads a deadline as Slurm writes it.
func slurmDeadline(text string, now time.Time) (int64, error) {
	rest, relative := strings.CutPrefix(text, "now")
	if !relative {
		at, ok := clockTime(text, now)
		if !ok {
			return 0, fmt.Errorf("%w: %q (want now+10minutes, HH:MM or YYYY-MM-DDTHH:MM:SS)", ErrDuration, text)
		}
		return until(text, at, now)
	}
	count, plus := strings.CutPrefix(rest, "+")
	digits := strings.TrimRight(count, "abcdefghijklmnopqrstuvwxyz")
	units := map[string]int64{
		"": 1000, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": dayMS, "week": 7 * dayMS,
	}
	unit, known := units[strings.TrimSuffix(count[len(digits):], "s")]
	n, err := strconv.ParseUint(digits, 10, 31)
	if !plus || !known || err != nil {
		return 0, fmt.Errorf("%w: %q (want now+ and seconds, minutes, hours, days or weeks)", ErrDuration, text)
	}
	ms := int64(n) * unit
	switch {
	case ms == 0:
		return 0, fmt.Errorf("%q %w", text, ErrPast)
	case ms > longestMS:
		return 0, fmt.Errorf("%w: %q is too long", ErrDuration, text)
	}
	return ms, nil
}

func until(text string, at, now time.Time) (int64, error) {
	ms := at.UnixMilli() - now.UnixMilli()
	switch {
	case ms <= 0:
		return 0, fmt.Errorf("%q %w", text, ErrPast)
	case ms > longestMS:
		return 0, fmt.Errorf("%w: %q is too far away", ErrDuration, text)
	}
	return ms, nil
}

// clockTime reads a point in time; one without a zone is in now's.
func clockTime(text string, now time.Time) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	for _, layout := range []string{
		"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, true
		}
	}
	day, ofDay := 0, text
	named := true // the day, so that it is that one even if the time is over
	if rest, tomorrow := strings.CutPrefix(text, "tomorrow"); tomorrow {
		day, ofDay = 1, rest
	} else if rest, today := strings.CutPrefix(text, "today"); today {
		ofDay = rest
	} else {
		named = false
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		clock, err := time.Parse(layout, strings.TrimSpace(ofDay))
		if err != nil {
			continue
		}
		on := func(day int) time.Time {
			return time.Date(now.Year(), now.Month(), now.Day()+day, clock.Hour(), clock.Minute(), clock.Second(), 0, now.Location())
		}
		if at := on(day); named || at.After(now) {
			return at, true
		}
		return on(1), true
	}
	return time.Time{}, false
}
