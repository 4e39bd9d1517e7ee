package plain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// begins are the characters that a formula begins with, those of full width too,
// which spreadsheets in Japanese take for the others.
const begins = "=+-@\t\r\n＝＋－＠"

// quote before a cell keeps spreadsheets from reading it as anything but a text.
const quote = "'"

// Cell is a text for a table that a spreadsheet may open: all of it is seen, and it
// is no formula. Numbers stay as they are.
func Cell(text string) string { return Text(Guard(text)) }

// Guard is a text that is no formula to a spreadsheet; Unguard reads it back.
func Guard(text string) string {
	if !guarded(text) {
		return text
	}
	return quote + text
}

// Unguard is the text that Guard was given.
func Unguard(text string) string {
	if rest, quoted := strings.CutPrefix(text, quote); quoted && guarded(rest) {
		return rest
	}
	return text
}

// guarded reports whether a text gets a quote: a formula does, and so does one that has
// quotes already, which would otherwise be read back without the first.
func guarded(text string) bool { return formula(strings.TrimLeft(text, quote)) }

// formula reports whether a spreadsheet may take a text for one. Space before it does
// not count.
func formula(text string) bool {
	if text == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune(begins, first) {
		rest := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !Seen(r) })
		if first, _ = utf8.DecodeRuneInString(rest); rest == "" || !strings.ContainsRune(begins, first) {
			return false
		}
	}
	return !number(text)
}

// number reports whether a text is a decimal number.
func number(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "0123456789.eE+-") == ""
}
