package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/broker"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/web"
)

// brokerService is a broker with its store, its API and its pages.
type brokerService struct {
	host
	broker *broker.Broker
}

func startBroker(ctx context.Context, c *broker.Config, log *slog.Logger) (*brokerService, error) {
	h, err := openHost(ctx, c.Store, newDoors(log))
	if err != nil {
		return nil, err
	}
	s := &brokerService{host: h}
	if err := s.start(ctx, c, log); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *brokerService) start(ctx context.Context, c *broker.Config, log *slog.Logger) error {
	markets := make([]broker.Market, len(c.Clusters))
	for i := range c.Clusters {
		var err error
		if markets[i], err = c.Clusters[i].Market(); err != nil {
			return err
		}
	}
	secure, err := s.certify(c.TLS.Cert, c.TLS.Key, "")
	if err != nil {
		return err
	}
	if err = s.lead(ctx, nil); err != nil {
		return err // it says that another broker has the store
	}
	if err = s.listen(c.Listen, secure, c.Socket); err != nil {
		return err
	}
	s.broker, err = broker.Open(ctx, s.store, markets, broker.Options{Objective: c.Objective, Limit: time.Duration(c.Limit), Log: log})
	if err != nil {
		return err
	}
	gate := fair.NewGate(fair.Default(), time.Now)
	s.serve(
		api.New(s.broker, front.Keyring{Kept: s.store}, api.Options{Log: log, Gate: gate, PublicMetrics: c.Metrics == "public"}),
		web.New(s.broker, front.Keyring{Kept: s.store}, web.Options{Log: log, Gate: gate, URL: s.page, Secure: s.secure, Home: homeOf}),
	)
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
	err := s.hangUp()
	if s.broker != nil {
		s.broker.Close()
	}
	return errors.Join(err, s.releaseStore())
}
