package market

import (
	"fmt"
	"strings"
)

// Span writes a period in milliseconds as people do: 1h30m, 45s, 1.5s.
func Span(ms int64) string {
	if ms < 60_000 {
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", float64(ms)/1e3), "0"), ".") + "s"
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

// Progress writes how far work is: 4s of 9s, and where it took more than was agreed how
// much more.
func Progress(doneMS, ofMS int64) string {
	text := Span(min(doneMS, ofMS)) + " of " + Span(ofMS)
	if doneMS > ofMS {
		text += " and " + Span(doneMS-ofMS) + " beyond"
	}
	return text
}
