package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/user"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/agent"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/munge"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/survey"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/wire"
)

// service is a controller with its store and its API: what libra serve runs,
// and libra up beside an agent.
type service struct {
	host
	market front.Market
	pages  *web.Handler
	stop   context.CancelFunc

	beside sync.WaitGroup // what goes on beside the market: archiving, following Slurm's accounts

	backend      *slurm.Backend // nil: agents run the jobs
	batch        onSlurm
	backendEnded chan struct{}
	findings     []survey.Finding // about Slurm
}

// startService opens the store, waits until it may lead, reads the state back
// and begins to listen.
func startService(ctx context.Context, c *config.Config, log *slog.Logger, waiting func()) (*service, error) {
	at := newDoors(log)
	h, err := openHost(ctx, c.Store, at)
	if err != nil {
		return nil, err
	}
	s := &service{host: h}
	secure, err := at.certify(c.TLS.Cert, c.TLS.Key, c.TLS.ClientCA)
	if err == nil {
		err = s.lead(ctx, waiting)
	}
	if err == nil {
		err = s.listen(c.Listen, secure, socketOf(c))
	}
	if err == nil {
		err = s.start(ctx, c, log)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// start reads the state back and opens the market at the doors.
func (s *service) start(ctx context.Context, c *config.Config, logger *slog.Logger) error {
	term, err := s.store.Leads()
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(context.Background())
	s.stop = stop
	easeCollector(run)
	setup := controller.Default()
	setup.Version, setup.Logger, setup.Elapsed = buildVersion(), logger, agent.SinceBoot
	setup.Allow = c.Nodes.Allowance()
	setup.Lease, setup.Report = time.Duration(c.Lease), time.Duration(c.Report)
	setup.Unsaid = unsaid(c)
	setup.Limits = c.Limits.Limits
	setup.Open = trade.Open{Policy: c.Policy, Settings: c.Settings, Rates: trade.Rates(ratesOf(c))}
	setup.Term, setup.Leads = term, s.leads
	var log controller.Log = s.store
	if dir := config.ArchiveDir(c.Archive.Dir, c.Store); dir != "" {
		log = archive.Whole(s.store, dir)
		s.market.Archive = &archive.Keeper{
			Mover: &archive.Mover{Store: s.store, Dir: dir, Clock: time.Now}, Keep: time.Duration(c.Archive.Keep), Log: logger,
		}
	}
	if s.market.Controller, err = controller.Start(run, log, setup); err != nil {
		stop()
		return err
	}
	// Before anything runs: who has waited is sold nothing that Slurm would keep waiting.
	if err = s.market.Watch(ctx, c.Backend == config.BackendSlurm); err != nil {
		return err
	}
	if s.market.Archive != nil {
		s.beside.Go(func() { s.market.Archive.Run(run) })
	}
	seller := ledger.Seller{Name: c.Seller, Currency: c.Currency}
	s.market.Unit = seller.Unit()
	var floor api.Market = byAgents{s.market}
	var named func(ctx context.Context, user, account string) string
	if c.Backend == config.BackendSlurm {
		if err = s.startSlurm(ctx, run, c, logger); err != nil {
			return err
		}
		floor, named = s.batch, s.batch.named
	}
	gate := fair.NewGate(c.Limits.Limits, time.Now)
	var signed func(ctx context.Context, challenge, credential string) (uid int, err error)
	if c.Login.Munge == config.LoginUsers {
		signed = munge.Check
	}
	handler := api.New(floor, front.Keyring{Kept: s.store}, api.Options{
		Log: logger, Gate: gate, Term: term, Notice: s.notice, PublicMetrics: c.Metrics == "public", CertificateNodes: c.TLS.Nodes, Seller: seller, Named: named,
		LocalUsers: c.LocalUsers(os.Geteuid()), Munge: signed,
	})
	s.pages = web.New(floor, front.Keyring{Kept: s.store}, web.Options{
		Log: logger, Gate: gate, Now: s.market.Time, Ahead: s.market.Ahead, URL: s.page, Door: s.door(), Secure: s.secure, WhatIf: s.whatIf, Seller: seller, Home: homeOf,
		Memory: s.store,
	})
	s.serve(handler, s.pages)
	return nil
}

// socketOf is where the socket of a market is: one by which users are let in is there with
// TLS too.
func socketOf(c *config.Config) string {
	if c.Socket == "" && c.LocalUsers(os.Geteuid()) {
		return ownSocket
	}
	return c.Socket
}

// notice is what an operator should know of a market that serves.
func (s *service) notice() string { return cmp.Or(s.port.notice(), s.market.Notice()) }

// unsaid is what the market sets where its owner says nothing.
func unsaid(c *config.Config) map[string]string {
	set := epoch.LiveSettings()
	set["reporting"] = market.Money(time.Duration(c.Report).Microseconds()).String() // seconds, of which these are millionths
	return set
}

func ratesOf(c *config.Config) v1.Rates {
	return v1.Rates(c.MarketRates())
}

// ratesAsked is what somebody named of the rates, over those in force.
func ratesAsked(c *config.Config, now v1.Rates) v1.Rates {
	asked := ratesOf(c)
	if c.Given.Rates {
		return asked
	}
	if c.Given.Processor {
		now.Processor, now.ProcessorHour = asked.Processor, asked.ProcessorHour
	}
	if c.Given.Partitions {
		now.Partitions, now.Partition = asked.Partitions, asked.Partition
	}
	c.Divide((*trade.Rates)(&now))
	if c.Given.GPU || c.Given.NewGPUs && now.GPUHour == 0 {
		now.GPUHour = asked.GPUHour
	}
	return now
}

// wait runs until ctx is done or something is wrong.
func (s *service) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.failed:
		return err
	case <-s.lost:
		return errLost
	case <-s.market.Done():
		return errors.New("the controller has stopped")
	}
}

// errLost says that a controller does not lead any more.
var errLost = errors.New("the store is led by somebody else now, or its session is gone: stopping rather than writing beside another controller")

// close ends everything in order: nothing new comes in, what came in is written
// down, the store is closed.
func (s *service) close() error {
	return errors.Join(s.hangUp(), s.abdicate())
}

// abdicate ends the market and leaves the doors open.
func (s *service) abdicate() error {
	if s.stop != nil {
		s.stop()
	}
	if s.backendEnded != nil {
		<-s.backendEnded
	}
	if s.market.Controller != nil {
		<-s.market.Done()
	}
	s.beside.Wait()
	return s.releaseStore()
}

// homeOf is where the jobs of a user run who names no directory.
func homeOf(name string) string {
	u, err := user.Lookup(name)
	if err != nil || u.HomeDir == "" {
		return "/tmp"
	}
	return u.HomeDir
}

// owner is the identity under which the program itself sets things up.
var ownHand = trade.Identity{User: "libra", Role: trade.RoleOwner}

// adoptIfPossible is adopt for a market that has to start, whatever it finds: the
// policy may have been changed through the API since the file was written, and jobs
// under way that the file's policy cannot take over must be served all the same.
func (s *service) adoptIfPossible(ctx context.Context, con *console, c *config.Config) error {
	err := s.adopt(ctx, c)
	if errors.Is(err, trade.ErrConflict) {
		printf(con.err, "could not %v: the market goes on as it was\n", err)
		return nil
	}
	return err
}

// adopt begins a new epoch if what was asked for is not what is in force. What nobody
// named stays: neither a restart with --set nor a file without rates changes a price.
func (s *service) adopt(ctx context.Context, c *config.Config) error {
	if c.Given == (config.Given{}) && len(c.Settings) == 0 && c.Backend != config.BackendSlurm {
		return nil
	}
	epochs, err := s.market.Epochs(ctx)
	if err != nil {
		return err
	}
	now := epochs[len(epochs)-1]
	divided := maps.Equal(now.Rates.Partitions, ratesAsked(c, now.Rates).Partitions) // as Slurm is
	if c.Given == (config.Given{}) && len(c.Settings) == 0 && divided {
		return nil
	}
	set := map[string]string{}
	for _, one := range now.Settings {
		set[one.Name] = one.Value
	}
	name, rates, wanted := now.Policy, now.Rates, maps.Clone(c.Settings)
	if c.Given.Policy {
		name = c.Policy
	}
	rates = ratesAsked(c, rates)
	if !c.Given.Settings {
		wanted = over(set, wanted, name == now.Policy)
	}
	if _, ruled := set["endings"]; !ruled { // it began before there were rules of the market
		wanted = epoch.Complete(name, wanted, unsaid(c))
	}
	same := now.Policy == name && trade.Rates(now.Rates).Equal(trade.Rates(rates))
	for name, value := range wanted {
		same = same && set[name] == value
	}
	if same {
		return nil
	}
	_, _, err = s.market.Do(ctx, trade.Command{By: ownHand, Epoch: wire.ToEpoch(&v1.Epoch{Policy: name, Settings: wanted, Rates: &rates})}, api.Key{})
	switch {
	case err != nil && name == now.Policy:
		return fmt.Errorf("change the settings or rates of %s, which is in force: %w", name, err)
	case err != nil:
		return fmt.Errorf("change the policy from %s to %s: %w", now.Policy, name, err)
	}
	return nil
}

// over is settings in force with some of them changed. With another policy only the rules
// of the market go on: the rest is of the one before.
func over(set, changed map[string]string, same bool) map[string]string {
	if !same {
		set, _ = rules.Split(set)
	}
	whole := maps.Clone(set)
	maps.Copy(whole, changed)
	return whole
}
