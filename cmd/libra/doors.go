package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/libra-market/libra/client/socket"
	"github.com/libra-market/libra/live/api"
)

// doors are where a daemon can be reached: listeners, and a server that lets the
// desk say who answers.
type doors struct {
	desk      *desk
	log       *slog.Logger
	server    *http.Server
	listeners []net.Listener
	address   net.Addr
	local     string // path of the socket; "": none
	page      string // URL at which browsers on this machine find the pages
	secure    bool
	port      port // that somebody else has
	failed    chan error
	once      sync.Once // they are shut
	ended     error     // of that
}

func newDoors(log *slog.Logger) *doors {
	return &doors{desk: newDesk(), log: log, failed: make(chan error, 3)}
}

// certify reads the certificates, if there are any: before the wait for the lead,
// because who takes over must not find only then that they are not good.
func (h *doors) certify(cert, key, clientCA string) (*tls.Config, error) {
	if cert == "" {
		return nil, nil
	}
	h.secure = true
	return api.ServerTLS(cert, key, clientCA, time.Now)
}

// listen opens the doors: a port, without certificates for this machine alone;
// and a socket, by which programs on this machine know whom they speak to. A
// market with certificates has one if it was told where. Where somebody else has
// the port, who comes by the socket is served meanwhile: else any program on this
// machine could keep a market away.
func (h *doors) listen(address string, secure *tls.Config, at string) error {
	listener, taken := api.Listen(address, secure)
	switch {
	case taken == nil:
		h.listeners, h.address = append(h.listeners, listener), listener.Addr()
	case errors.Is(taken, syscall.EADDRINUSE):
		named, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			return errors.Join(taken, err)
		}
		h.address = named
	default:
		return taken
	}
	if err := h.listenLocally(secure, at); err != nil || taken != nil && h.local == "" {
		return errors.Join(taken, err)
	}
	if taken != nil {
		h.port.lack(address, secure, fmt.Sprintf("another program has the port (%v): it is tried again every second, and until then the market is served by its socket alone, %s", taken, h.local))
		h.log.Warn(h.port.notice())
	}
	h.page = h.url()
	if secure == nil {
		h.freshAddress()
	}
	return nil
}

// listenLocally opens the socket.
func (h *doors) listenLocally(secure *tls.Config, at string) error {
	places := []string{at}
	switch {
	case at == noSocket || at == "" && secure != nil:
		return nil
	case at == "" || at == ownSocket:
		_, port, bad := net.SplitHostPort(h.address.String())
		if bad != nil {
			return bad
		}
		places = socket.Own(port)
	}
	local, err := socket.Listen(places...)
	if err != nil {
		return fmt.Errorf("%w (another place: --socket)", err)
	}
	h.listeners, h.local = append(h.listeners, local), local.Addr().String()
	return nil
}

// freshAddress has the pages at an address of this machine too that no start
// before had. A browser keeps what it was given for an address: who had the port
// while the market was away may have left scripts there that would look on when
// somebody signs in. Where there is one such address only (not on Linux), that is
// how it is.
func (h *doors) freshAddress() {
	ip, port, err := net.SplitHostPort(h.address.String())
	if err != nil || ip != "127.0.0.1" {
		return
	}
	lacks := h.port.notice() != ""
	for try := range 3 { // somebody may be at the first
		var random [3]byte
		rand.Read(random[:]) // it never returns an error
		fresh := netip.AddrFrom4([4]byte{127, 1 + random[0]%254, random[1], 1 + random[2]%254})
		if lacks && try > 0 {
			port = "0" // a stranger has it at every address: no link may lead there
		}
		door, err := api.Listen(net.JoinHostPort(fresh.String(), port), nil)
		if err == nil {
			h.listeners, h.page = append(h.listeners, door), "http://"+door.Addr().String()
			return
		}
	}
}

// answerAt opens doors at the addresses that the pages had before, for who loads one of
// them again. Where somebody else is there by now, that is how it is.
func (h *doors) answerAt(before []string) {
	if h.server != nil {
		return
	}
	for _, at := range before {
		if door, err := api.Listen(at, nil); err == nil {
			h.listeners = append(h.listeners, door)
		}
	}
}

// What a setting of a socket may say instead of a path.
const (
	noSocket  = "none"
	ownSocket = "own" // at the usual place, whatever else there is
)

// begin serves at the doors that are open.
func (h *doors) begin() {
	if h.server != nil {
		return
	}
	h.server = api.NewServer(h.desk, h.log)
	h.server.RegisterOnShutdown(h.desk.endStreams)
	h.regain()
	for _, door := range h.listeners {
		go func() {
			if err := h.server.Serve(door); !errors.Is(err, http.ErrServerClosed) {
				h.failed <- err
			}
		}()
	}
}

// hangUp lets nothing new come in.
func (h *doors) hangUp() error {
	h.once.Do(func() { h.ended = h.shut() })
	return h.ended
}

func (h *doors) shut() error {
	if h.server == nil {
		var err error
		for _, door := range h.listeners {
			err = errors.Join(err, door.Close())
		}
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := h.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = h.server.Close()
	}
	return err
}

// door is the host and port at which browsers on this machine find the market after a
// restart too; "" with TLS, which has an address that nobody else can answer at.
func (h *doors) door() string {
	ip, _, err := net.SplitHostPort(h.address.String())
	if err != nil || h.secure || ip != "127.0.0.1" {
		return ""
	}
	return h.address.String()
}

// url is where the API is, for somebody on this machine.
func (h *doors) url() string {
	scheme := "http"
	if h.secure {
		scheme = "https"
	}
	at, port, err := net.SplitHostPort(h.address.String())
	if ip := net.ParseIP(at); err == nil && ip.IsUnspecified() {
		return scheme + "://" + net.JoinHostPort("127.0.0.1", port) // it listens everywhere, here too
	}
	return scheme + "://" + h.address.String()
}
