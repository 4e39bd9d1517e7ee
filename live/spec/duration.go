package spec

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
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

// parseDuration reads seconds ("90", "1.5") or Go's notation with days
// ("2h30m", "1d 12h", "1.5h").
func parseDuration(text string) (*big.Rat, error) {
	if x, ok := decimal(text); ok {
		return x, nil
	}
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
	return fmt.Errorf("%s is not a duration (want seconds, or text such as 2h30m or 1d)", quote(text))
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
