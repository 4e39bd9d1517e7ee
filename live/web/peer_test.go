package web

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
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
		for _, name := range passedOn {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(name, "1.1 squid")
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if known {
				t.Errorf("at %s, with %s: taken for %d", at, name, uid)
			}
		}
	}
}

// A socket that could have been of IPv6 is in the other table.
func TestWhoseAMappedConnectionIs(t *testing.T) {
	if _, err := os.Stat(mappedTable); err != nil {
		t.Skip("this kernel says nothing of sockets of IPv6")
	}
	listener, err := net.Listen("tcp4", "127.9.8.7:0")
	if err != nil {
		t.Fatal(err)
	}
	var uid int
	var known bool
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { uid, known = peerOf(r) })}}
	server.Start()
	t.Cleanup(server.Close)
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Skip("no sockets of IPv6 here")
	}
	to := &syscall.SockaddrInet6{Port: listener.Addr().(*net.TCPAddr).Port} //nolint:forcetypeassert // it is one
	copy(to.Addr[10:], []byte{0xff, 0xff, 127, 9, 8, 7})
	if err = syscall.Connect(fd, to); err != nil {
		t.Skip("no sockets for both here")
	}
	file := os.NewFile(uintptr(fd), "socket")
	conn, err := net.FileConn(file)
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }}}
	answer, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	client.CloseIdleConnections()
	if !known || uid != os.Getuid() {
		t.Errorf("%d, %t", uid, known)
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
