package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// quote is a text as one word of a shell, whatever is in it.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
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

// quoteWith is a text as one word of a shell, in which a pattern is the value of a
// variable.
func quoteWith(text string, variables map[string]string) string {
	for _, pattern := range slices.Sorted(maps.Keys(variables)) {
		if before, after, found := strings.Cut(text, pattern); found {
			return quoteWith(before, variables) + `"$` + variables[pattern] + `"` + quoteWith(after, variables)
		}
	}
	return quote(text)
}
