package web

import (
	"bytes"
	"html/template"
	"unicode/utf8"

	"github.com/libra-market/libra/core/plain"
)

// render makes a page, or a part of one. What people wrote is seen in it as what it
// is: a name cannot turn the direction of what stands beside it, or hide in it.
func render(t *template.Template, name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, name, data); err != nil {
		return nil, err
	}
	return seen(out.Bytes()), nil
}

// seen writes the characters of a page that are not seen as what they are, but for
// what a form sends back: that is its writer's own, and must not change on the way.
func seen(page []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(page); {
		r, size := utf8.DecodeRune(page[i:])
		if plain.Seen(r) || r == '\n' || r == '\t' || r == '\r' || inField(page[:i]) {
			i += size
			continue
		}
		out = append(append(out, page[done:i]...), plain.Text(string(page[i:i+size]))...)
		i += size
		done = i
	}
	if done == 0 {
		return page
	}
	return append(out, page[done:]...)
}

// inField reports whether what follows stands in a field of a form. Between quotes of
// values there are none, and no brackets in a text: the templates see to that.
func inField(before []byte) bool {
	if area := bytes.LastIndex(before, []byte("<textarea")); area > bytes.LastIndex(before, []byte("</textarea>")) {
		return true
	}
	value := bytes.LastIndex(before, []byte(` value="`))
	return value >= 0 && !bytes.ContainsAny(before[value+len(` value="`):], `"<>`)
}
