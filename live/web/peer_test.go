package web

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// The kernel says whose a connection is, at an address that is this start's own. Of who
// comes through a proxy, which is one user for all, nobody knows.
func TestWhoseAConnectionIs(t *testing.T) {
	if _, err := os.Stat(socketTable); err != nil {
		t.Skip("this kernel says nothing of sockets")
	}
	for at, want := range map[string]bool{"127.9.8.7": true, "127.0.0.1": false} {
		listener, err := net.Listen("tcp4", at+":0")
		if err != nil {
			t.Fatal(err)
		}
		var uid int
		var known bool
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { uid, known = peerOf(r) })}}
		server.Start()
		t.Cleanup(server.Close)
		for host, own := range map[string]bool{listener.Addr().String(): true, "market.example": false} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if known != (want && own) || known && uid != os.Getuid() {
				t.Errorf("at %s for %s: %d, %t", at, host, uid, known)
			}
		}
	}
}

// A connection that its owner has closed is shown as root's.
func TestWhoHasLeftIsNobody(t *testing.T) {
	const from, to = "0708097F:D431", "0708097F:1CDF"
	line := func(state, uid string) string {
		return "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
			"   7: " + to + " " + from + " 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 20 4 30 10 -1\n" +
			"   8: " + from + " " + to + " " + state + " 00000000:00000000 00:00000000 00000000  " + uid + "        0 2 1 0 20 4 30 10 -1\n"
	}
	for _, c := range []struct {
		state, uid string
		want       int
		known      bool
	}{{"01", "1000", 1000, true}, {"01", "0", 0, true}, {"05", "0", 0, false}, {"06", "0", 0, false}} {
		uid, known := ownerIn(bufio.NewScanner(strings.NewReader(line(c.state, c.uid))), from, to)
		if known != c.known || known && uid != c.want {
			t.Errorf("%+v: %d, %t", c, uid, known)
		}
	}
}
