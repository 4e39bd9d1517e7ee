package directive

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrDuration says that a text is not a length of time.
var ErrDuration = errors.New("not a length of time")

const (
	longestMS = int64(1e13) // three centuries
	dayMS     = int64(86_400_000)
)

// Duration reads a length of time in milliseconds: 90 or 90s, 2m30s, 1.5h,
// 1d12h. Less than a millisecond is one.
func Duration(text string) (int64, error) {
	wrong := fmt.Errorf("%w: %q (want 90s, 2m30s, 1h or 1d12h)", ErrDuration, text)
	rest, days := text, int64(0)
	if head, tail, found := strings.Cut(text, "d"); found {
		n, err := strconv.ParseInt(head, 10, 64)
		if err != nil || n < 0 || n > longestMS/dayMS || head[0] == '+' {
			return 0, wrong
		}
		days, rest = n, tail
		if rest == "" {
			rest = "0s"
		}
	}
	if rest == "" || rest[0] == '+' || rest[0] == '-' {
		return 0, wrong
	}
	if strings.Trim(rest, "0123456789.") == "" {
		rest += "s"
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return 0, wrong
	}
	ms := days*dayMS + int64((d+time.Millisecond-1)/time.Millisecond)
	if d > time.Duration(1<<63-1)-time.Millisecond || ms > longestMS {
		return 0, fmt.Errorf("%w: %q is too long", ErrDuration, text)
	}
	return ms, nil
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
