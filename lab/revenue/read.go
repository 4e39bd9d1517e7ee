package revenue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/admission"
)

// maxFile is the largest classes file that is read.
const maxFile = 1 << 20

// ReadModel reads a classes file: a JSON object with the fields capacity, load
// and classes, and optionally tau_min (0), phi (1) and offset (scaled). It is
// strict: unknown fields, fields that are there twice and missing ones are
// errors, which name the field.
func ReadModel(in io.Reader) (admission.Model, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return admission.Model{}, err
	}
	if len(text) > maxFile {
		return admission.Model{}, fmt.Errorf("larger than %d bytes", maxFile)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	r := &modelReader{decoder: json.NewDecoder(bytes.NewReader(text))}
	m := admission.Model{Phi: 1, Offset: admission.Scaled}
	if err := r.model(&m); err != nil {
		return admission.Model{}, r.placed(text, err)
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return admission.Model{}, errors.New("more after the end of the object")
	}
	if err := m.Validate(); err != nil {
		return admission.Model{}, err
	}
	return m, nil
}

// modelReader reads the file token by token: the decoder of the standard library
// lets a field be there twice and in any case of letters.
type modelReader struct{ decoder *json.Decoder }

func (r *modelReader) model(m *admission.Model) error {
	return r.object("", []string{"capacity", "load", "classes"}, map[string]any{
		"capacity": &m.Capacity, "tau_min": &m.TauMin, "phi": &m.Phi, "offset": &m.Offset, "load": &m.Load,
		"classes": func() error { return r.classes(m) },
	})
}

func (r *modelReader) classes(m *admission.Model) error {
	if err := r.open("classes", '['); err != nil {
		return err
	}
	for r.decoder.More() {
		if len(m.Classes) == admission.MaxClasses {
			return fmt.Errorf("classes: more than %d", admission.MaxClasses)
		}
		var c admission.Class
		path := fmt.Sprintf("classes[%d].", len(m.Classes))
		err := r.object(path, []string{"name", "p0", "v1", "share", "b1", "b2"}, map[string]any{
			"name": &c.Name, "p0": &c.P0, "v1": &c.V1, "share": &c.Share, "b1": &c.B1, "b2": &c.B2,
		})
		if err != nil {
			return err
		}
		m.Classes = append(m.Classes, c)
	}
	_, err := r.decoder.Token()
	return err
}

// object reads an object with known fields, some of which are needed.
func (r *modelReader) object(path string, needed []string, fields map[string]any) error {
	if err := r.open(strings.TrimSuffix(path, "."), '{'); err != nil {
		return err
	}
	var seen []string
	for r.decoder.More() {
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder lets nothing else stand here
		into, known := fields[name]
		if !known {
			return fmt.Errorf("%s%s: unknown field (want %s)", path, name, strings.Join(sortedKeys(fields), ", "))
		}
		if slices.Contains(seen, name) {
			return fmt.Errorf("%s%s: there twice", path, name)
		}
		seen = append(seen, name)
		if err := r.field(path+name, into); err != nil {
			return err
		}
	}
	if _, err := r.decoder.Token(); err != nil {
		return err
	}
	for _, name := range needed {
		if !slices.Contains(seen, name) {
			return fmt.Errorf("%s%s: missing", path, name)
		}
	}
	return nil
}

func (r *modelReader) field(path string, into any) error {
	if read, nested := into.(func() error); nested {
		return read()
	}
	token, err := r.decoder.Token()
	if err != nil {
		return named(path, err)
	}
	switch into := into.(type) {
	case *float64:
		x, ok := token.(float64)
		if !ok {
			return fmt.Errorf("%s: %v is not a number", path, token)
		}
		*into = x
	case *string:
		text, ok := token.(string)
		if !ok {
			return fmt.Errorf("%s: %v is not a text", path, token)
		}
		*into = text
	case *admission.Offset:
		text, ok := token.(string)
		if !ok {
			return fmt.Errorf("%s: %v is not a text", path, token)
		}
		*into = admission.Offset(text)
	}
	return nil
}

// open reads the bracket with which an object or an array begins.
func (r *modelReader) open(path string, want json.Delim) error {
	token, err := r.decoder.Token()
	if err != nil {
		return err
	}
	if token == want {
		return nil
	}
	what := "an object"
	if want == '[' {
		what = "an array"
	}
	if path == "" {
		return fmt.Errorf("not %s", what)
	}
	return fmt.Errorf("%s: not %s", path, what)
}

// named gives an error of the decoder the field it happened in.
func named(path string, err error) error {
	if _, syntax := errors.AsType[*json.SyntaxError](err); syntax || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: %s is too large", path, strings.TrimPrefix(wrong.Value, "number "))
	}
	return fmt.Errorf("%s: %w", path, err)
}

// placed says in which line something is wrong.
func (r *modelReader) placed(text []byte, err error) error {
	offset := r.decoder.InputOffset()
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = wrong.Offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("ends too early")
	}
	offset = min(max(offset, 0), int64(len(text)))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:offset], []byte("\n")), err)
}

func sortedKeys(fields map[string]any) []string {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
