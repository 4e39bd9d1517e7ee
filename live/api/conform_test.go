package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

// conform lets every exchange of a test be checked against the description:
// each answer, and each body that was taken, must be what it says.
func conform(t *testing.T, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent bytes.Buffer
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &sent), r.Body}
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(rec, r)
		if r.Pattern == "" || r.Pattern == "/" || r.Method == http.MethodHead {
			return
		}
		if err := conforms(r, rec, sent.Bytes()); err != nil {
			t.Errorf("%s %s, status %d, is not as described: %v\nsent: %s\ngot: %s",
				r.Method, r.URL.Path, rec.status, err, clip(sent.Bytes()), clip(rec.body.Bytes()))
		}
	})
}

func clip(b []byte) []byte { return b[:min(len(b), 2000)] }

// recorder keeps a copy of an answer.
type recorder struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func conforms(r *http.Request, rec *recorder, sent []byte) error {
	method, pattern, found := strings.Cut(r.Pattern, " ")
	if !found { // a method that the path does not know
		method, pattern = "get", method
	}
	at := "/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(api.Documented(pattern)) + "/" + strings.ToLower(method)
	media, _, _ := strings.Cut(rec.Header().Get("Content-Type"), ";")
	slashed := strings.ReplaceAll(media, "/", "~1")
	switch {
	case rec.status >= 400:
		return check("/components/responses/Problem/content/"+slashed+"/schema", rec.body.Bytes())
	case rec.status == http.StatusNoContent:
		if rec.body.Len() > 0 {
			return fmt.Errorf("an answer without content has some")
		}
	case media == "application/json":
		if err := check(at+"/responses/"+strconv.Itoa(rec.status)+"/content/"+slashed+"/schema", rec.body.Bytes()); err != nil {
			return err
		}
	default:
		if _, err := schemaAt(at + "/responses/" + strconv.Itoa(rec.status) + "/content/" + slashed + "/schema"); err != nil {
			return err
		}
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind == "application/yaml" {
		_, err := schemaAt(at + "/requestBody/content/application~1yaml/schema") // a text of its own
		return err
	}
	if len(sent) > 0 && string(sent) != "{}" {
		return check(at+"/requestBody/content/application~1json/schema", sent)
	}
	return nil
}

var described struct {
	sync.Mutex

	compiler *jsonschema.Compiler
	known    map[string]*jsonschema.Schema
}

// schemaAt compiles the schema at a place of the description. In answers too,
// nothing may be that is not described.
func schemaAt(pointer string) (*jsonschema.Schema, error) {
	described.Lock()
	defer described.Unlock()
	if described.compiler == nil {
		h := api.New(apitest.New(), &apitest.Keys{}, api.Options{})
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
		doc, err := jsonschema.UnmarshalJSON(rec.Body)
		if err != nil {
			return nil, err
		}
		schemas := doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
		for _, s := range schemas {
			s.(map[string]any)["additionalProperties"] = false
		}
		described.compiler, described.known = jsonschema.NewCompiler(), map[string]*jsonschema.Schema{}
		described.compiler.DefaultDraft(jsonschema.Draft2020)
		if err := described.compiler.AddResource("mem:///openapi.json", doc); err != nil {
			return nil, err
		}
	}
	if s := described.known[pointer]; s != nil {
		return s, nil
	}
	s, err := described.compiler.Compile("mem:///openapi.json#" + pointer)
	if err == nil {
		described.known[pointer] = s
	}
	return s, err
}

func check(pointer string, text []byte) error {
	s, err := schemaAt(pointer)
	if err != nil {
		return err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	return s.Validate(v)
}

// Every schema of the description is one.
func TestDescribedSchemasCompile(t *testing.T) {
	a := newWorld(t).ask("", http.MethodGet, "/openapi.json", nil)
	doc := read[struct {
		Components struct{ Schemas map[string]any }
	}](t, a)
	if len(doc.Components.Schemas) < 50 {
		t.Errorf("only %d schemas", len(doc.Components.Schemas))
	}
	for name := range doc.Components.Schemas {
		if _, err := schemaAt("/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The check itself must be able to fail.
func TestConformanceSeesWhatIsWrong(t *testing.T) {
	const problem = "/components/responses/Problem/content/application~1problem+json/schema"
	for _, wrong := range []string{
		`{"type":"/problems/x","title":"x"}`,
		`{"type":"/problems/x","title":"x","status":"404"}`,
		`{"type":"/problems/x","title":"x","status":404,"extra":1}`,
	} {
		if check(problem, []byte(wrong)) == nil {
			t.Errorf("%s passes for a problem", wrong)
		}
	}
	if err := check(problem, []byte(`{"type":"/problems/x","title":"x","status":404}`)); err != nil {
		t.Error(err)
	}
}
