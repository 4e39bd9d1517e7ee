package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// unseen are characters that count as letters and marks, and of which nobody sees
// anything.
var unseen = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // joins marks
	{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // fills a place in a syllable of Hangul
	{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // vowels of Khmer that are not written
	{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // a pattern of Braille without dots
	{Lo: 0x3164, Hi: 0x3164, Stride: 1},
	{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
}}

// Seen reports whether a character is seen as what it is.
func Seen(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return unicode.IsGraphic(r) && !unicode.Is(unseen, r)
}

// Text is a text on one line, all of which is seen.
func Text(text string) string { return escape(text, func(rune) bool { return false }) }

// Lines is the same of a text that may have lines, and tabs in them.
func Lines(text string) string {
	return escape(text, func(r rune) bool { return r == '\n' || r == '\t' })
}

func escape(text string, spared func(rune) bool) string {
	var b strings.Builder
	done := 0 // so much of the text is in b
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		broken := r == utf8.RuneError && size == 1
		if !broken && (Seen(r) || spared(r)) {
			i += size
			continue
		}
		b.WriteString(text[done:i])
		if broken {
			fmt.Fprintf(&b, `\x%02x`, text[i])
		} else {
			name(&b, r)
		}
		i += size
		done = i
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// name writes a character as JSON does.
func name(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}
