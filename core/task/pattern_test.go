package task

import (
	"runtime"
	"strings"
	"testing"
)

func TestPatternsAreFilledIn(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"slurm-%b.out", "slurm-123.out"},
		{"%b%b", "123123"},
		{"%5b_%2b_%0b", "00123_123_123"},
		{"%10b|%99999999999999999999b", "0000000123|0000000123"},
		{"%%5b", "%00123"},
		{"%4a-%B-%5-%", "%4a-%B-%5-%"},
		{"job-b.4b%b", "job-b.4b123"},
		{"", ""},
	} {
		if got := FillPattern(c.name, 'b', "123"); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
	if before, digits, letter, after, found := CutPattern("b-%4a", "b"); before != "b-%4a" || digits != "" || letter != 0 || after != "" || found {
		t.Errorf("where there is none, %q, %q, %q, %q, %v", before, digits, letter, after, found)
	}
	if got := RenamePattern("%b-%7b%a", 'b', 'j'); got != "%j-%7j%a" {
		t.Errorf("renamed it is %q", got)
	}
	if HasPattern("x%4", 'a') || HasPattern("x%4b", 'a') || !HasPattern("x%4a", 'a') || !HasPattern("%b%a", 'a') {
		t.Error("a pattern was found where there is none, or not where there is one")
	}
}

// A name of nothing but patterns, as long as a request may be, takes no more than its length does:
// what was copied for each of them would keep the market busy for minutes.
func TestLongNamesAreFilledInAtOnce(t *testing.T) {
	const patterns = 20_000
	name := strings.Repeat("%b", patterns)
	for what, fill := range map[string]func() string{
		"filled in": func() string { return FillPattern(name, 'b', "12") },
		"renamed":   func() string { return RenamePattern(name, 'b', 'j') },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := fill()
		runtime.ReadMemStats(&after)
		if len(got) != len(name) || strings.Contains(got, "b") {
			t.Errorf("%s: %d bytes, %.20s…", what, len(got), got)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%s: %d MB for a name of %d KB", what, used>>20, len(name)>>10)
		}
	}
}
