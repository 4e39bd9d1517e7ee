package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/socket"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
)

// host is what every daemon that serves an API has: a store that it alone leads,
// a listener, and a server of the API and the pages.
type host struct {
	store   store.Store
	server  *http.Server
	doors   []net.Listener // until a server has them
	address net.Addr
	local   string // path of the socket; "": none
	page    string // URL at which browsers on this machine find the pages
	secure  bool
	lost    <-chan struct{} // another may lead now
	release func()
	failed  chan error
}

func openHost(ctx context.Context, address string) (host, error) {
	if err := store.BeforeUpgrade(ctx, address, controller.Readable); err != nil {
		return host{}, err
	}
	st, err := store.Open(ctx, address)
	return host{store: st, failed: make(chan error, 3)}, err
}

// lead makes sure that nobody else writes to the store. Who is not to wait until
// the other has gone is told who it is.
func (h *host) lead(ctx context.Context, waiting func()) error {
	var taken *store.Taken
	lost, release, err := h.store.TryLead(ctx)
	if errors.As(err, &taken) && waiting != nil {
		waiting()
		lost, release, err = h.store.Lead(ctx)
	}
	if err != nil {
		return err
	}
	h.lost, h.release = lost, release
	return nil
}

// certify reads the certificates, if there are any: before the wait for the lead,
// because who takes over must not find only then that they are not good.
func (h *host) certify(cert, key, clientCA string) (*tls.Config, error) {
	if cert == "" {
		return nil, nil
	}
	h.secure = true
	return api.ServerTLS(cert, key, clientCA, time.Now)
}

// listen opens the doors: a port, without certificates for this machine alone;
// and a socket, by which programs on this machine know whom they speak to. A
// market with certificates has one if it was told where.
func (h *host) listen(address string, secure *tls.Config, at string) error {
	listener, err := api.Listen(address, secure)
	if err != nil {
		return err
	}
	h.doors, h.address = append(h.doors, listener), listener.Addr()
	h.page = h.url()
	if secure == nil {
		h.freshAddress()
	}
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
	h.doors, h.local = append(h.doors, local), local.Addr().String()
	return nil
}

// freshAddress has the pages at an address of this machine too that no start
// before had. A browser keeps what it was given for an address: who had the port
// while the market was away may have left scripts there that would look on when
// somebody signs in. Where there is one such address only (not on Linux), that is
// how it is.
func (h *host) freshAddress() {
	ip, port, err := net.SplitHostPort(h.address.String())
	if err != nil || ip != "127.0.0.1" {
		return
	}
	for range 3 { // somebody may be at the first
		var random [3]byte
		rand.Read(random[:]) // it never returns an error
		fresh := netip.AddrFrom4([4]byte{127, 1 + random[0]%254, random[1], 1 + random[2]%254})
		door, err := api.Listen(net.JoinHostPort(fresh.String(), port), nil)
		if err == nil {
			h.doors, h.page = append(h.doors, door), "http://"+door.Addr().String()
			return
		}
	}
}

// What a setting of a socket may say instead of a path.
const (
	noSocket  = "none"
	ownSocket = "own" // at the usual place, whatever else there is
)

// serve answers whoever comes, with the API or a page.
func (h *host) serve(handler *api.Handler, pages *web.Handler) {
	h.server = api.Server(handler)
	h.server.Handler = web.Join(handler, pages)
	h.server.RegisterOnShutdown(pages.Close)
	for _, door := range h.doors {
		go func() {
			if err := h.server.Serve(door); !errors.Is(err, http.ErrServerClosed) {
				h.failed <- err
			}
		}()
	}
}

// hangUp lets nothing new come in.
func (h *host) hangUp() error {
	if h.server == nil {
		var err error
		for _, door := range h.doors {
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

// releaseStore gives the store up.
func (h *host) releaseStore() error {
	if h.release != nil {
		h.release()
	}
	return h.store.Close()
}

// url is where the API is, for somebody on this machine.
func (h *host) url() string {
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

// connect speaks to the market that was started here, as nobody else could be
// taken for it: by its socket.
func (h *host) connect(token string) (*client.Client, error) {
	return client.New("unix:"+h.local, token, client.Options{Agent: "libra"})
}

// makeToken makes a token that is good for ever and returns the secret, which is
// kept nowhere.
func (h *host) makeToken(ctx context.Context, user string, role v1.Role, name string) (string, error) {
	return addToken(ctx, h.store, user, role, name, 0)
}

// addToken makes a token in a store and returns the secret. Without a life it is
// good for ever.
func addToken(ctx context.Context, st store.Tokens, user string, role v1.Role, name string, life time.Duration) (string, error) {
	secret, hash := api.NewSecret()
	t := v1.Token{ID: api.NewTokenID(), User: user, Role: role, Name: name, MadeUS: time.Now().UnixMicro()}
	if life > 0 {
		t.ExpiresUS = t.MadeUS + life.Microseconds()
	}
	return secret, front.Keyring{Kept: st}.AddToken(ctx, hash, t)
}
