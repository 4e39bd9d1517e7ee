package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/config"
)

// What a site says to all holds where nobody says anything else, and its authority and its
// socket are those of its market alone.
func TestTheFileOfTheSite(t *testing.T) {
	at := filepath.Join(t.TempDir(), "market.sock")
	listener, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	const server = "https://head:7070"
	text := "server: " + server + "/\nca: /etc/libra/server.pem\nsocket: " + at + "\n"
	for _, c := range []struct {
		name, text, env, token string
		kept                   marketContext
		want                   marketContext
	}{
		{name: "nothing else", text: text, want: marketContext{Server: server, CA: "/etc/libra/server.pem", local: "unix://" + at}},
		{name: "the socket is elsewhere", text: strings.ReplaceAll(text, at, at+"x"), want: marketContext{Server: server, CA: "/etc/libra/server.pem"}},
		{name: "a token", text: text, token: "mine", want: marketContext{Server: server, CA: "/etc/libra/server.pem", Token: "mine"}},
		{name: "another market", text: text, env: "https://other:7070", want: marketContext{Server: "https://other:7070"}},
		{
			name: "one's own", text: text, kept: marketContext{Server: "https://other:7070", Token: "t", CA: "/ca.pem"},
			want: marketContext{Server: "https://other:7070", Token: "t", CA: "/ca.pem"},
		},
		{
			name: "a token of it", text: text, kept: marketContext{Server: server, Token: "t"},
			want: marketContext{Server: server, Token: "t", CA: "/etc/libra/server.pem"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			noContext(t)
			siteFile = file(t, "client.yaml", c.text)
			t.Setenv("LIBRA_SERVER", c.env)
			t.Setenv("LIBRA_TOKEN", c.token)
			if c.kept.Server != "" {
				if err := writeContext(c.kept); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := (&connection{}).resolve(); err != nil || got != c.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
	for text, want := range map[string]string{
		"srever: x\n": "want server, ca, socket and munge", "ca: server.pem\n": "want an absolute path", "socket: run/x\n": "socket: not the address", "server: [\n": "client.yaml",
		"munge: true\nserver: http://a\n": "want a server with https://", "munge: true\nserver: https://a,http://b\n": "want a server with https://", "munge: true\nserver: https://a,b\n": "want a server with https://",
	} {
		noContext(t)
		siteFile = file(t, "client.yaml", text)
		if r := libra(t, "jobs"); r.code != exitFailure || !strings.Contains(r.err, want) {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// A market in front of Slurm that root serves has a socket, with TLS too, by which users
// are who they are; one of somebody's own has not.
func TestWhoseSocketNeedsNoToken(t *testing.T) {
	for _, c := range []struct {
		backend, login string
		uid            int
		want           bool
	}{
		{config.BackendSlurm, "", 0, true},
		{config.BackendSlurm, "", 1000, false},
		{config.BackendSlurm, config.LoginNobody, 0, false},
		{config.BackendAgents, "", 0, false},
		{config.BackendAgents, config.LoginUsers, 1000, true},
	} {
		o := config.Default()
		o.Backend, o.Login.Socket = c.backend, c.login
		if got := o.LocalUsers(c.uid); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	o := config.Default()
	if got := socketOf(&o); got != "" {
		t.Errorf("where nobody comes without a token: %q", got)
	}
	o.Login.Socket = config.LoginUsers
	if got := socketOf(&o); got != ownSocket {
		t.Errorf("where users do: %q", got)
	}
	if o.Login.Socket = "all"; o.Validate() == nil || !strings.Contains(o.Validate().Error(), "want users or nobody") {
		t.Errorf("%v", o.Validate())
	}
	if _, err := os.Stat("/etc/libra/client.yaml"); err == nil {
		t.Log("this host has a file of a site")
	}
}
