package client_test

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/link"
)

// secure serves the world over TLS and returns its address and the directory
// of its authority.
func (w *world) secure(t *testing.T) (url, dir string) {
	t.Helper()
	dir = t.TempDir()
	now := time.Now()
	if err := api.MakeAuthority(dir, now); err != nil {
		t.Fatal(err)
	}
	if err := api.MakeServerCertificate(dir, []string{"127.0.0.1"}, now); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	config, err := api.ServerTLS(in(api.ServerCert), in(api.ServerKey), in(api.AuthorityCert), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	l, err := api.Listen("127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	s := api.Server(api.New(w.market, w.keys, api.Options{Poll: time.Millisecond, Heartbeat: 20 * time.Millisecond}))
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return "https://" + l.Addr().String(), dir
}

func TestAnAgentWithACertificate(t *testing.T) {
	w := newWorld(t, nil)
	url, dir := w.secure(t)
	cert, key, err := api.MakeNodeCertificate(dir, "n1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	config, err := api.ClientTLS(filepath.Join(dir, api.AuthorityCert), cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(url, "", client.Options{TLS: config})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := link.New(c, "n1").Register(t.Context(), task.Hello{Node: "n1"}); err != nil {
		t.Error(err)
	}
	_, err = link.New(c, "n2").Register(t.Context(), task.Hello{Node: "n2"})
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusNotFound {
		t.Errorf("another node: got %v", err)
	}
	_, err = c.Jobs(t.Context(), v1.JobQuery{})
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusForbidden {
		t.Errorf("jobs: got %v", err)
	}
}

// Streams, their ends and their trailers are the same over HTTP/2.
func TestStreamsOverTLS(t *testing.T) {
	w := newWorld(t, nil)
	url, dir := w.secure(t)
	config, err := api.ClientTLS(filepath.Join(dir, api.AuthorityCert), "", "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(url, w.keys.Make("alice", v1.RoleUser), client.Options{TLS: config})
	if err != nil {
		t.Fatal(err)
	}
	w.market.Say(v1.Notice{Kind: "price"})
	for n, err := range c.Events(t.Context(), 0) {
		if err != nil || n.Seq != 1 {
			t.Errorf("got %+v, %v", n, err)
		}
		break
	}
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Completed, StartedUS: 1})
	w.market.Write(1, "hello\n")
	r := must[io.ReadCloser](t)(c.FollowOutput(t.Context(), 1, client.Output{}))
	defer r.Close()
	if text := string(must[[]byte](t)(io.ReadAll(r))); text != "hello\n" {
		t.Errorf("got %q", text)
	}
	w.market.Put(v1.Job{ID: 2, Owner: "alice", State: v1.Failed, StartedUS: 1})
	lost := must[io.ReadCloser](t)(c.FollowOutput(t.Context(), 2, client.Output{}))
	defer lost.Close()
	if _, err := io.ReadAll(lost); err == nil || err.Error() != "no such file" {
		t.Errorf("got %v", err)
	}
}
