package broker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/libra-market/libra/live/web"
)

// conformance asks for everything that the API has, and checks the answers
// against its description.
func (w *world) conformance() {
	w.Helper()
	paths := w.description()
	for _, c := range []struct {
		who, method, path, at string
		body                  string
		status                int
	}{
		{"alice", "GET", "/v1/jobs?counts=1", "/v1/jobs", "", 200},
		{"root", "GET", "/v1/jobs", "/v1/jobs", "", 200},
		{"alice", "GET", "/v1/jobs/1", "/v1/jobs/{id}", "", 200},
		{"alice", "GET", "/v1/jobs/1/explain", "/v1/jobs/{id}/explain", "", 200},
		{"alice", "GET", "/v1/jobs/1/receipt", "/v1/jobs/{id}/receipt", "", 200},
		{"alice", "GET", "/v1/jobs/1/logs", "/v1/jobs/{id}/logs", "", 200},
		{"alice", "GET", "/v1/nodes", "/v1/nodes", "", 200},
		{"alice", "GET", "/v1/prices", "/v1/prices", "", 200},
		{"alice", "GET", "/v1/epochs", "", "", 409},
		{"alice", "GET", "/v1/accounts", "/v1/accounts", "", 200},
		{"alice", "GET", "/v1/accounts/alice/north", "/v1/accounts/{path}", "", 200},
		{"alice", "GET", "/v1/statements", "/v1/statements", "", 200},
		{"alice", "GET", "/v1/whoami", "/v1/whoami", "", 200},
		{"alice", "GET", "/v1/tokens", "/v1/tokens", "", 200},
		{"alice", "POST", "/v1/previews", "/v1/previews", `{"request":{"estimate_ms":1000,"deadline_ms":60000}}`, 200},
		{"alice", "POST", "/v1/quotes", "/v1/quotes", `{"request":{"estimate_ms":1000,"deadline_ms":60000}}`, 201},
		{"alice", "POST", "/v1/jobs", "/v1/jobs", `{"request":{"argv":["true"],"estimate_ms":1000,"deadline_ms":60000}}`, 201},
		{"alice", "POST", "/v1/jobs", "", `{"request":{"argv":["true"],"estimate_ms":1000,"deadline_ms":60000,"budget_micros":1}}`, 422},
		{"bob", "GET", "/v1/jobs/1", "", "", 404},
		{"alice", "GET", "/v1/jobs/999", "", "", 404},
		{"alice", "GET", "/v1/accounts/bob", "", "", 404},
		{"alice", "POST", "/v1/transfers", "", `{"to":"bob","amount_micros":5}`, 409},
		{"root", "POST", "/v1/grants", "", `{"to":"bob","amount_micros":5}`, 409},
		{"root", "GET", "/v1/report", "/v1/report", "", 200},
		{"root", "GET", "/v1/history", "/v1/history", "", 200},
		{"root", "GET", "/v1/accounts", "/v1/accounts", "", 200},
		{"root", "GET", "/v1/ledger/verify", "", "", 409},
		{"root", "GET", "/metrics", "", "", 200},
		{"root", "GET", "/healthz", "/healthz", "", 200},
	} {
		r, err := http.NewRequestWithContext(w.Context(), c.method, w.server.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			w.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+w.secrets[c.who])
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			w.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != c.status {
			w.Errorf("%s %s as %s: %d (want %d), %v: %s", c.method, c.path, c.who, res.StatusCode, c.status, err, text)
			continue
		}
		at := "/components/responses/Problem/content/application~1problem+json/schema"
		switch {
		case c.status < 400 && c.at == "":
			continue
		case c.status < 400:
			at = fmt.Sprintf("/paths/%s/%s/responses/%d/content/application~1json/schema",
				strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(c.at), strings.ToLower(c.method), c.status)
		}
		schema, err := paths.Compile("mem:///openapi.json#" + at)
		if err != nil {
			w.Errorf("%s %s: %v", c.method, c.path, err)
			continue
		}
		var v any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			w.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			w.Errorf("%s %s is not as described: %v\n%.600s", c.method, c.path, err, text)
		}
	}
}

func (w *world) description() *jsonschema.Compiler {
	w.Helper()
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	doc, err := jsonschema.UnmarshalJSON(rec.Body)
	if err != nil {
		w.Fatal(err)
	}
	for _, s := range doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		s.(map[string]any)["additionalProperties"] = false
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:///openapi.json", doc); err != nil {
		w.Fatal(err)
	}
	return c
}

// pages looks at every page as the owner of the broker.
func (w *world) pages() {
	w.Helper()
	h := web.New(w.broker, w.keys, web.Options{})
	defer h.Close()
	server := httptest.NewServer(h)
	defer server.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	res, err := browser.PostForm(server.URL+"/login", url.Values{"token": {w.secrets["root"]}})
	if err != nil {
		w.Fatal(err)
	}
	res.Body.Close()
	at := server.URL + strings.TrimSuffix(res.Request.URL.Path, "/jobs")
	for path, want := range map[string]string{
		"/submit": "", "/jobs": "at-north", "/jobs/1": "at-north", "/market": "north/n1", "/owner": "", "/account": "",
	} {
		status := http.StatusOK
		if path == "/owner" { // it is about the levers of a policy, and there is none
			status = http.StatusConflict
		}
		res, err := browser.Get(at + path)
		if err != nil {
			w.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != status || !strings.Contains(string(text), want) {
			w.Errorf("%s: status %d, %v, without %q", path, res.StatusCode, err, want)
		}
	}
}
