package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/libra-market/libra/client/socket"
)

// Server is an HTTP server for a handler: slow and idle clients are cut off,
// and those who follow something are not, because a call that takes long says
// so. Shutdown ends the streams.
func Server(h *Handler) *http.Server {
	s := NewServer(h, h.options.Log)
	s.RegisterOnShutdown(h.Close)
	return s
}

// NewServer is the same for any handler.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		// What a connection may send before anybody has looked at it.
		HTTP2:    &http.HTTP2Config{MaxConcurrentStreams: 128, MaxReceiveBufferPerConnection: 128 << 10, MaxReceiveBufferPerStream: 64 << 10},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			if uid, known := socket.From(conn); known {
				return context.WithValue(ctx, bySocket{}, uid)
			}
			return ctx
		},
	}
}

// ErrPlain says that a market was to be served to the network in the clear.
var ErrPlain = errors.New("not without TLS beyond this machine")

// Listen opens a TCP address for [http.Server.Serve]. Tokens must not travel in
// the clear, so without TLS it takes only an address that no other machine can
// reach.
func Listen(addr string, t *tls.Config) (net.Listener, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	if t == nil && !tcp.IP.IsLoopback() {
		return nil, fmt.Errorf("listen on %q: %w: give a certificate and a key, or an address such as 127.0.0.1:%d "+
			"with a proxy that speaks TLS before it", addr, ErrPlain, tcp.Port)
	}
	l, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, err // it names the address
	}
	if t == nil {
		return l, nil
	}
	return tls.NewListener(l, t), nil
}
