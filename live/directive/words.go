package directive

import (
	"errors"
	"strings"
)

var errQuote = errors.New("a quote is not closed")

// split cuts a line into words as a shell would: at blanks outside of quotes,
// up to a # that begins a word.
func split(text string) ([]string, error) { return cut(text, true) }

// cut is split for a text that may have no comments.
func cut(text string, comments bool) ([]string, error) {
	var words []string
	var word strings.Builder
	inside := false // a word, which may be empty: ""
	quote := rune(0)
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inside = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inside = c, true
		case c == ' ' || c == '\t':
			if inside {
				words = append(words, word.String())
				word.Reset()
				inside = false
			}
		case c == '#' && !inside && comments:
			return words, nil
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if quote != 0 || escaped {
		return nil, errQuote
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}
