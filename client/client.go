package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/client/socket"
	"github.com/libra-market/libra/client/v1"
)

// Problem is why the server did not do what was asked.
type Problem = v1.Problem

// ErrAddress says that a URL is not one that a market can be at.
var ErrAddress = errors.New("not the address of a market")

// Options are what a client may be told; the zero value is good.
type Options struct {
	TLS     *tls.Config   // nil: the system's authorities
	Timeout time.Duration // of a call that does not wait for anything; default 30 s
	Retries int           // after the first attempt; 0: default 4, negative: none
	// Patience is how long a call waits, all in all, where the server says that it
	// comes too often and when to come again; default a minute. With no retries
	// there is no waiting either.
	Patience time.Duration
	Agent    string // User-Agent; default libra
	Socket   string // where the market of http://127.0.0.1:port has its socket, if that is known; default: the usual places
	Most     int64  // bytes of an answer, or of a line of events; default 256 MiB
	Plain    bool   // send tokens in the clear, to whoever has the port: for tests, and behind a wall
	Local    bool   // without a token too, go to a market of http://127.0.0.1:port by its socket alone: it may know who comes, and the port is anybody's
	// Currency is told, with each answer that says it, what the market's amounts are in:
	// three letters of ISO 4217, XXX where it is no particular one.
	Currency func(code string)
	// Way carries requests instead of the network: for a program that has the market
	// in itself, and for tests. It is trusted with the token, whatever the URL.
	Way http.RoundTripper
}

// Client speaks to one market, at one address or several. It may be used by many
// goroutines.
type Client struct {
	servers []*server // of which one leads
	now     atomic.Int64
	mu      sync.Mutex
	moved   chan struct{} // closed and replaced when another one is asked

	bearer  string // "": none
	private bool   // what is sent is read by none but the market
	timeout time.Duration
	retries int
	most    int64
	agent   string

	patience time.Duration
	currency func(string) // nil: nobody wants to know
}

// server is one of the addresses of a market.
type server struct {
	base  string // without a slash at the end
	local bool   // by a socket of this machine
	http  *http.Client
}

// New makes a client of the market at a URL, or at several with commas between
// them: those of its controllers, of which one leads and the others wait. The
// client finds the one that leads. An empty token is for the routes that ask for
// none, and for agents that have a certificate (Options.TLS).
//
// A token goes to none but the market: over TLS (https://host:port), or to a
// socket whose owner was checked (unix:/path, or unix://user@/path if it may be
// that user's). http://127.0.0.1:port names the market of this machine that has
// this port, and a client with a token reaches it by its socket: a port is
// anybody's who binds it.
func New(baseURL, token string, o Options) (*Client, error) {
	c, err := newClient(token, o)
	if err != nil {
		return nil, err
	}
	for address := range strings.SplitSeq(baseURL, ",") {
		s, err := newServer(strings.TrimSpace(address), token, o)
		if err != nil {
			return nil, err
		}
		c.servers = append(c.servers, s)
		c.private = (c.private || len(c.servers) == 1) && (s.local || strings.HasPrefix(s.base, "https://") || o.Plain || o.Way != nil)
	}
	return c, nil
}

func newServer(address, token string, o Options) (*server, error) {
	u, err := url.Parse(address)
	if err == nil && u.Scheme == "unix" {
		at, bad := socket.Parse(address)
		if bad != nil {
			return nil, fmt.Errorf("%w: %w", ErrAddress, bad)
		}
		return through("http://localhost", true, local([]socket.Address{at})), nil
	}
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: %q (want https://host:port or unix:/path)", ErrAddress, address)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%w: %q (want no user, no query and no fragment)", ErrAddress, u.Redacted())
	case u.Scheme == "http" && token != "" && !o.Plain && o.Way == nil && !loopback(u.Hostname()):
		return nil, fmt.Errorf("%w: %q: a token must not travel in the clear (want https)", ErrAddress, address)
	}
	base := strings.TrimRight(u.String(), "/")
	if o.Way != nil {
		return through(base, false, o.Way), nil
	}
	if u.Scheme == "http" && (token != "" || o.Local && loopback(u.Hostname())) && !o.Plain {
		return through(base, true, local(placesOf(u, o.Socket))), nil
	}
	return through(base, false, transport(o.TLS)), nil
}

// through speaks to an address on a way.
func through(base string, local bool, way http.RoundTripper) *server {
	return &server{base: base, local: local, http: &http.Client{
		Transport: way,
		// The API never redirects; whoever does is somebody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// placesOf are the sockets that the market behind a port of this machine may
// have; first the one that the caller knows of.
func placesOf(u *url.URL, known string) []socket.Address {
	port := u.Port()
	if port == "" {
		port = "80"
	}
	var at []socket.Address
	if known != "" {
		at = append(at, socket.Address{Path: known, Owner: socket.Nobody})
	}
	for _, path := range socket.Places(port) {
		if path != known {
			at = append(at, socket.Address{Path: path, Owner: socket.Nobody})
		}
	}
	return at
}

func newClient(token string, o Options) (*Client, error) {
	if strings.ContainsAny(token, " \r\n\t") {
		return nil, errors.New("the token has a space or a line break in it")
	}
	c := &Client{
		timeout: o.Timeout, retries: o.Retries, agent: o.Agent, most: o.Most, patience: o.Patience, moved: make(chan struct{}), currency: o.Currency,
	}
	if token != "" {
		c.bearer = "Bearer " + token
	}
	if c.timeout <= 0 {
		c.timeout = 30 * time.Second
	}
	if c.patience <= 0 {
		c.patience = time.Minute
	}
	if c.retries == 0 {
		c.retries = 4
	}
	if c.most <= 0 {
		c.most = 256 << 20
	}
	if c.agent == "" {
		c.agent = "libra"
	}
	return c, nil
}

func transport(t *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:       t,
		TLSHandshakeTimeout:   10 * time.Second,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		// A cut cable is silent: without a ping a long poll would wait in vain.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second},
	}
}

// local goes to a socket of this machine and nowhere else: no proxy, no port.
func local(at []socket.Address) *http.Transport {
	t := transport(nil)
	t.Proxy, t.ForceAttemptHTTP2 = nil, false
	t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return socket.Dial(ctx, at...)
	}
	t.DialTLSContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, fmt.Errorf("%w: there is no TLS at a socket", ErrAddress)
	}
	return t
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Close lets go of the connections that are idle.
func (c *Client) Close() {
	for _, s := range c.servers {
		s.http.CloseIdleConnections()
	}
}

type keyOf struct{}

// WithKey makes the call of a method that changes something happen once, however
// often it is made with this key.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}
