package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"sync"

	"github.com/libra-market/libra/live/api"
)

// port is one that a market should have, and somebody else has.
type port struct {
	mu      sync.Mutex
	address string
	secure  *tls.Config
	why     string // what is said about it; "": it is there
}

func (p *port) lack(address string, secure *tls.Config, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.address, p.secure, p.why = address, secure, why
}

// notice says what users of the market should know about it; "": nothing.
func (p *port) notice() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// regain tries to get the port until it has it, or the server is shut.
func (h *doors) regain() {
	if h.port.notice() == "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.server.RegisterOnShutdown(cancel)
	go func() {
		defer cancel()
		for restFor(ctx, keepPause); ctx.Err() == nil; restFor(ctx, keepPause) {
			door, err := api.Listen(h.port.address, h.port.secure)
			if err != nil {
				continue
			}
			h.port.lack("", nil, "")
			h.log.Warn("the port is free again: the market is served there too", "address", door.Addr())
			if err = h.server.Serve(door); !errors.Is(err, http.ErrServerClosed) {
				h.failed <- err
			}
			return
		}
	}()
}
