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
	"time"

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
	Agent   string        // User-Agent; default libra
	Most    int64         // bytes of an answer, or of a line of events; default 256 MiB
	Plain   bool          // send tokens in the clear to another machine: only behind a wall
}

// Client speaks to one market. It may be used by many goroutines.
type Client struct {
	base    string // without a slash at the end
	bearer  string // "": none
	http    *http.Client
	timeout time.Duration
	retries int
	most    int64
	agent   string
}

// New makes a client of the market at a URL. An empty token is for the routes
// that ask for none, and for agents that have a certificate (Options.TLS).
func New(baseURL, token string, o Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: %q (want https://host:port)", ErrAddress, baseURL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%w: %q (want no user, no query and no fragment)", ErrAddress, u.Redacted())
	case u.Scheme == "http" && token != "" && !o.Plain && !loopback(u.Hostname()):
		return nil, fmt.Errorf("%w: %q: a token must not travel in the clear (want https)", ErrAddress, baseURL)
	case strings.ContainsAny(token, " \r\n\t"):
		return nil, errors.New("the token has a space or a line break in it")
	}
	c := &Client{
		base: strings.TrimRight(u.String(), "/"), timeout: o.Timeout, retries: o.Retries, agent: o.Agent, most: o.Most,
	}
	if token != "" {
		c.bearer = "Bearer " + token
	}
	if c.timeout <= 0 {
		c.timeout = 30 * time.Second
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
	c.http = &http.Client{
		Transport: transport(o.TLS),
		// The API never redirects; whoever does is somebody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
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

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Close lets go of the connections that are idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

type keyOf struct{}

// WithKey makes the call of a method that changes something happen once, however
// often it is made with this key.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}
