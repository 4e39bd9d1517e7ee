package directive

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrDuration says that a text is not a length of time.
var ErrDuration = errors.New("not a length of time")

const (
	longestMS = int64(1e13)         // three centuries
	longest   = time.Duration(9e18) // nearly as long: what package time can count
	dayMS     = int64(86_400_000)
)

// units are the words for lengths of time that people type, and what package time
// calls them; days and weeks, which it does not know, are hours.
var units = map[string]struct {
	name  string
	times int64
}{
	"": {"s", 1}, "ns": {"ns", 1}, "us": {"us", 1}, "\u00b5s": {"us", 1}, "ms": {"ms", 1},
	"s": {"s", 1}, "sec": {"s", 1}, "secs": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1},
	"m": {"m", 1}, "min": {"m", 1}, "mins": {"m", 1}, "minute": {"m", 1}, "minutes": {"m", 1},
	"h": {"h", 1}, "hr": {"h", 1}, "hrs": {"h", 1}, "hour": {"h", 1}, "hours": {"h", 1},
	"d": {"h", 24}, "day": {"h", 24}, "days": {"h", 24}, "w": {"h", 168}, "week": {"h", 168}, "weeks": {"h", 168},
}

// next is what a number means that has no unit, after one that has: 1h30 is an hour and a
// half, as 1:30 is on a clock.
var next = map[time.Duration]string{168 * time.Hour: "d", 24 * time.Hour: "h", time.Hour: "m", time.Minute: "s"}

// Duration reads a length of time in milliseconds: 90 or 90s, 2m30s, 5 min, 1.5h, 1h30,
// 1d12h, 1:30:00, 2-12:00:00. Less than a millisecond is one.
func Duration(text string) (int64, error) {
	switch strings.Count(text, ":") {
	case 0:
	case 1:
		return 0, fmt.Errorf("%w: %q can be hours or minutes (want 1h30m, 1m30s or 1:30:00)", ErrDuration, text)
	default:
		return slurmTime(text)
	}
	var whole time.Duration
	last := time.Duration(0) // what a unit is, which the next must be less than
	for rest := strings.TrimSpace(text); rest != "" || last == 0; {
		var number, unit string
		number, rest = leading(rest, "0123456789.")
		unit, rest = leading(strings.TrimLeft(rest, " "), letters)
		rest = strings.TrimLeft(rest, " ")
		unsaid := unit == "" && last != 0
		if unsaid {
			unit = cmp.Or(next[last], "?")
		}
		known, ok := units[strings.ToLower(unit)]
		part, err := time.ParseDuration(number + known.name)
		one, _ := time.ParseDuration("1" + known.name)
		one *= time.Duration(known.times)
		switch {
		case !ok || err != nil || last != 0 && one >= last || unsaid && part*time.Duration(known.times) >= last:
			return 0, fmt.Errorf("%w: %q (want 90s, 2m30s, 1h or 1d12h)", ErrDuration, text)
		case part > longest/time.Duration(known.times)-whole:
			return 0, fmt.Errorf("%w: %q is too long", ErrDuration, text)
		}
		whole += part * time.Duration(known.times)
		last = one
	}
	return int64((whole + time.Millisecond - 1) / time.Millisecond), nil
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u00b5"

// leading cuts off what a text has of some characters at its front.
func leading(text, of string) (front, rest string) {
	rest = strings.TrimLeft(text, of)
	return text[:len(text)-len(rest)], rest
}

// slurmTime reads a time limit as Slurm writes it: minutes, minutes:seconds,
// hours:minutes:seconds, days-hours, days-hours:minutes,
// days-hours:minutes:seconds.
func slurmTime(text string) (int64, error) {
	wrong := fmt.Errorf("%w: %q (want minutes, MM:SS, HH:MM:SS or D-HH:MM:SS)", ErrDuration, text)
	days, clock, dashed := strings.Cut(text, "-")
	if !dashed {
		days, clock = "0", text
	}
	parts, err := numbers(strings.Split(clock, ":"))
	if err != nil || len(parts) > 3 {
		return 0, wrong
	}
	d, err := numbers([]string{days})
	if err != nil {
		return 0, wrong
	}
	// What is left out depends on what is there: of two numbers the first are
	// hours after a day, else minutes.
	var hours, minutes, seconds int64
	switch {
	case len(parts) == 3:
		hours, minutes, seconds = parts[0], parts[1], parts[2]
	case dashed && len(parts) == 2:
		hours, minutes = parts[0], parts[1]
	case dashed:
		hours = parts[0]
	case len(parts) == 2:
		minutes, seconds = parts[0], parts[1]
	default:
		minutes = parts[0]
	}
	return millis(text, d[0], hours, minutes, seconds)
}

// pbsTime reads a walltime as PBS writes it: seconds, or
// [[days:]hours:]minutes:seconds. Parts of a second count as one.
func pbsTime(text string) (int64, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	parts, err := numbers(strings.Split(whole, ":"))
	if err != nil || len(parts) > 4 || strings.Trim(fraction, "0123456789") != "" {
		return 0, fmt.Errorf("%w: %q (want seconds or HH:MM:SS)", ErrDuration, text)
	}
	all := make([]int64, 4-len(parts), 4)
	all = append(all, parts...)
	if strings.Trim(fraction, "0") != "" {
		all[3]++
	}
	return millis(text, all[0], all[1], all[2], all[3])
}

func millis(text string, days, hours, minutes, seconds int64) (int64, error) {
	ms := (((days*24+hours)*60+minutes)*60 + seconds) * 1000
	if ms > longestMS {
		return 0, fmt.Errorf("%w: %q is too long", ErrDuration, text)
	}
	return ms, nil
}

// numbers reads whole numbers that are small enough to be counted with.
func numbers(texts []string) ([]int64, error) {
	out := make([]int64, len(texts))
	for i, text := range texts {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return nil, err
		}
		out[i] = int64(n)
	}
	return out, nil
}
