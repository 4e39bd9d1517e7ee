package system_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// listenAt takes an address as soon as nobody has it, and counts the bytes that
// come. It answers as a market would that has an order for a node.
func listenAt(t *testing.T, address string) (l net.Listener, came *atomic.Int64) {
	t.Helper()
	until(t, "the port", func() bool {
		var err error
		l, err = net.Listen("tcp", address)
		return err == nil
	})
	came = &atomic.Int64{}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buffer := make([]byte, 4096)
				for {
					n, err := conn.Read(buffer)
					came.Add(int64(n))
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"))
				}
			}()
		}
	}()
	return l, came
}

// While the controller is away somebody binds its port. The agent and the
// commands send no byte there; when the controller is back, all goes on.
func TestAnImpostorWhileTheControllerIsAway(t *testing.T) {
	t.Parallel()
	b := newBazaar(t, terms{})
	w := b.hire("n1", "--cpus", "0")
	b.user("root", 100)
	b.serve.kill()
	impostor, came := listenAt(t, strings.TrimPrefix(b.url, "http://"))
	before := strings.Count(w.said(1<<20), "not reported")
	until(t, "the agent to try", func() bool { return came.Load() > 0 || strings.Count(w.said(1<<20), "not reported") > before })
	for range 3 {
		r := run(t, b.dir, binary(), "jobs", "--server", b.url, "--token-file", b.at("owner.token"))
		if r.code == 0 || !strings.Contains(r.err, "no market answers") {
			t.Errorf("libra jobs: %+v", r)
		}
	}
	if n := came.Load(); n != 0 {
		t.Errorf("the impostor was sent %d bytes", n)
	}
	if err := impostor.Close(); err != nil {
		t.Fatal(err)
	}
	b.open()
	b.joined(w)
	token, err := b.owner.MakeToken(t.Context(), v1.TokenRequest{User: "root", SystemUser: true, Name: "after"})
	if err != nil {
		t.Fatal(err)
	}
	r := b.shell("true", time.Second)
	b.completed(submit(t, b.with(token.Secret), r).ID)
}
