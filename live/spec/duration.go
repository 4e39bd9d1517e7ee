package spec

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/live/directive"
)

// unit is a suffix and what it stands for.
type unit struct {
	name string
	size *big.Rat
}

var durationUnits = []unit{
	{"d", big.NewRat(86400, 1)},
	{"h", big.NewRat(3600, 1)},
	{"m", big.NewRat(60, 1)},
	{"s", big.NewRat(1, 1)},
	{"ms", big.NewRat(1, 1e3)},
	{"us", big.NewRat(1, 1e6)},
	{"µs", big.NewRat(1, 1e6)},
	{"ns", big.NewRat(1, 1e9)},
}

// parseDuration reads seconds ("90", "1.5"), Go's notation with days
// ("2h30m", "1d 12h", "1.5h"), and whatever else flags and scripts take for a length of
// time ("5 min", "1:30:00").
func parseDuration(text string) (*big.Rat, error) {
	if x, ok := decimal(text); ok {
		return x, nil
	}
	x, err := unitDuration(text)
	if err == nil {
		return x, nil
	}
	if strings.Trim(text, "0123456789.") == "" { // 010 may be octal
		return nil, err
	}
	if ms, wrong := directive.Duration(text); wrong == nil {
		return big.NewRat(ms, 1000), nil
	} else if strings.Contains(text, ":") { // it knows why
		return nil, wrong
	}
	return nil, err
}

// parseDeadline reads a length of time from now on, or until when; a time of day is that
// of now, and there is none where nobody said when that is.
func parseDeadline(text string, now time.Time) (*big.Rat, error) {
	x, err := parseDuration(text)
	if err == nil {
		return x, nil
	}
	ms, wrong := directive.Deadline(text, now)
	switch {
	case now.IsZero() && wrong == nil, now.IsZero() && errors.Is(wrong, directive.ErrPast):
		return nil, fmt.Errorf("%s is a time of day or a date, which only libra submit and quote know (want a length of time, such as 10m)", quote(text))
	case errors.Is(wrong, directive.ErrPast):
		return nil, wrong
	case wrong != nil:
		return nil, err
	}
	return big.NewRat(ms, 1000), nil
}

func unitDuration(text string) (*big.Rat, error) {
	total := new(big.Rat)
	rest := strings.TrimSpace(text)
	if rest == "" {
		return nil, notDuration(text)
	}
	for rest != "" {
		digits := strings.TrimLeft(rest, "0123456789.")
		x, ok := decimal(rest[:len(rest)-len(digits)])
		if !ok {
			return nil, notDuration(text)
		}
		name := digits
		if next := strings.IndexAny(digits, "0123456789. "); next >= 0 {
			name = digits[:next]
		}
		size, ok := sizeOf(name, durationUnits)
		if !ok {
			return nil, fmt.Errorf("%s has no unit of time %s (want d, h, m, s or ms)", quote(text), quote(name))
		}
		total.Add(total, x.Mul(x, size))
		rest = strings.TrimLeft(digits[len(name):], " ")
	}
	return total, nil
}

func notDuration(text string) error {
	return fmt.Errorf("%s is not a duration (want seconds, or text such as 2h30m, 5 min, 1:30:00 or 1d)", quote(text))
}

func sizeOf(name string, units []unit) (*big.Rat, bool) {
	for _, u := range units {
		if u.name == name {
			return u.size, true
		}
	}
	return nil, false
}

// formatDuration writes whole seconds as people do and others as a number.
func formatDuration(seconds float64) string {
	if seconds == 0 || seconds > most || seconds != math.Trunc(seconds) {
		return formatFloat(seconds)
	}
	left := int64(seconds)
	var b strings.Builder
	for _, u := range durationUnits[:4] {
		size := u.size.Num().Int64()
		if n := left / size; n > 0 {
			b.WriteString(strconv.FormatInt(n, 10) + u.name)
			left -= n * size
		}
	}
	return b.String()
}
