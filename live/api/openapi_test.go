package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

var update = flag.Bool("update", false, "rewrite openapi.json")

// The description is made from the table of routes, from the Go types and from
// the comments beside their fields, so it says what the code says. It is kept
// as a file so that a change of the wire format is seen in review.
func TestDescriptionIsUpToDate(t *testing.T) {
	made, err := json.MarshalIndent(description(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	made = append(made, '\n')
	if *update {
		if err := os.WriteFile("openapi.json", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(made, openAPI) {
		t.Errorf("openapi.json is not what the code says: run go test ./live/api -run Description -update, and read the diff")
	}
}

// Every route is described, with its roles, and nothing else is.
func TestDescriptionIsWhatIsServed(t *testing.T) {
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string   `json:"operationId"`
			Roles       []string `json:"x-roles"`
			Summary     string
		}
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("openapi is %q", doc.OpenAPI)
	}
	operations := map[string]bool{}
	for _, item := range doc.Paths {
		for _, o := range item {
			if operations[o.OperationID] {
				t.Errorf("two operations are called %s", o.OperationID)
			}
			operations[o.OperationID] = true
		}
	}
	for i := range routes {
		rt := &routes[i]
		o, ok := doc.Paths[documented(rt.pattern)][strings.ToLower(rt.method)]
		if !ok {
			t.Errorf("%s %s is not described", rt.method, rt.pattern)
		}
		if got := strings.Join(o.Roles, " or "); got != rt.roles.words() {
			t.Errorf("%s %s is described for %q and served to %q", rt.method, rt.pattern, got, rt.roles.words())
		}
		if o.Summary == "" {
			t.Errorf("%s %s is not explained", rt.method, rt.pattern)
		}
	}
	if len(operations) != len(routes) {
		t.Errorf("%d operations are described, %d are served", len(operations), len(routes))
	}
}

var (
	wildcard = regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`)
	noDot    = strings.NewReplacer("...}", "}")
)

// documented is a pattern as OpenAPI writes it.
func documented(pattern string) string { return noDot.Replace(pattern) }

func description(t *testing.T) map[string]any {
	s := newSchemas(t, "../../client/v1", "../../core/task")
	paths := map[string]map[string]any{}
	for i := range routes {
		rt := &routes[i]
		path := documented(rt.pattern)
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(rt.method)] = operation(s, rt)
	}
	problem := s.of(reflect.TypeFor[v1.Problem](), false)
	s.of(reflect.TypeFor[v1.Notice](), false)
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Libra", "version": "1",
			"summary":     "A market for compute: quotes, jobs, accounts, and the agents that run it.",
			"description": preface(),
		},
		"servers": []any{map[string]any{"url": "/"}},
		"paths":   paths,
		"components": map[string]any{
			"schemas": s.all,
			"responses": map[string]any{"Problem": map[string]any{
				"description": "Why not: an RFC 9457 problem. A refusal by the market is one too.",
				"content":     map[string]any{"application/problem+json": map[string]any{"schema": problem}},
			}},
			"securitySchemes": map[string]any{
				"token":       map[string]any{"type": "http", "scheme": "bearer", "description": "Authorization: Bearer libra_..."},
				"certificate": map[string]any{"type": "mutualTLS", "description": "For agents: the common name of the certificate is the name of the node."},
			},
		},
	}
}

// preface is what holds for all routes.
func preface() string {
	var b strings.Builder
	b.WriteString("Times are unix microseconds (`_us`), periods milliseconds (`_ms`), money micro-units (`_micros`).\n\n" +
		"Unknown fields and parameters are refused. What belongs to somebody else is answered like what does not exist.\n\n" +
		"Every POST takes an `Idempotency-Key`: sent again with the same body, it is answered as it was the first time, " +
		"with `Idempotency-Replayed: true`.\n\n" +
		"| problem | status | exit code of commands | title |\n|---|---|---|---|\n")
	for _, k := range kinds {
		p := k.problem("")
		fmt.Fprintf(&b, "| `%s` | %d | %d | %s |\n", p.Type, k.status, p.ExitCode(), k.title)
	}
	return b.String()
}

func operation(s *schemas, rt *route) map[string]any {
	name := runtime.FuncForPC(reflect.ValueOf(rt.handle).Pointer()).Name()
	o := map[string]any{
		"operationId": name[strings.LastIndexByte(name, '.')+1:],
		"summary":     rt.does,
		"parameters":  parameters(rt),
		"responses": map[string]any{
			strconv.Itoa(rt.status): success(s, rt),
			"default":               map[string]any{"$ref": "#/components/responses/Problem"},
		},
	}
	if rt.roles == everyone {
		o["security"] = []any{}
	} else {
		o["x-roles"] = strings.Split(rt.roles.words(), " or ")
		security := []any{map[string]any{"token": []any{}}}
		if rt.roles&nodes != 0 {
			security = append(security, map[string]any{"certificate": []any{}})
		}
		o["security"] = security
	}
	if rt.body != nil {
		content := map[string]any{"application/json": map[string]any{"schema": s.of(reflect.TypeOf(rt.body), true)}}
		if rt.takesSpec() {
			content[yamlType] = map[string]any{"schema": map[string]any{
				"type": "string", "description": "the specification of one job, as libra submit --file takes it: details, resources, qos, optimise",
			}, "example": specExample}
		}
		o["requestBody"] = map[string]any{"required": true, "content": content}
	}
	return o
}

func parameters(rt *route) []any {
	list := []any{}
	for _, m := range wildcard.FindAllStringSubmatch(rt.pattern, -1) {
		p := map[string]any{"name": m[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}}
		switch {
		case m[1] == "id" && strings.HasPrefix(rt.pattern, "/v1/jobs/"):
			p["schema"] = map[string]any{"type": "integer", "format": "int64", "minimum": 0}
		case m[2] != "":
			p["description"] = "a path, with its slashes as they are"
		}
		list = append(list, p)
	}
	for _, p := range rt.params {
		schema := map[string]any{"type": p.kind}
		if p.kind == "boolean" {
			schema = map[string]any{"type": "integer", "enum": []int{0, 1}}
		}
		list = append(list, map[string]any{"name": p.name, "in": "query", "description": p.does, "schema": schema})
	}
	text := map[string]any{"type": "string"}
	if rt.method == http.MethodPost {
		list = append(list, map[string]any{
			"name": "Idempotency-Key", "in": "header", "description": "opaque; a new one for every new request",
			"schema": map[string]any{"type": "string", "minLength": 1, "maxLength": maxKey},
		})
	}
	if rt.answer == media("text/event-stream") {
		list = append(list, map[string]any{"name": "Last-Event-ID", "in": "header", "description": "the number of the last event that was seen", "schema": text})
	}
	return list
}

func success(s *schemas, rt *route) map[string]any {
	out := map[string]any{"description": http.StatusText(rt.status)}
	switch answer := rt.answer.(type) {
	case nil:
	case media:
		schema := map[string]any{"type": "string"}
		if answer == "text/event-stream" {
			schema["description"] = "events whose data is a Notice (#/components/schemas/Notice), whose ID is its number and whose name is its kind"
		}
		out["content"] = map[string]any{string(answer): map[string]any{"schema": schema}}
	default:
		content := map[string]any{"application/json": map[string]any{"schema": s.of(reflect.TypeOf(answer), false)}}
		for _, p := range rt.params {
			switch p.name {
			case "follow":
				content["text/plain"] = map[string]any{"schema": map[string]any{"type": "string"}}
			case "format":
				content["text/csv"] = map[string]any{"schema": map[string]any{"type": "string"}}
			}
		}
		out["content"] = content
	}
	if rt.method == http.MethodPost {
		out["headers"] = map[string]any{"Idempotency-Replayed": map[string]any{
			"description": "true: this is the answer of the first time", "schema": map[string]any{"type": "string"},
		}}
	}
	return out
}

const specExample = "details: {name: hello, command: ./simulate --steps 1000, runtime_estimate: 10m}\nqos: {deadline: 1h, budget: 25}\n"
