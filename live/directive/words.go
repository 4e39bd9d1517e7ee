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

// errColon is what sbatch says of a word that begins like a part of a job of unlike parts.
var errColon = errors.New("a word cannot begin with a colon")

// optionWords cuts a line of options into words as sbatch does: a # outside of quotes begins a comment, also
// within a word; a backslash keeps the character after it, in either kind of quotes too (that of 22.05 no blank outside
// of them, with which it cannot read the line); and nothing is read after an empty word.
func optionWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote := rune(0)
	escaped, begun := false, false
	end := func() (empty bool) {
		if !begun {
			return false
		}
		if word.Len() == 0 {
			return true
		}
		words = append(words, word.String())
		word.Reset()
		begun = false
		return false
	}
	for _, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case quote == 0 && (c == ' ' || c == '\t'):
			if end() {
				return words, nil
			}
		case c == '\\':
			escaped, begun = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, begun = c, true
		case c == '#':
			end()
			return words, nil
		case c == ':' && !begun:
			return nil, statusOneError{errColon}
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, statusOneError{errQuote}
	}
	end()
	return words, nil
}
