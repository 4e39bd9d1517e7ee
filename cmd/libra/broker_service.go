package main

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"libra/api"
	"libra/broker/live"
	"libra/exchange"
	"libra/store"
	"libra/web"
)

// brokerService is a broker with its store, its API and its pages.
type brokerService struct {
	store   store.Store
	broker  *live.Broker
	server  *http.Server
	address net.Addr
	secure  bool
	lost    <-chan struct{} // another broker may lead now
	release func()
	failed  chan error
}

func startBroker(ctx context.Context, c *live.Config, log *slog.Logger) (*brokerService, error) {
	st, err := store.Open(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	s := &brokerService{store: st, failed: make(chan error, 1)}
	if err := s.start(ctx, c, log); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *brokerService) start(ctx context.Context, c *live.Config, log *slog.Logger) error {
	markets := make([]live.Market, len(c.Clusters))
	for i := range c.Clusters {
		var err error
		if markets[i], err = c.Clusters[i].Market(); err != nil {
			return err
		}
	}
	var secure *tls.Config
	var err error
	if c.TLS.Cert != "" {
		if secure, err = api.ServerTLS(c.TLS.Cert, c.TLS.Key, "", time.Now); err != nil {
			return err
		}
		s.secure = true
	}
	if s.lost, s.release, err = s.store.TryLead(ctx); err != nil {
		return err // it says that another broker has the store
	}
	listener, err := api.Listen(c.Listen, secure)
	if err != nil {
		return err
	}
	s.address = listener.Addr()
	s.broker, err = live.Open(ctx, s.store, markets, live.Options{Wish: c.Wish, Limit: time.Duration(c.Limit), Log: log})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	handler := api.New(s.broker, keyring{s.store}, api.Options{Log: log, PublicMetrics: c.Metrics == "public"})
	pages := web.New(s.broker, keyring{s.store}, web.Options{Log: log, Secure: s.secure, Home: homeOf})
	s.server = api.Server(handler)
	s.server.Handler = web.Join(handler, pages)
	s.server.RegisterOnShutdown(pages.Close)
	go func() {
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return nil
}

// wait runs until ctx is done or something is wrong.
func (s *brokerService) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.failed:
		return err
	case <-s.lost:
		return errors.New("the store is led by somebody else now, or its session is gone: stopping rather than handing out jobs beside another broker")
	}
}

// close ends everything in order: nothing new comes in, what is under way is
// written down, the store is closed.
func (s *brokerService) close() error {
	var err error
	if s.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err = s.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
			err = s.server.Close()
		}
	}
	if s.broker != nil {
		s.broker.Close()
	}
	if s.release != nil {
		s.release()
	}
	return errors.Join(err, s.store.Close())
}

// url is where the API is, for somebody on this machine.
func (s *brokerService) url() string {
	like := service{address: s.address, secure: s.secure}
	return like.url()
}

// addToken makes a token in a store and returns the secret, which is kept
// nowhere. Without a life it is good for ever.
func addToken(ctx context.Context, st store.Store, user string, role exchange.Role, name string, life time.Duration) (string, error) {
	secret, hash := api.NewSecret()
	t := api.Token{ID: api.NewTokenID(), User: user, Role: role, Name: name, MadeUS: time.Now().UnixMicro()}
	if life > 0 {
		t.ExpiresUS = t.MadeUS + life.Microseconds()
	}
	return secret, keyring{st}.AddToken(ctx, hash, t)
}
