package task

import (
	"testing"
	"unicode/utf8"
)

// Any bytes are the same again, and what is text and has none of them stays as it is.
func TestBytesAsText(t *testing.T) {
	again := func(text string) string {
		return EachRaw(text, func(bytes []byte) string { return string(bytes) }, func(text string) string { return text })
	}
	for _, raw := range []string{"", "plain", "na\u00efve \u65e5\u672c", "caf\xe9", "\xff\x80", "\xe9t\xe9 \u00e9", "\U0010ff85", "a\U0010ffffb\xc3"} {
		text := AsText(raw)
		if !utf8.ValidString(text) || again(text) != raw {
			t.Errorf("%q: %q, and again %q", raw, text, again(text))
		}
		if HasRaw(text) == (text == raw) && raw != "" {
			t.Errorf("%q: %q", raw, text)
		}
	}
}
