package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"reflect"
	"strings"
	"unicode/utf8"
)

const (
	maxBody   = 2 << 20
	maxReport = 8 << 20
	maxKey    = 255
)

// read takes in the body, and the idempotency key that goes with it.
func (c *call) read() error {
	if err := c.readBody(); err != nil {
		return err
	}
	keys := c.r.Header["Idempotency-Key"]
	if len(keys) == 0 {
		return nil
	}
	if len(keys) > 1 || !printable(keys[0]) {
		return malformed(fmt.Sprintf("Idempotency-Key: want one, of 1 to %d printable ASCII characters", maxKey))
	}
	hash := sha256.New()
	io.WriteString(hash, c.r.Method+" "+c.r.URL.Path+"\n")
	hash.Write(c.body.Bytes())
	c.key = Key{Owner: c.who.User, Key: keys[0], Digest: hash.Sum(nil)}
	return nil
}

func isJSON(kind string) bool {
	if kind == "application/json" || kind == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(kind)
	return err == nil && media == "application/json"
}

func printable(key string) bool {
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= maxKey
}

// decode reads the body into a value and refuses whatever it does not
// understand: a field that is misspelt must not be silently dropped.
func (c *call) decode(v any) error {
	if err := c.read(); err != nil {
		return err
	}
	body := c.body.Bytes()
	if len(body) == 0 {
		return malformed("the body is empty: want a JSON object")
	}
	if c.route.takesSpec() && isYAML(c.r.Header.Get("Content-Type")) {
		var err error
		if body, err = specified(body, c.h.options.Now()); err != nil {
			return err
		}
	}
	return strict(body, v)
}

// decodeNone reads a body that has nothing to say.
func (c *call) decodeNone() error {
	if err := c.read(); err != nil {
		return err
	}
	if c.body.Len() == 0 {
		return nil
	}
	return strict(c.body.Bytes(), &struct{}{})
}

func strict(body []byte, v any) error {
	// The decoder would replace what is not UTF-8, and so run another script
	// than the one that was sent.
	if !utf8.Valid(body) {
		return malformed("the body is not UTF-8")
	}
	if first := bytes.TrimLeft(body, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return malformed("want a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return decodeFault(err)
	}
	if rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return malformed(fmt.Sprintf("something follows the JSON object at byte %d", len(body)-len(rest)))
	}
	return nil
}

// decodeFault names the field that a decoder complains of.
func decodeFault(err error) error {
	var shape *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &shape):
		field := strings.TrimPrefix(shape.Field, "request.")
		if field == "" {
			return malformed("want a JSON object")
		}
		f := &fault{kind: kindInvalid, field: field}
		f.detail = fmt.Sprintf("%s: want %s, not %s", field, wordFor(shape.Type), shape.Value)
		return f
	case errors.As(err, &syntax):
		return malformed(fmt.Sprintf("not JSON at byte %d: %v", syntax.Offset, err))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return malformed("the JSON object does not end")
	}
	// The package has no type for it, only these words.
	if quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		field := strings.Trim(quoted, `"`)
		return &fault{kind: kindInvalid, field: field, detail: fmt.Sprintf("there is no field %q", field)}
	}
	return malformed(strings.TrimPrefix(err.Error(), "json: "))
}

func wordFor(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}
