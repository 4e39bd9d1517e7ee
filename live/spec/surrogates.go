package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// surrogates rewrites, in a JSON text, the two escapes that stand for one rare
// character (\ud83d\ude00) as the one escape YAML has for it (\U0001f600).
// This is the one thing in JSON that YAML does not read, and many programs
// write it. No line moves.
func surrogates(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\u`)) || !json.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if data[i] != '\\' {
			out = append(out, data[i])
			i++
			continue
		}
		if c := utf16.DecodeRune(escaped(data[i:]), escaped(data[min(i+6, len(data)):])); c != utf8.RuneError {
			out = fmt.Appendf(out, `\U%08x`, c)
			i += 12
			continue
		}
		out = append(out, data[i], data[i+1]) // no JSON ends in a backslash
		i += 2
	}
	return out
}

// escaped is the character of the \uXXXX at the start of the text, or
// utf8.RuneError.
func escaped(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return utf8.RuneError
	}
	code, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(code)
}
