package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columnsOf is how many columns of a terminal a text takes: a letter of Chinese or
// Japanese has two, an accent that stands on the letter before it none.
func columnsOf(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 { // most of all
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// clipColumns keeps a text within so many columns; a mark says that it goes on.
func clipColumns(text string, most int) string {
	if columnsOf(text) <= most {
		return text
	}
	if most < 1 {
		return ""
	}
	var b strings.Builder
	n := 0
	for _, r := range text {
		c := runeColumns(r)
		if n+c > most-1 {
			break
		}
		b.WriteRune(r)
		n += c
	}
	return b.String() + "~"
}
