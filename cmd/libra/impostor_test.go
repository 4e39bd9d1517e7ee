package main

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/socket"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/link"
)

// impostor is somebody who has bound a port and waits for tokens.
type impostor struct {
	*httptest.Server
	asked atomic.Int64
}

func newImpostor(t *testing.T) *impostor {
	t.Helper()
	i := &impostor{}
	i.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}") // an order to do nothing, or a list of no jobs
	}))
	i.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateActive { // a byte has come
			i.asked.Add(1)
		}
	}
	i.Start()
	t.Cleanup(i.Close)
	return i
}

const aSecret = "libra_0123456789012345678901234567890123456789012"

// Whoever has the port is sent nothing: no token of a user, none of a node.
func TestAnImpostorAtThePort(t *testing.T) {
	noContext(t)
	i := newImpostor(t)
	t.Setenv("LIBRA_TOKEN", aSecret)
	for _, args := range [][]string{{"jobs"}, {"submit", "-e", "1s", "--", "true"}, {"login"}, {"token", "create"}} {
		r := libra(t, append(args[:1:1], append([]string{"--server", i.URL}, args[1:]...)...)...)
		if r.code != exitFailure || !strings.Contains(r.err, "no market answers at "+i.URL+" by its socket") {
			t.Errorf("libra %s: %+v", args[0], r)
		}
	}
	// Who has no token, because the market knows who comes by its socket, has scripts and an
	// environment all the same.
	t.Setenv("LIBRA_TOKEN", "")
	for _, args := range [][]string{{"jobs"}, {"submit", "-e", "1s", "--", "true"}, {"sbatch", "-t", "1", "--wrap", "true"}} {
		r := libra(t, append(args[:1:1], append([]string{"--server", i.URL}, args[1:]...)...)...)
		if r.code != exitFailure || !strings.Contains(r.err, "no market answers at "+i.URL) {
			t.Errorf("libra %s without a token: %+v", args[0], r)
		}
	}
	t.Setenv("LIBRA_TOKEN", aSecret)
	if err := writeContext(marketContext{Server: i.URL, Token: aSecret, Socket: filepath.Join(t.TempDir(), "gone", socket.Name)}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIBRA_TOKEN", "")
	if r := libra(t, "jobs"); r.code != exitFailure {
		t.Errorf("with what libra up remembered: %+v", r)
	}
	if n := i.asked.Load(); n != 0 {
		t.Errorf("the impostor was sent something by commands, %d times", n)
	}

	to, err := dialController(&config.Agent{Server: i.URL, Node: "n1"}, aSecret)
	if err != nil {
		t.Fatal(err)
	}
	node := link.New(to, "n1")
	if _, err := node.Register(t.Context(), task.Hello{Node: "n1"}); err == nil {
		t.Error("an agent was welcomed by an impostor")
	}
	if d, err := node.Desired(t.Context(), "n1", -1); err == nil {
		t.Errorf("an agent takes orders of an impostor: %+v", d)
	}
	if n := i.asked.Load(); n != 0 {
		t.Errorf("the impostor was sent something by an agent, %d times", n)
	}
	if r := libra(t, "jobs", "--plain-http"); r.code != exitOK || i.asked.Load() == 0 {
		t.Errorf("nothing was tested: the impostor can be reached by who insists: %+v", r)
	}
}

// Beyond this machine there is TLS or nothing, and for root there is no way
// around.
func TestAnAgentRefusesPlainHTTP(t *testing.T) {
	i := newImpostor(t)
	token := file(t, "node.token", aSecret+"\n")
	say := func(server string, args ...string) {
		t.Helper()
		r := libra(t, append([]string{"agent", "--server", server, "--node", "n1", "--state", t.TempDir()}, args...)...)
		if r.code != exitUsage || !strings.Contains(r.err, "https://") {
			t.Errorf("agent --server %s %v: %+v", server, args, r)
		}
	}
	t.Setenv("LIBRA_INSECURE", "")
	say("http://market.example:7070", "--token-file", token)
	say(i.URL, "--cert", "n1.pem", "--key", "n1.key")
	if os.Geteuid() == 0 {
		t.Setenv("LIBRA_INSECURE", "1")
		say(i.URL, "--token-file", token)
		say("http://market.example:7070", "--token-file", token)
	}
	if n := i.asked.Load(); n != 0 {
		t.Errorf("something was sent, %d times", n)
	}
}

// A certificate of another authority is nobody's.
func TestAnotherAuthority(t *testing.T) {
	noContext(t)
	var asked atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	dir := t.TempDir()
	if err := api.MakeAuthority(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	pinned := filepath.Join(dir, api.AuthorityCert)
	t.Setenv("LIBRA_TOKEN", aSecret)
	for _, args := range [][]string{{"--ca", pinned}, {}} {
		if r := libra(t, append([]string{"jobs", "--server", server.URL}, args...)...); r.code != exitFailure || !strings.Contains(r.err, "certificate") {
			t.Errorf("jobs %v: %+v", args, r)
		}
	}
	t.Setenv("LIBRA_CA", pinned)
	if r := libra(t, "jobs", "--server", server.URL); r.code != exitFailure || !strings.Contains(r.err, "certificate") {
		t.Errorf("LIBRA_CA: %+v", r)
	}
	to, err := dialController(&config.Agent{Server: server.URL, CA: pinned}, aSecret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := link.New(to, "n1").Register(t.Context(), task.Hello{Node: "n1"}); err == nil {
		t.Error("an agent was welcomed under another authority")
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("it was asked %d times", n)
	}
	own := file(t, "own.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	libra(t, "jobs", "--server", server.URL, "--ca", own)
	if asked.Load() == 0 {
		t.Error("nothing was tested: not even the right authority is believed")
	}
}

// A market and its commands find each other by the port, and by any other place
// that is said.
func TestAMarketAtItsSocket(t *testing.T) {
	noContext(t)
	for name, extra := range map[string][]string{"usual": nil, "given": {"--socket", filepath.Join(t.TempDir(), "d", socket.Name)}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			owner := filepath.Join(dir, "owner.token")
			ctx, stop := context.WithCancel(t.Context())
			var said spoken
			ended := make(chan int, 1)
			go func() {
				ended <- run(ctx, append([]string{
					"serve", "--listen", "127.0.0.1:0", "--store", filepath.Join(dir, "libra.db"), "--owner-token-file", owner,
				}, extra...), strings.NewReader(""), io.Discard, &said)
			}()
			defer func() {
				stop()
				if code := <-ended; code != exitOK {
					t.Errorf("it ended with %d: %s", code, said.String())
				}
			}()
			for end := time.Now().Add(time.Minute); !strings.Contains(said.String(), "serving the market"); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("it does not serve: %s", said.String())
				}
			}
			_, rest, _ := strings.Cut(said.String(), "serving the market at ")
			server, _, _ := strings.Cut(rest, ",")
			if extra != nil {
				if r := libra(t, "jobs", "--server", server, "--token-file", owner); r.code == exitOK {
					t.Errorf("its socket is elsewhere, and yet: %+v", r)
				}
				server = "unix:" + extra[1]
			}
			if out := mustLibra(t, "jobs", "--server", server, "--token-file", owner); !strings.Contains(out, "no jobs") {
				t.Errorf("got %q", out)
			}
			if link := mustLibra(t, "login", "--server", server, "--token-file", owner); !strings.HasPrefix(link, "http://127.") || !strings.Contains(link, "/login?key=") {
				t.Errorf("a link for a browser: %q", link)
			}
		})
	}
}
