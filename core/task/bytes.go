package task

import (
	"strings"
	"unicode/utf8"
)

// What travels as text may be no text: a script or a variable in the encoding of old. Each byte that is none of
// UTF-8 goes as a character from the end of what Unicode leaves to everybody's own use, and is that byte again
// where the program starts.
const firstRaw = utf8.MaxRune - 0x7f

// AsText is a string of any bytes as one that is UTF-8.
func AsText(raw string) string {
	if utf8.ValidString(raw) && !HasRaw(raw) {
		return raw
	}
	var b strings.Builder
	for rest := raw; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 || r >= firstRaw {
			for i := range size {
				b.WriteRune(firstRaw + rune(rest[i]&0x7f))
			}
		} else {
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// HasRaw reports whether a text has bytes that are none.
func HasRaw(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= firstRaw })
}

// EachRaw is a text in which something else stands for every run of such bytes, and what the rest is made.
func EachRaw(text string, raw func(bytes []byte) string, rest func(text string) string) string {
	var b strings.Builder
	for text != "" {
		at := strings.IndexFunc(text, func(r rune) bool { return r >= firstRaw })
		if at < 0 {
			b.WriteString(rest(text))
			break
		}
		if at > 0 {
			b.WriteString(rest(text[:at]))
		}
		text = text[at:]
		var bytes []byte
		for text != "" {
			r, size := utf8.DecodeRuneInString(text)
			if r < firstRaw {
				break
			}
			bytes, text = append(bytes, 0x80|byte(r-firstRaw)), text[size:]
		}
		b.WriteString(raw(bytes))
	}
	return b.String()
}
