package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/broker"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
)

// brokerService is a broker with its store, its API and its pages.
type brokerService struct {
	host
	broker *broker.Broker
}

// brokerKeeper keeps a broker open for as long as it is asked to, like keeper a market:
// where its database is away, or somebody else has its store after it had, it waits with
// the doors open and the reason on them.
type brokerKeeper struct {
	*doors

	config *broker.Config
	log    *slog.Logger
	say    func(string)
	opened func(ctx context.Context, s *brokerService) error // what is to be done when it is open
	led    bool                                              // it had the store before
}

func (k *brokerKeeper) keep(ctx context.Context) error {
	secure, err := k.certify(k.config.TLS.Cert, k.config.TLS.Key, "")
	if err != nil {
		return err
	}
	if err = k.listen(k.config.Listen, secure, k.config.Socket); err != nil {
		return errors.Join(err, k.hangUp())
	}
	k.begin()
	for {
		err = k.once(ctx)
		if ctx.Err() != nil {
			return firstOf(err, k.hangUp())
		}
		if !passing(err, k.config.Store, k.led) || !k.led && errors.Is(err, store.ErrTaken) { // it says that another broker has the store
			return firstOf(err, k.hangUp())
		}
		if k.desk.waitFor(err, "another broker has the store") {
			k.say(fmt.Sprintf("waiting: %v", err))
		}
		restFor(ctx, keepPause)
	}
}

// once has the store, and hands out jobs until that is over.
func (k *brokerKeeper) once(ctx context.Context) (err error) {
	h, err := openHost(ctx, k.config.Store, k.doors)
	if err != nil {
		return err
	}
	s := &brokerService{host: h}
	defer func() {
		if ctx.Err() != nil { // nothing new comes in, and then what is under way is written down
			err = firstOf(k.hangUp(), s.close())
			return
		}
		if errors.Is(err, errLostStore) {
			k.desk.waitFor(err, "")
		}
		if bad := s.close(); bad != nil {
			k.log.Warn("the store was not closed in order", "error", bad)
		}
	}()
	if err = s.lead(ctx, nil); err != nil {
		return err
	}
	if err = s.start(ctx, k.config, k.log); err != nil {
		return err
	}
	if err = k.opened(ctx, s); err != nil {
		return err
	}
	k.led = true
	return s.wait(ctx)
}

func (s *brokerService) start(ctx context.Context, c *broker.Config, log *slog.Logger) (err error) {
	markets := make([]broker.Market, len(c.Clusters))
	for i := range c.Clusters {
		if markets[i], err = c.Clusters[i].Market(); err != nil {
			return err
		}
	}
	s.broker, err = broker.Open(ctx, s.store, markets, broker.Options{Wish: c.Wish, Limit: time.Duration(c.Limit), Log: log})
	if err != nil {
		return err
	}
	gate := fair.NewGate(fair.Default(), time.Now)
	s.serve(
		api.New(s.broker, front.Keyring{Kept: s.store}, api.Options{Log: log, Gate: gate, PublicMetrics: c.Metrics == "public"}),
		web.New(s.broker, front.Keyring{Kept: s.store}, web.Options{Log: log, Gate: gate, URL: s.page, Door: s.door(), Secure: s.secure, Home: homeOf, Memory: s.store}),
	)
	return nil
}

// errLostStore says that a broker has its store no more.
var errLostStore = fmt.Errorf("%w: no jobs are handed out beside another broker", errLost)

// wait runs until ctx is done or something is wrong.
func (s *brokerService) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.failed:
		return err
	case <-s.lost:
		return errLostStore
	}
}

// close ends the broker and leaves the doors open: what is under way is written down,
// the store is closed.
func (s *brokerService) close() error {
	if s.broker != nil {
		s.broker.Close()
	}
	return s.releaseStore()
}
