package system_test

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/live/api"
)

// hosts are several hosts on this machine: network namespaces on one switch,
// which is one too, with an authority that knows them. Nothing is added to the
// machine's own network.
type hosts struct {
	t    testing.TB
	net  string // name of the switch, and beginning of the others'
	dir  string // of the authority
	last map[string]int
}

// newHosts sets up the host of a controller (ctl) and some for nodes (n1, n2...).
func newHosts(t testing.TB, nodes int) *hosts {
	t.Helper()
	requireHosts(t)
	h := &hosts{t: t, net: fresh("net"), dir: scene(t), last: map[string]int{"ctl": 1}}
	t.Cleanup(func() {
		for name := range h.last {
			h.ip("netns", "del", h.space(name))
		}
		h.ip("netns", "del", h.net)
	})
	h.ip("netns", "add", h.net)
	h.ip("-n", h.net, "link", "add", "br0", "type", "bridge")
	h.ip("-n", h.net, "link", "set", "br0", "up")
	for i := 1; i <= nodes; i++ {
		h.last[fmt.Sprintf("n%d", i)] = 10 + i
	}
	for name := range h.last {
		h.ip("netns", "add", h.space(name))
		h.ip("-n", h.space(name), "link", "set", "lo", "up")
		h.ip("-n", h.space(name), "link", "add", "eth0", "type", "veth", "peer", "name", "v-"+name, "netns", h.net)
		h.ip("-n", h.net, "link", "set", "v-"+name, "master", "br0", "up")
		h.ip("-n", h.space(name), "addr", "add", h.address(name)+"/24", "dev", "eth0")
		h.ip("-n", h.space(name), "link", "set", "eth0", "up")
	}
	err := api.MakeAuthority(h.dir, time.Now())
	if err == nil {
		err = api.MakeServerCertificate(h.dir, []string{h.address("ctl"), "127.0.0.1"}, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *hosts) ip(args ...string) {
	h.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		h.t.Errorf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func (h *hosts) space(name string) string   { return h.net + "-" + name }
func (h *hosts) address(name string) string { return fmt.Sprintf("10.66.0.%d", h.last[name]) }
func (h *hosts) file(name string) string    { return filepath.Join(h.dir, name) }

// on is a command that runs on a host. It leaves /sys as it is, unlike ip netns
// exec: the groups are below it.
func (h *hosts) on(name string, argv ...string) []string {
	return append([]string{"nsenter", "--net=/run/netns/" + h.space(name), "--"}, argv...)
}

// cut pulls the cable of a host, and heal plugs it in again. Nobody is told.
func (h *hosts) cut(name string)  { h.ip("-n", h.net, "link", "set", "v-"+name, "down") }
func (h *hosts) heal(name string) { h.ip("-n", h.net, "link", "set", "v-"+name, "up") }

// forward is a door of this machine that leads to an address on a host.
func (h *hosts) forward(t testing.TB, name, address string) string {
	t.Helper()
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { door.Close() })
	go func() {
		for {
			near, err := door.Accept()
			if err != nil {
				return
			}
			far, err := h.dial(name, address)
			if err != nil {
				near.Close()
				continue
			}
			go pass(near, far)
			go pass(far, near)
		}
	}()
	return door.Addr().String()
}

func pass(from, to net.Conn) {
	_, _ = io.Copy(to, from) // whoever hangs up first, both are done
	to.Close()
	from.Close()
}

// dial connects as if from a host. The thread that does so belongs to the host's
// network from then on, and ends with its goroutine.
func (h *hosts) dial(name, address string) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		var fd int
		if fd, err = unix.Open("/run/netns/"+h.space(name), unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return
		}
		defer unix.Close(fd)
		if err = unix.Setns(fd, unix.CLONE_NEWNET); err != nil {
			return
		}
		conn, err = (&net.Dialer{Timeout: 30 * time.Second}).Dial("tcp", address)
	}()
	<-done
	return conn, err
}
