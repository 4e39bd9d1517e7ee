package api

import (
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

// schemas collects the JSON schemas of Go types.
type schemas struct {
	t    *testing.T
	all  map[string]map[string]any
	of1  map[string]reflect.Type // by name
	docs map[string]string       // of pkg.Type and pkg.Type.Field
}

// enums are the types that have a closed set of values.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[v1.State]():   words(v1.States()),
	reflect.TypeFor[v1.Role]():    {v1.RoleUser, v1.RoleOwner, v1.RoleNode},
	reflect.TypeFor[v1.Overrun](): {"", v1.OverrunStop, v1.OverrunLate, v1.OverrunKill},
	reflect.TypeFor[task.State](): {"", task.Starting, task.Running, task.Frozen, task.Ended, task.Refused, task.Lost},
	reflect.TypeFor[task.Stop]():  {task.GoOn, task.Terminate, task.Kill},
}

// names are those under which a schema was published and has to stay.
var names = map[reflect.Type]string{
	reflect.TypeFor[v1.Statement]():     "LedgerStatement",
	reflect.TypeFor[v1.StatementLine](): "LedgerLine",
	reflect.TypeFor[v1.Period]():        "LedgerPeriod",
}

// twins are what agents send and people read alike: one schema for both. That
// they are the same bytes is what package wire tests.
var twins = map[reflect.Type]reflect.Type{
	reflect.TypeFor[v1.Chunk]():       reflect.TypeFor[task.Chunk](),
	reflect.TypeFor[v1.TaskStatus]():  reflect.TypeFor[task.Status](),
	reflect.TypeFor[v1.TaskElement](): reflect.TypeFor[task.Element](),
}

func words[T any](list []T) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

func newSchemas(t *testing.T, dirs ...string) *schemas {
	s := &schemas{t: t, all: map[string]map[string]any{}, of1: map[string]reflect.Type{}, docs: map[string]string{}}
	for _, d := range dirs {
		files, err := filepath.Glob(filepath.Join(d, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") {
				s.read(f)
			}
		}
	}
	return s
}

// read takes in the comments of a file.
func (s *schemas) read(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, spec := range g.Specs {
			ts := spec.(*ast.TypeSpec)
			name := f.Name.Name + "." + ts.Name.Name
			s.docs[name] = said(g.Doc)
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range st.Fields.List {
				for _, n := range field.Names {
					s.docs[name+"."+n.Name] = strings.TrimSpace(said(field.Doc) + " " + said(field.Comment))
				}
			}
		}
	}
}

// paper is where a comment points to a paper by its number: docs/papers.md is for
// those who read the code, not for those who read the description.
var paper = regexp.MustCompile(` ?\(00[0-4][^)]*\)`)

func said(c *ast.CommentGroup) string {
	return paper.ReplaceAllString(strings.Join(strings.Fields(c.Text()), " "), "")
}

// of is the schema of a type. Where it is sent, nothing may be in it that it
// does not name; where it is answered, a later version may add to it.
func (s *schemas) of(t reflect.Type, sent bool) map[string]any {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t.Kind() != reflect.Pointer && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return map[string]any{"type": "string"}
	case enums[t] != nil:
		return map[string]any{"type": "string", "enum": enums[t]}
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return map[string]any{"type": "number", "format": "double"}
	case reflect.Pointer:
		return s.of(t.Elem(), sent)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "contentEncoding": "base64"}
		}
		return map[string]any{"type": "array", "items": s.of(t.Elem(), sent)}
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return map[string]any{"type": "object"}
		}
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem(), sent)}
	case reflect.Struct:
		return s.structure(t, sent)
	}
	s.t.Fatalf("no schema for %v", t)
	return nil
}

// structure describes a struct by its name.
func (s *schemas) structure(t reflect.Type, sent bool) map[string]any {
	if twin, ok := twins[t]; ok {
		t = twin
	}
	name := t.Name()
	switch published, ok := names[t]; {
	case ok:
		name = published
	case filepath.Base(t.PkgPath()) != "v1":
		pkg := filepath.Base(t.PkgPath())
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	if other, ok := s.of1[name]; ok && other != t {
		s.t.Fatalf("%v and %v are both called %s", t, other, name)
	}
	if s.all[name] == nil {
		schema := map[string]any{"type": "object"}
		s.all[name], s.of1[name] = schema, t
		properties, required := map[string]any{}, []string{}
		s.fields(t, sent, properties, &required)
		schema["properties"] = properties
		if len(required) > 0 {
			schema["required"] = required
		}
		describe2(schema, s.docs[filepath.Base(t.PkgPath())+"."+t.Name()])
	}
	if sent {
		s.close(name)
	}
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// close forbids what a type does not name, and so in all that is in it.
func (s *schemas) close(name string) {
	if _, closed := s.all[name]["additionalProperties"]; closed {
		return
	}
	s.all[name]["additionalProperties"] = false
	t := s.of1[name]
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			s.of(f.Type, true)
		}
	}
}

func (s *schemas) fields(t reflect.Type, sent bool, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			s.fields(f.Type, sent, properties, required)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			s.t.Fatalf("%v.%s has no name on the wire", t, f.Name)
		}
		schema := s.of(f.Type, sent)
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if !optional {
			*required = append(*required, name)
			switch kind := f.Type.Kind(); {
			case f.Type == reflect.TypeFor[json.RawMessage]():
			case kind == reflect.Slice || kind == reflect.Map:
				schema["type"] = []string{schema["type"].(string), "null"} // an empty one may be written so
			case kind == reflect.Pointer:
				s.t.Fatalf("%v.%s may be null", t, f.Name)
			}
		}
		describe2(schema, s.docs[filepath.Base(t.PkgPath())+"."+t.Name()+"."+f.Name])
		properties[name] = schema
	}
}

func describe2(schema map[string]any, doc string) {
	if doc != "" {
		schema["description"] = doc
	}
}
