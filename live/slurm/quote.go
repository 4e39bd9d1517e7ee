package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// quote is a text as one word of a shell, whatever is in it.
func quote(text string) string {
	if task.HasRaw(text) {
		return task.EachRaw(text, func(raw []byte) string { return `"$(printf '` + octal(`\`, raw) + `')"` }, quote)
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// octal are bytes as printf(1) reads them.
func octal(mark string, raw []byte) string {
	var b strings.Builder
	for _, c := range raw {
		fmt.Fprintf(&b, "%s%03o", mark, c)
	}
	return b.String()
}

// writes is a command that writes a text: as it is, or where it has bytes that are none, by printf.
func writes(text string) string {
	if !task.HasRaw(text) {
		return "cat " + hereDocument(text)
	}
	escaped := task.EachRaw(text, func(raw []byte) string { return octal(`\0`, raw) }, func(text string) string { return strings.ReplaceAll(text, `\`, `\\`) })
	return "printf %b " + quote(escaped) + "\n"
}

// quoteAll is a list of such words.
func quoteAll(texts []string) string {
	words := make([]string, len(texts))
	for i, text := range texts {
		words[i] = quote(text)
	}
	return strings.Join(words, " ")
}

// hereDocument is a text that a command reads as its standard input, as it is:
// the shell does not look into it, and it cannot end it.
func hereDocument(text string) string {
	sum := sha256.Sum256([]byte(text))
	end := "libra_" + hex.EncodeToString(sum[:8])
	for strings.Contains(text, end) {
		end += "_"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return "<<'" + end + "'\n" + text + end + "\n"
}

// quoteWith is the name of a file as one word of a shell, in which the pattern of a letter is the
// value of a variable, which is a number where it is to have some digits.
func quoteWith(name string, variables map[byte]string) string {
	var b strings.Builder
	letters := string(slices.Collect(maps.Keys(variables)))
	for {
		before, digits, letter, after, found := task.CutPattern(name, letters)
		b.WriteString(quote(before))
		if !found {
			return b.String()
		}
		value := `"$` + variables[letter] + `"`
		if width := task.PatternWidth(digits); width > 0 && letter != 'N' {
			value = fmt.Sprintf(`"$(printf %%0%dd %s)"`, width, value)
		}
		b.WriteString(value)
		name = after
	}
}
