package market

import (
	"fmt"
	"strings"
)

// Span writes a period in milliseconds as people do: 1h30m, 45s, 1.5s. Of seconds it has
// three digits: 59.956 s are a minute to anybody.
func Span(ms int64) string {
	switch {
	case ms >= 60_000:
	case ms >= 10_000:
		ms = (ms + 50) / 100 * 100
	case ms >= 1000:
		ms = (ms + 5) / 10 * 10
	}
	if ms < 60_000 {
		return strings.TrimSuffix(strings.TrimRight(seconds(ms), "0"), ".") + "s"
	}
	s := (ms + 500) / 1000
	var b strings.Builder
	for _, u := range []struct {
		size int64
		name string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}} {
		if n := s / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			s -= n * u.size
		}
	}
	return b.String()
}

// seconds writes milliseconds exactly.
func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1e3) }

// SpansApart writes two periods of which a sentence says that one is longer: to the
// millisecond where they would look the same.
func SpansApart(a, b int64) (one, other string) {
	if one, other = Span(a), Span(b); one == other && a != b {
		return seconds(a) + "s", seconds(b) + "s"
	}
	return one, other
}

// Progress writes how far work is: 4s of 9s, and where it took more than was agreed how
// much more.
func Progress(doneMS, ofMS int64) string {
	text := Span(min(doneMS, ofMS)) + " of " + Span(ofMS)
	if doneMS > ofMS {
		text += " and " + Span(doneMS-ofMS) + " beyond"
	}
	return text
}
