package directive

import (
	"slices"
	"strings"
)

// shellWords begin what only a shell understands.
var shellWords = []string{"while", "until", "for", "if", "case", "{", "!"}

// ForShell reports whether a text is a command line that only a shell can run: it has
// what joins commands or turns them elsewhere, outside of quotes, or begins as a loop or a
// condition does.
func ForShell(text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if slices.Contains(shellWords, first) || strings.HasPrefix(first, "(") {
		return true
	}
	quote, escaped := rune(0), false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'':
		case r == '`' || r == '$' && strings.HasPrefix(text[i:], "$("):
			return true
		case quote != 0:
		case r == '\'' || r == '"':
			quote = r
		case strings.ContainsRune("|&;<>\n", r):
			return true
		}
	}
	return false
}

// command is what a text runs: a program with its arguments, or a shell.
func command(text string) ([]string, error) {
	if ForShell(text) {
		return []string{"/bin/sh", "-c", text}, nil
	}
	return cut(text, false)
}
