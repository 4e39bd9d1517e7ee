package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/client/socket"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web/webtest"
)

// spoken is what a command that runs has said so far.
type spoken struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// behindBroker is a market with a node that is played, and a file with the token
// of the user who runs this.
func behindBroker(t *testing.T, dir, name, gamma string) (url, tokenFile string) {
	t.Helper()
	me, err := userName()
	if err != nil {
		t.Fatal(err)
	}
	f := webtest.Open(t, func(o *trade.Open) { o.Settings = map[string]string{"gamma": gamma} })
	f.People(1000, me)
	f.Join("n1", 2).Play()
	h := api.New(f.Market, f.Keys, api.Options{Heartbeat: 50 * time.Millisecond, Poll: 10 * time.Millisecond})
	local, err := socket.Listen(filepath.Join(dir, name, socket.Name))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	if err := server.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	server.Listener = local
	server.Start()
	t.Cleanup(func() {
		h.Close()
		server.CloseClientConnections()
		server.Close()
	})
	tokenFile = filepath.Join(dir, name+".token")
	if err := os.WriteFile(tokenFile, []byte(f.Secret(me)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "unix:" + local.Addr().String(), tokenFile
}

var servingAt = regexp.MustCompile(`serving north, south at (http://\S+),`)

func TestTheCommandsWorkOverABroker(t *testing.T) {
	noContext(t)
	dir := t.TempDir()
	me, err := userName()
	if err != nil {
		t.Fatal(err)
	}
	north, northToken := behindBroker(t, dir, "north", "2")
	south, southToken := behindBroker(t, dir, "south", "1")
	db, owner := filepath.Join(dir, "broker.db"), filepath.Join(dir, "owner.token")
	ctx, stop := context.WithCancel(t.Context())
	var said spoken
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{
			"broker", "--listen", "127.0.0.1:0", "--store", db, "--owner-token-file", owner,
			"--cluster", "north=" + north + "," + northToken, "--cluster", "south=" + south + "," + southToken,
		}, strings.NewReader(""), io.Discard, &said)
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("the broker ended with %d: %s", code, said.String())
		}
	})
	for end := time.Now().Add(time.Minute); !servingAt.MatchString(said.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the broker does not serve: %s", said.String())
		}
	}
	url := servingAt.FindStringSubmatch(said.String())[1]
	ask := func(args ...string) string {
		t.Helper()
		r := libra(t, append(args[:1:1], append([]string{"--server", url, "--token-file", owner}, args[1:]...)...)...)
		if r.code != exitOK {
			t.Fatalf("libra %s: exit code %d, said %q", strings.Join(args, " "), r.code, r.err)
		}
		return r.out
	}
	has := func(text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
	has(ask("quote", "-e", "2s", "-d", "30s"), "2.0")
	has(ask("submit", "-e", "2s", "-d", "30s", "--wait", "--name", "cheap", "--", "sh", "-c", "work 200ms"), "")
	has(ask("submit", "-e", "2s", "-d", "30s", "--tags", "wish:first", "--name", "first", "--", "sh", "-c", "work 200ms"), "job 2 accepted by north")
	has(ask("jobs", "--all"), "cheap", "first")
	// What it prints works when it is pasted.
	no := libra(t, "submit", "--server", url, "--token-file", owner, "-e", "2s", "-d", "1s", "--name", "offered", "--", "sh", "-c", "work 200ms")
	_, pasted, found := strings.Cut(no.err, "    libra ")
	pasted, _, _ = strings.Cut(pasted, "#")
	if no.code != exitRefused || !found || !strings.Contains(pasted, "--token-file "+owner) {
		t.Fatalf("%+v", no)
	}
	has(mustLibra(t, strings.Fields(pasted)...), "accepted by")
	has(ask("job", "1"), "cluster    south", "south/n1", me+"/south", "completed")
	has(ask("explain", "1"), "of south")
	// What a job cost is one amount, whoever is asked and however.
	var j v1.Job
	if bad := json.Unmarshal([]byte(ask("job", "1", "--json")), &j); bad != nil || j.Charged == 0 || j.Receipt == nil || j.Receipt.Charged != j.Charged {
		t.Fatalf("%+v, %v", j, bad)
	}
	charged := market.Money(j.Charged).Text()
	for what, text := range map[string]string{
		"job": ask("job", "1"), "explain": ask("explain", "1"), "jobs": ask("jobs", "--format", "job,cost"), "csv": ask("jobs", "-o", "csv", "--format", "job,cost"),
	} {
		want := regexp.MustCompile(`(?m)^(charged +|cost[a-z]* +|1 +)` + regexp.QuoteMeta(charged) + `\b`)
		if what == "csv" {
			want = regexp.MustCompile(`(?m)^1,` + regexp.QuoteMeta(market.Money(j.Charged).String()) + `$`)
		}
		if !want.MatchString(text) {
			t.Errorf("libra %s does not say that job 1 cost %s:\n%s", what, charged, text)
		}
	}
	has(ask("logs", "1"), "done")
	has(ask("nodes"), "north/n1", "south/n1")
	has(ask("prices"), "broker")
	has(ask("account"), me, "  north", "  south")
	has(ask("statement"), "south: to begin with", "2,000.00")
	has(ask("token", "list"), "made by libra broker")

	broke := libra(t, "submit", "--server", url, "--token-file", owner, "-e", "2s", "-d", "30s", "-b", "0.5", "--", "true")
	if broke.code != exitRefused {
		t.Fatalf("got %+v", broke)
	}
	has(broke.err, "north: ", "south: ", "it would take instead", "--quote b")
	offer := regexp.MustCompile(`--quote (b[0-9a-f]+)`).FindStringSubmatch(broke.err)
	has(ask("submit", "--quote", offer[1]), "accepted")
	nonsense := libra(t, "account", "grant", me, "5", "--server", url, "--token-file", owner)
	if nonsense.code == exitOK || !strings.Contains(nonsense.err, "a broker holds no money") {
		t.Errorf("got %+v", nonsense)
	}
	res, err := http.Get(url + "/login")
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("the page: %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	made := libra(t, "broker", "token", me, "--store", db)
	if made.code != exitOK || !strings.HasPrefix(made.out, "libra_") {
		t.Errorf("got %+v", made)
	}
	// A broker that runs answers for itself, to its owner.
	at := []string{"--server", url, "--token-file", owner}
	over := func(args ...string) result { return libra(t, append(append([]string{"broker"}, args...), at...)...) }
	if r := over("clusters"); r.code != exitOK || !regexp.MustCompile(`north +there +[1-9]`).MatchString(r.out) || !strings.Contains(r.out, "south") {
		t.Errorf("clusters --server: %+v", r)
	}
	if r := over("check"); r.code != exitOK || !strings.Contains(r.out, "north") {
		t.Errorf("check --server: %+v", r)
	}
	missing := file(t, "broker.yaml", "clusters: [{name: east, url: 'https://e', token_file: "+owner+"}]\n")
	if r := over("check", missing); r.code != exitFailure || !strings.Contains(r.err, "cluster east is in the file, and the broker does not have it") {
		t.Errorf("check --server of another file: %+v", r)
	}
	if r := over("token", "zoe"); r.code != exitOK || !strings.HasPrefix(r.out, "libra_") {
		t.Errorf("token --server: %+v", r)
	}
	zoe := file(t, "zoe.token", strings.TrimSpace(over("token", "zoe").out))
	if r := libra(t, "broker", "clusters", "--server", url, "--token-file", zoe); r.code != exitFailure || r.out != "" {
		t.Errorf("clusters for somebody who does not own the broker: %+v", r)
	}
	if r := libra(t, "broker", "clusters", "--server", north, "--token-file", northToken); r.code != exitFailure || r.out != "" {
		t.Errorf("clusters of a market that is no broker: %+v", r)
	}
	// The record is written once in a while.
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		out := mustLibra(t, "broker", "clusters", "--store", db)
		if strings.Contains(out, "north") && regexp.MustCompile(`south +there +[3-9]`).MatchString(out) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("got\n%s", out)
		}
	}
}

func TestBrokerCheck(t *testing.T) {
	dir := t.TempDir()
	url, token := behindBroker(t, dir, "north", "1")
	good := "clusters: [{name: north, url: " + url + ", token_file: " + token + "}]\n"
	path := file(t, "broker.yaml", good)
	if out := mustLibra(t, "broker", "check", path); !strings.Contains(out, "is good: 1 cluster") || !strings.Contains(out, "everybody else") || !strings.Contains(out, "lab/") {
		t.Errorf("got %s", out)
	}
	open := filepath.Join(dir, "open.token")
	if err := os.WriteFile(open, []byte("libra_x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(dir, "wrong.token")
	if err := os.WriteFile(wrong, []byte("libra_x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"clusters: []": "want at least one",
		"clusers: []":  `line 1: there is no setting "clusers"`,
		strings.ReplaceAll(good, token, filepath.Join(dir, "none")): "no such file",
		strings.ReplaceAll(good, token, open):                       "others can read it",
		strings.ReplaceAll(good, token, wrong):                      "1 token of these cannot be used",
		"listen: ''\nwish: soonest\nclusters:\n  - {name: a/b, token_file: x}\n  - {nme: c}\n": `libra: FILE: line 1: listen: want an address such as 127.0.0.1:7080
libra: FILE: line 2: wish: want cheapest, fastest, gain or first
libra: FILE: line 4: clusters[0].name: "a/b": want a-z and 0-9, and after the first also . _ -
libra: FILE: line 4: clusters[0].url: want https://host:port
libra: FILE: line 5: there is no setting "nme" in clusters[1] (did you mean name?)
libra: FILE: line 5: clusters[1].name: "": want a-z and 0-9, and after the first also . _ -
libra: FILE: line 5: clusters[1].url: want https://host:port
libra: FILE: line 5: clusters[1]: want users with a token_file each, or a token_file for all
`,
		"clusters:\n  - {name: a, url: 'https://a', token_file: " + open + "}\n  - {name: b, url: 'https://b', users: {al: {token_file: " + open + "}, bo: {token_file: /none}}}\n": "FILE: cluster b: " +
			"open /none: no such file",
	} {
		path := file(t, "broker.yaml", text)
		r := libra(t, "broker", "check", path)
		if r.code != exitFailure || !strings.Contains(strings.ReplaceAll(r.err, path, "FILE"), want) {
			t.Errorf("%s: got %+v", text, r)
		}
	}
	for _, args := range [][]string{
		{"broker"},
		{"broker", "--cluster", "north"},
		{"broker", "--cluster", "north=http://127.0.0.1:1"},
		{"broker", "--cluster", "No=http://127.0.0.1:1," + token},
		{"broker", "token", "a/b", "--store", filepath.Join(dir, "x.db")},
		{"broker", "token", "a", "--role", "node", "--store", filepath.Join(dir, "x.db")},
		{"broker", "--wish", "soonest", "--cluster", "north=" + url + "," + token},
	} {
		if r := libra(t, args...); r.code == exitOK {
			t.Errorf("%v: got %+v", args, r)
		}
	}
}

// A broker that has lost its store waits, with the reason on its door, and goes on when
// it has it again.
func TestABrokerWaitsForItsStore(t *testing.T) {
	noContext(t)
	dir := t.TempDir()
	north, northToken := behindBroker(t, dir, "north", "2")
	south, southToken := behindBroker(t, dir, "south", "1")
	db := filepath.Join(dir, "broker.db")
	ctx, stop := context.WithCancel(t.Context())
	var said spoken
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{
			"broker", "--listen", "127.0.0.1:0", "--store", db,
			"--cluster", "north=" + north + "," + northToken, "--cluster", "south=" + south + "," + southToken,
		}, strings.NewReader(""), io.Discard, &said)
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("the broker ended with %d: %s", code, said.String())
		}
	})
	await := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) || len(ended) > 0 {
				t.Fatalf("%s: %s", what, said.String())
			}
		}
	}
	serving := func(times int) func() bool {
		return func() bool { return len(servingAt.FindAllString(said.String(), -1)) == times }
	}
	await("it does not serve", serving(1))
	url := servingAt.FindStringSubmatch(said.String())[1]
	other, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := os.Remove(db + ".lock"); err != nil {
		t.Fatal(err)
	}
	_, release, err := other.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	await("it does not wait", func() bool { return strings.Contains(said.String(), "another controller leads") })
	res, err := http.Get(url + "/v1/prices") //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusServiceUnavailable { // to a test
		t.Errorf("it answers %s", res.Status)
	}
	release()
	await("it does not go on", serving(2))
}
