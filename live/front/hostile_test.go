package front_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
)

var (
	hostileRequests = flag.Int("requests", 3000, "how many requests TestHostileRequests sends")
	hostileSeed     = flag.Uint64("seed", 1, "of the requests")
)

// Whatever is sent to the API by its own description, sane or absurd, by whoever, is
// answered without a mistake of the server; the market goes on, starts again from what
// it wrote down, and its books are right.
func TestHostileRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libra.db")
	st, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	m := startMarket(t, st)
	h := api.New(front.Market{Controller: m.Controller}, front.Keyring{Kept: st}, api.Options{PublicMetrics: true})
	const workers = 4
	var wg sync.WaitGroup
	seen := make([]map[int]int, workers)
	for w := range workers {
		g := newGenerator(t, h, m, *hostileSeed*workers+uint64(w))
		seen[w] = map[int]int{}
		wg.Go(func() {
			for i := range *hostileRequests / workers {
				if i%500 == 0 {
					g.people()
				}
				r, body := g.request()
				code, text := serve(h, r)
				seen[w][code]++
				if code >= 500 && code != http.StatusNotImplemented {
					t.Errorf("seed %d, request %d: %s %s as %s\n%s\nis %d %.500s", *hostileSeed, i, r.Method, r.URL, r.Header.Get("X-Who"), short(body), code, text)
				}
				if err := m.Healthy(t.Context()); err != nil {
					t.Errorf("the market is closed: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	codes := map[int]int{}
	for _, s := range seen {
		for code, n := range s {
			codes[code] += n
		}
	}
	t.Logf("answers: %v", codes)
	for _, code := range []int{200, 201, 400, 401, 403, 404, 422} {
		if codes[code] == 0 {
			t.Errorf("nothing was answered with %d: the requests are too tame, or too wild", code)
		}
	}
	m.restart()
	v, err := m.VerifyLedger(t.Context())
	if err != nil || v.Problem != "" {
		t.Errorf("the books: %+v, %v", v, err)
	}
	m.halt()
	past, err := store.OpenPast(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer past.Close()
	if _, found, err := controller.VerifyStore(t.Context(), past); err != nil || len(found) > 0 {
		t.Errorf("the store: %v, %v", found, err)
	}
}

// served is a market that requests are sent to.
type served struct {
	*controller.Controller
	t    *testing.T
	st   store.Store
	stop context.CancelFunc
}

func startMarket(t *testing.T, st store.Store) *served {
	t.Helper()
	m := &served{t: t, st: st}
	m.start()
	if _, err := m.Hello(t.Context(), task.Hello{Node: "n1", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1 << 12, DiskMB: 1 << 12, Boot: "b"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []trade.MoneyCommand{
		{Op: "open", To: "lab/alice", User: "alice", Below: true},
		{Op: "open", To: "lab/bob", User: "bob", Below: true},
		{Op: "grant", To: "lab/alice", Amount: 1e12},
		{Op: "grant", To: "lab/bob", Amount: 1e9},
	} {
		if _, _, err := m.Do(t.Context(), trade.Command{By: trade.Identity{User: "root", Role: trade.RoleOwner}, Money: &c}, trade.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *served) start() {
	m.t.Helper()
	cfg := controller.Default()
	cfg.Version, cfg.Lease, cfg.SnapshotEvery = "test", 0, 500
	ctx, stop := context.WithCancel(context.Background())
	c, err := controller.Start(ctx, m.st, cfg)
	if err != nil {
		stop()
		m.t.Fatal(err)
	}
	m.Controller, m.stop = c, stop
	m.t.Cleanup(m.halt)
}

func (m *served) halt() { m.stop(); <-m.Done() }

func (m *served) restart() { m.halt(); m.start() }

// serve answers a request, and hangs up on what would go on.
func serve(h http.Handler, r *http.Request) (code int, text string) {
	defer func() {
		if p := recover(); p != nil {
			if code = 499; p != http.ErrAbortHandler { //nolint:errorlint // so net/http knows it
				panic(p)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	if strings.HasSuffix(r.URL.Path, "/events") || strings.Contains(r.URL.RawQuery, "follow") || strings.Contains(r.URL.RawQuery, "wait_ms") || strings.HasSuffix(r.URL.Path, "/logs") {
		time.AfterFunc(3*time.Millisecond, cancel)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(ctx))
	if ctx.Err() != nil { // what is said to who has gone is nobody's
		return 499, ""
	}
	return w.Code, w.Body.String()
}

func short(body []byte) string {
	if len(body) > 600 {
		return fmt.Sprintf("%s... (%d bytes)", body[:600], len(body))
	}
	return string(body)
}

// generator makes requests of the description of an API.
type generator struct {
	*rand.Rand
	t       *testing.T
	st      store.Store
	paths   []operation
	schemas map[string]map[string]any
	tokens  []named
	tame    bool // the request that is being made has nothing wild in it
}

type named struct{ who, secret string }

type operation struct {
	method, path string
	params       []map[string]any
	body         map[string]any
}

func newGenerator(t *testing.T, h http.Handler, m *served, seed uint64) *generator {
	t.Helper()
	_, text := serve(h, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters  []map[string]any
			RequestBody struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
		Components struct{ Schemas map[string]map[string]any }
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("the description: %v", err)
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, st: m.st, schemas: doc.Components.Schemas}
	for path, methods := range doc.Paths {
		for method, o := range methods {
			op := operation{method: strings.ToUpper(method), path: path, params: o.Parameters, body: o.RequestBody.Content["application/json"].Schema}
			g.paths = append(g.paths, op)
			if op.method != http.MethodGet { // what changes something is more likely to go wrong
				g.paths = append(g.paths, op, op)
			}
			if strings.HasSuffix(path, "/jobs") || strings.HasSuffix(path, "/quotes") || strings.HasSuffix(path, "/report") {
				g.paths = append(g.paths, op, op, op, op)
			}
		}
	}
	sortOperations(g.paths)
	return g
}

func sortOperations(all []operation) {
	for i := range all {
		for k := i; k > 0 && all[k].path+all[k].method < all[k-1].path+all[k-1].method; k-- {
			all[k], all[k-1] = all[k-1], all[k]
		}
	}
}

// people makes tokens; those of before may have been revoked by now.
func (g *generator) people() {
	g.tokens = []named{{"nobody", ""}, {"garbage", "libra_" + strings.Repeat("x", 40)}}
	for _, p := range []struct {
		user string
		role v1.Role
	}{{"root", v1.RoleOwner}, {"alice", v1.RoleUser}, {"bob", v1.RoleUser}, {"n1", v1.RoleNode}} {
		secret, hash := api.NewSecret()
		if err := (front.Keyring{Kept: g.st}).AddToken(context.Background(), hash, v1.Token{ID: api.NewTokenID(), User: p.user, Role: p.role, Name: "test"}); err != nil {
			g.t.Error(err)
		}
		for range 5 {
			g.tokens = append(g.tokens, named{p.user, secret})
		}
	}
}

// request is one, and its body.
func (g *generator) request() (*http.Request, []byte) {
	op := g.paths[g.IntN(len(g.paths))]
	g.tame = g.IntN(2) == 0
	path, query := op.path, []string{}
	headers := map[string]string{}
	for _, p := range op.params {
		name, _ := p["name"].(string)
		schema, _ := p["schema"].(map[string]any)
		if p["in"] != "path" && g.IntN(3) == 0 {
			continue
		}
		value := asText(g.value(name, schema, 0))
		switch p["in"] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", escape(value))
		case "query":
			query = append(query, escape(name)+"="+escape(value))
		default:
			headers[name] = strings.Map(printable, value)
		}
	}
	var body []byte
	if op.body != nil {
		body = g.body(op.body)
	}
	url := path
	if len(query) > 0 {
		url += "?" + strings.Join(query, "&")
	}
	r := httptest.NewRequest(op.method, "/", bytes.NewReader(body))
	if u, err := r.URL.Parse(url); err == nil {
		r.URL = u
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	who := g.tokens[g.IntN(len(g.tokens))]
	for strings.Contains(path, "/nodes/") && who.who != "n1" && g.IntN(4) > 0 { // theirs is what only nodes may
		who = g.tokens[g.IntN(len(g.tokens))]
	}
	r.Header.Set("X-Who", who.who)
	if who.secret != "" {
		r.Header.Set("Authorization", "Bearer "+who.secret)
	}
	return r, body
}

func (g *generator) body(schema map[string]any) []byte {
	if !g.tame && g.IntN(20) == 0 {
		return []byte(pick(g, wildBodies))
	}
	content, err := json.Marshal(g.value("", schema, 0))
	if err != nil {
		g.t.Error(err)
	}
	if !g.tame && g.IntN(25) == 0 && len(content) > 2 { // cut off, or a byte flipped
		k := g.IntN(len(content))
		if g.IntN(2) == 0 {
			return content[:k]
		}
		content[k] ^= 1 << g.IntN(8)
	}
	return content
}

// value is one of a schema, mostly sane.
func (g *generator) value(name string, schema map[string]any, depth int) any {
	if ref, is := schema["$ref"].(string); is {
		schema = g.schemas[ref[strings.LastIndex(ref, "/")+1:]]
	}
	if !g.tame && g.IntN(15) == 0 {
		return g.wild()
	}
	if list, is := sane[name]; is && (g.tame || g.IntN(4) > 0) {
		return pick(g, list)
	}
	if enum, is := schema["enum"].([]any); is && (g.tame || g.IntN(8) > 0) {
		return pick(g, enum)
	}
	kind, _ := schema["type"].(string)
	if kinds, is := schema["type"].([]any); is {
		kind, _ = pick(g, kinds).(string)
	}
	switch kind {
	case "object":
		return g.object(schema, depth)
	case "array":
		items, _ := schema["items"].(map[string]any)
		list := []any{}
		if depth < 8 {
			for range g.IntN(4) {
				list = append(list, g.value(strings.TrimSuffix(name, "s"), items, depth+1))
			}
		}
		return list
	case "integer", "number":
		if !g.tame && g.IntN(6) == 0 {
			return pick(g, wildNumbers)
		}
		return json.Number(fmt.Sprint(g.IntN(1 << g.IntN(30))))
	case "boolean":
		return g.IntN(2) == 0
	case "null":
		return nil
	default:
		if g.tame {
			return "x"
		}
		return pick(g, words)
	}
}

func (g *generator) object(schema map[string]any, depth int) any {
	out := map[string]any{}
	required := map[string]bool{}
	if list, is := schema["required"].([]any); is {
		for _, name := range list {
			required[name.(string)] = true
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	for i := range names { // in order, so that a seed gives the same requests
		for k := i; k > 0 && names[k] < names[k-1]; k-- {
			names[k], names[k-1] = names[k-1], names[k]
		}
	}
	for _, name := range names {
		of, _ := properties[name].(map[string]any)
		keep := g.IntN(4) == 0
		if required[name] || name == "request" || name == "argv" || name == "estimate_ms" || name == "deadline_ms" || name == "tasks" {
			keep = g.tame || g.IntN(15) > 0
		}
		if keep && depth < 8 {
			out[name] = g.value(name, of, depth+1)
		}
	}
	if !g.tame && g.IntN(60) == 0 {
		out[pick(g, words)] = g.wild()
	}
	if more, is := schema["additionalProperties"].(map[string]any); is {
		for range g.IntN(3) {
			out[pick(g, words)] = g.value("", more, depth+1)
		}
	}
	return out
}

func (g *generator) wild() any {
	switch g.IntN(4) {
	case 0:
		return pick(g, wildNumbers)
	case 1:
		return pick(g, wildValues)
	default:
		return pick(g, words)
	}
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

func asText(v any) string {
	if s, is := v.(string); is {
		return s
	}
	content, _ := json.Marshal(v)
	return string(content)
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

func escape(s string) string {
	var out strings.Builder
	for i := range len(s) {
		if c := s[i]; c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
