package main

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

func TestTheContextIsForOnesOwnEyes(t *testing.T) {
	noContext(t)
	if _, err := readContext(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is none, and yet: %v", err)
	}
	want := marketContext{Server: "http://127.0.0.1:7070", Token: "libra_x", CA: "/ca.pem", User: "alice", Socket: "/run/libra/7070/market.sock"}
	for range 2 { // the second time it is replaced
		if err := writeContext(want); err != nil {
			t.Fatal(err)
		}
	}
	path, err := contextPath()
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(path) != "context.json" || filepath.Base(filepath.Dir(path)) != "libra" {
		t.Errorf("it is at %s", path)
	}
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", about.Mode(), err)
	}
	if got, err := readContext(); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left %v behind (%v)", entries, err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	r := libra(t, "jobs")
	if r.code != exitFailure || !strings.Contains(r.err, "others can read it (mode 0644): chmod 600 "+path) {
		t.Errorf("a file that others can read: %+v", r)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := libra(t, "jobs"); r.code != exitFailure || !strings.Contains(r.err, path) {
		t.Errorf("a broken file: %+v", r)
	}
}

// Who starts a second market is known at the first one still, if it is named.
func TestMarketsOfBeforeAreRemembered(t *testing.T) {
	noContext(t)
	market := func(n int) marketContext {
		server := fmt.Sprintf("http://127.0.0.1:%d", 7000+n)
		return marketContext{Server: server, Token: fmt.Sprint("token-", n), Socket: fmt.Sprint("/run/", n)}
	}
	for n := range mostContexts + 2 {
		for range 2 { // it is started again
			if err := writeContext(market(n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n := range mostContexts + 2 {
		want := market(n)
		if n == 0 { // it is too long ago
			want = marketContext{Server: want.Server, local: want.Server}
		}
		o := connection{server: want.Server + "/"}
		if got, err := o.resolve(); err != nil || got != want {
			t.Errorf("market %d: got %+v, %v\nwant %+v", n, got, err, want)
		}
	}
	if got, err := new(connection).resolve(); err != nil || got != market(mostContexts+1) {
		t.Errorf("the last one is meant: %+v, %v", got, err)
	}
}

// Flags beat the environment, that beats the context, and a token is only for
// the market that gave it.
func TestWhereTheMarketIs(t *testing.T) {
	noContext(t)
	kept := marketContext{Server: "http://127.0.0.1:1111", Token: "kept", CA: "/ca.pem", User: "alice", Socket: "/tmp/s"}
	token := file(t, "token", "from-file\n")
	for _, c := range []struct {
		name        string
		kept        bool
		server, env string
		envToken    string
		tokenFile   string
		want        marketContext
	}{
		{name: "nothing said", want: marketContext{Server: defaultServer, local: defaultServer}},
		{name: "context", kept: true, want: kept},
		{name: "environment", kept: true, env: "http://127.0.0.1:2222/", want: marketContext{Server: "http://127.0.0.1:2222", local: "http://127.0.0.1:2222"}},
		{name: "flag", kept: true, server: "127.0.0.1:3333", env: "http://127.0.0.1:2222", want: marketContext{Server: "http://127.0.0.1:3333", local: "http://127.0.0.1:3333"}},
		{name: "the same market by flag", kept: true, server: "http://127.0.0.1:1111/", want: kept},
		{
			name: "another token", kept: true, envToken: "mine",
			want: marketContext{Server: kept.Server, Token: "mine", CA: kept.CA, Socket: kept.Socket},
		},
		{
			name: "a token from a file", kept: true, envToken: "mine", tokenFile: token,
			want: marketContext{Server: kept.Server, Token: "from-file", CA: kept.CA, Socket: kept.Socket},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			noContext(t)
			t.Setenv("LIBRA_SERVER", c.env)
			t.Setenv("LIBRA_TOKEN", c.envToken)
			if c.kept {
				if err := writeContext(kept); err != nil {
					t.Fatal(err)
				}
			}
			o := connection{server: c.server, tokenFile: c.tokenFile}
			if got, err := o.resolve(); err != nil || got != c.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
	o := connection{tokenFile: file(t, "empty", "\n")}
	if _, err := o.resolve(); err == nil || !strings.Contains(err.Error(), "no token in it") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestNothingAnswers(t *testing.T) {
	noContext(t)
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	r := libra(t, "jobs", "--server", server.URL)
	want := "libra: no market answers at " + server.URL + ": start one there with: libra up --listen " + strings.TrimPrefix(server.URL, "http://") + "\n"
	if r.code != exitFailure || r.err != want || r.out != "" {
		t.Errorf("%+v, want %q", r, want)
	}
	for server, want := range map[string]string{
		defaultServer: "start one with: libra up", "http://localhost:7171": "start one there with: libra up --listen localhost:7171",
		"unix:/run/libra.sock": "see that libra up, or libra serve, runs there", "https://localhost:7070": "see that libra up, or libra serve, runs there",
	} {
		if got := startingOne(server); got != want {
			t.Errorf("%s: %s, want %s", server, got, want)
		}
	}
	for server, local := range map[string]bool{"http://127.3.4.5:7070": true, "unix:/run/libra.sock": true, "https://[::1]:7070": true, "http://localhost:1": true, "https://north.example:7070": false, "https://10.0.0.7:7070": false} {
		if here(server) != local {
			t.Errorf("%s is here: %t", server, !local)
		}
	}
}

// A command that is printed has the flags that say which market it is for.
func TestFlagsAreHandedOn(t *testing.T) {
	o := connection{server: "https://north:7070", tokenFile: "my token", ca: "ca.pem", plain: true}
	if got := o.words(); got != " --server https://north:7070 --token-file 'my token' --ca ca.pem --plain-http" {
		t.Error(got)
	}
	if got := (&connection{}).words(); got != "" {
		t.Error(got)
	}
}

func TestWhoAreYou(t *testing.T) {
	server := open(t, newFloor(), v1.RoleUser)
	if r := libra(t, "report"); r.code != exitFailure || !strings.Contains(r.err, "role owner") {
		t.Errorf("a user asks for the report: %+v", r)
	}
	noContext(t)
	if r := libra(t, "jobs", "--server", server.URL, "--plain-http"); r.code != exitFailure || !strings.Contains(r.err, "there is none: set LIBRA_TOKEN") {
		t.Errorf("without a token: %+v", r)
	}
	t.Setenv("LIBRA_TOKEN", "libra_"+strings.Repeat("x", 43))
	if r := libra(t, "jobs", "--server", server.URL, "--plain-http"); r.code != exitFailure || !strings.Contains(r.err, "does not take the token") {
		t.Errorf("with a wrong token: %+v", r)
	}
	if r := libra(t, "jobs", "--server", "http://example.invalid"); r.code != exitUsage || !strings.Contains(r.err, "--plain-http") {
		t.Errorf("in the clear: %+v", r)
	}
}

// A market with a certificate of its own authority is believed if the context
// names that.
func TestOwnAuthority(t *testing.T) {
	noContext(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"nodes": []}`))
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // that it is not believed is the point
	server.StartTLS()
	defer server.Close()
	if r := libra(t, "nodes", "--server", server.URL); r.code != exitFailure || !strings.Contains(r.err, "certificate") {
		t.Errorf("an unknown authority: %+v", r)
	}
	ca := file(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	if err := writeContext(marketContext{Server: server.URL, Token: "libra_x", CA: ca}); err != nil {
		t.Fatal(err)
	}
	if out := mustLibra(t, "nodes"); out != "no node has joined\n" {
		t.Errorf("got %q", out)
	}
	if err := writeContext(marketContext{Server: server.URL, CA: file(t, "not.pem", "x")}); err != nil {
		t.Fatal(err)
	}
	if r := libra(t, "nodes"); r.code != exitFailure || !strings.Contains(r.err, "no certificate in it") {
		t.Errorf("not a certificate: %+v", r)
	}
}
