package broker_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/broker"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web/webtest"
)

// cluster is a market of its own behind a gate that a test can close, slow down
// or have lie.
type cluster struct {
	*webtest.Floor
	name   string
	gate   *gate
	server *httptest.Server
	tokens map[string]string
	shared string
}

// open runs a market where a second of work costs so much.
func open(t testing.TB, name, gamma string) *cluster {
	t.Helper()
	return serve(t, name, webtest.Open(t, func(o *trade.Open) { o.Settings = map[string]string{"gamma": gamma} }))
}

// serve puts a gate before a market.
func serve(t testing.TB, name string, f *webtest.Floor) *cluster {
	t.Helper()
	c := &cluster{Floor: f, name: name, tokens: map[string]string{}}
	c.People(100_000, "alice", "bob")
	h := api.New(c.Market, c.Keys, api.Options{Heartbeat: 50 * time.Millisecond, Poll: 10 * time.Millisecond})
	c.gate = &gate{next: h}
	c.server = httptest.NewServer(c.gate)
	t.Cleanup(func() {
		h.Close()
		c.server.CloseClientConnections()
		c.server.Close()
	})
	for _, user := range []string{"alice", "bob"} {
		c.tokens[user] = c.Secret(user)
	}
	return c
}

// node lets a node of a rating join.
func (c *cluster) node(processors int, rating float64) {
	c.Helper()
	if _, err := c.Market.Hello(context.Background(), task.Hello{
		Node: "n1", Processors: processors, Rating: rating, Speed: rating, MemoryMB: 64 << 10, DiskMB: 1 << 20, Boot: "b", Limits: "cgroup v2", Agent: "test",
	}); err != nil {
		c.Fatal(err)
	}
}

// jobs lists all jobs of the market that were not refused.
func (c *cluster) jobs() []v1.Job {
	c.Helper()
	all, err := c.Market.Jobs(context.Background(), v1.JobQuery{Limit: 500})
	if err != nil {
		c.Fatal(err)
	}
	var taken []v1.Job
	for _, j := range all {
		if j.State != v1.Rejected {
			taken = append(taken, j)
		}
	}
	return taken
}

// world is a broker over several markets, and people before it.
type world struct {
	testing.TB
	clusters []*cluster
	path     string
	store    store.Store
	options  broker.Options
	broker   *broker.Broker
	keys     *apitest.Keys
	handler  *api.Handler
	server   *httptest.Server
	secrets  map[string]string
	log      *lines
}

type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func behind(t testing.TB, clusters ...*cluster) *world {
	t.Helper()
	w := &world{TB: t, clusters: clusters, path: filepath.Join(t.TempDir(), "broker.db"), keys: &apitest.Keys{}, log: &lines{}}
	w.options = broker.Options{
		Limit: 10 * time.Second, Patience: time.Minute, Poll: 50 * time.Millisecond, Retry: 20 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	w.secrets = map[string]string{
		"alice": w.keys.Make("alice", v1.RoleUser), "bob": w.keys.Make("bob", v1.RoleUser),
		"carol": w.keys.Make("carol", v1.RoleUser), "root": w.keys.Make("root", v1.RoleOwner),
	}
	return w
}

// impatient lets submissions give up soon on a cluster that does not answer. The
// others wait, so that a slow machine is not taken for a cluster in trouble.
func (w *world) impatient() *world {
	w.options.Patience = 200 * time.Millisecond
	return w
}

func (w *world) markets() []broker.Market {
	var all []broker.Market
	for _, c := range w.clusters {
		all = append(all, broker.Market{Name: c.name, URL: c.server.URL, Plain: true, Tokens: c.tokens, Token: c.shared})
	}
	return all
}

// start opens the broker and serves it.
func (w *world) start() *world {
	w.Helper()
	if w.store == nil {
		var err error
		if w.store, err = store.Open(context.Background(), w.path); err != nil {
			w.Fatal(err)
		}
		w.Cleanup(func() { _ = w.store.Close() })
	}
	b, err := broker.Open(context.Background(), w.store, w.markets(), w.options)
	if err != nil {
		w.Fatal(err)
	}
	w.broker = b
	w.handler = api.New(b, w.keys, api.Options{Heartbeat: 50 * time.Millisecond, Poll: 10 * time.Millisecond, Log: w.options.Log})
	w.server = httptest.NewServer(w.handler)
	w.Cleanup(w.end)
	return w
}

// end stops it.
func (w *world) end() {
	if w.broker == nil {
		return
	}
	w.handler.Close()
	w.server.CloseClientConnections()
	w.server.Close()
	w.broker.Close()
	w.broker = nil
}

func (w *world) as(user string) *client.Client {
	w.Helper()
	c, err := client.New(w.server.URL, w.secrets[user], client.Options{Retries: -1, Plain: true})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(c.Close)
	return c
}

// where is the cluster that a job went to.
func where(j *v1.Job) string {
	_, cluster, _ := strings.Cut(j.Account, "/")
	return cluster
}

func job(name string, change ...func(*v1.Request)) v1.Request {
	budget := int64(500e6)
	r := v1.Request{
		Name: name, Script: "#!/bin/sh\necho hello\nwork 1s\n", Dir: "/tmp", EstimateMS: 60_000, DeadlineMS: 600_000, Budget: &budget,
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func wish(w string) func(*v1.Request) {
	return func(r *v1.Request) { r.Tags = append(r.Tags, "wish:"+w) }
}

func (w *world) submit(user string, r v1.Request) v1.Job {
	w.Helper()
	j, err := w.as(user).Submit(w.Context(), r, "")
	if err != nil {
		w.Fatal(err)
	}
	return j
}

func problem(t testing.TB, err error) *client.Problem {
	t.Helper()
	p, ok := errors.AsType[*client.Problem](err)
	if !ok {
		t.Fatalf("want a problem, got %v", err)
	}
	return p
}

// eventually waits for what another goroutine brings about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func (w *world) record(cluster string) broker.Record {
	w.Helper()
	for _, r := range w.broker.Records() {
		if r.Cluster == cluster {
			return r
		}
	}
	w.Fatalf("no record of %s", cluster)
	return broker.Record{}
}
