package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/survey"
)

// onSlurm is a market whose jobs Slurm runs: what concerns nodes goes through
// the backend.
type onSlurm struct {
	front.Market
	backend *slurm.Backend
	config  *config.Config
}

var _ api.Market = onSlurm{}

func (m onSlurm) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	w, err := m.backend.Hello(ctx, h)
	w.Leader = m.Leader()
	return w, err
}

func (m onSlurm) Desired(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, error) {
	d, err := m.backend.Desired(ctx, node, after, wait)
	d.Leader = m.Leader()
	return d, err
}

func (m onSlurm) Report(ctx context.Context, r task.Report) (task.Reply, error) {
	reply, err := m.backend.Report(ctx, r)
	reply.Leader = m.Leader()
	return reply, err
}

func (m onSlurm) Chunk(ctx context.Context, node, id string, c task.Chunk) error {
	return m.backend.Chunk(ctx, node, id, c)
}

func (m onSlurm) Measure(ctx context.Context) (map[string]float64, error) {
	numbers, err := m.Market.Measure(ctx)
	if err == nil {
		maps.Copy(numbers, m.backend.Measure())
	}
	return numbers, err
}

// Do refuses what Slurm cannot carry out before the market promises it.
func (m onSlurm) Do(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	if err := m.possible(&c); err != nil {
		return api.Outcome{}, false, err
	}
	return m.Market.Do(ctx, c, key)
}

func (m onSlurm) Preview(ctx context.Context, by trade.Identity, r trade.Request) (api.Outcome, error) {
	if err := wholeJob(&r); err != nil {
		return api.Outcome{}, err
	}
	return m.Market.Preview(ctx, by, r)
}

func (m onSlurm) possible(c *trade.Command) error {
	switch {
	case c.Epoch != nil:
		if err := m.config.CheckPolicy(c.Epoch.Policy); err != nil {
			return &trade.FieldError{Field: "policy", Want: "one that Slurm can carry out: " + err.Error()}
		}
	case c.Submit != nil:
		return wholeJob(&c.Submit.Request)
	case c.Quote != nil:
		return wholeJob(&c.Quote.Request)
	}
	return nil
}

// wholeJob refuses an optional part: nobody on a Slurm node could tell it from
// the rest.
func wholeJob(r *trade.Request) error {
	if r.Optional != nil {
		return &trade.FieldError{Field: "optional", Want: "nothing: jobs with an optional part do not run on Slurm"}
	}
	return nil
}

// behindSlurm is the controller as the backend needs it.
type behindSlurm struct{ *controller.Controller }

var _ slurm.Fleet = behindSlurm{}

// Lose says that a node is gone.
func (f behindSlurm) Lose(ctx context.Context, node, why string) error {
	_, _, err := f.Do(ctx, trade.Command{
		By: trade.Identity{User: ownHand.User, Role: trade.RoleOwner}, Node: &trade.NodeChange{Node: node, Why: why},
	}, trade.Key{})
	return err
}

// Turn closes a node to new jobs, or opens it.
func (f behindSlurm) Turn(ctx context.Context, node string, door trade.Door, why string) error {
	_, _, err := f.Do(ctx, trade.Command{
		By: trade.Identity{User: ownHand.User, Role: trade.RoleOwner}, Node: &trade.NodeChange{Node: node, Door: door, Why: why},
	}, trade.Key{})
	return err
}

// slurmOptions say where the Slurm of a configuration is.
func slurmOptions(c *config.Config) client.Options {
	return client.Options{Rest: c.Slurm.Rest, TokenFile: c.Slurm.TokenFile, Conf: c.Slurm.Conf, DoorKey: c.Slurm.DoorKey, SystemUsers: c.Slurm.SystemUsers, Now: time.Now}
}

// startSlurm puts a backend between the market and its nodes.
func (s *service) startSlurm(ctx, run context.Context, c *config.Config, log *slog.Logger) error {
	batch, err := client.Open(ctx, slurmOptions(c))
	if err != nil {
		return fmt.Errorf("slurm: %w", err)
	}
	s.findings = survey.Inspect(ctx, &c.Slurm, batch)
	// This also waits until what nodes should be doing is known: a backend that
	// was told "nothing" would end what runs.
	epochs, err := s.market.Epochs(ctx)
	if err != nil {
		return err
	}
	if c.CheckPolicy(epochs[len(epochs)-1].Policy) != nil {
		other := *c
		other.Given.Policy = true // the one in force does not work there
		if err = s.adopt(ctx, &other); err != nil {
			return err
		}
	}
	s.backend, err = slurm.New(ctx, slurm.Config{
		Leads:     s.leads,
		Partition: c.Slurm.Partition, Control: slurm.Control(c.Slurm.Control), Now: time.Now, Log: log,
	}, behindSlurm{s.market.Controller}, batch, s.store)
	if err != nil {
		return err
	}
	s.backendEnded = make(chan struct{})
	go func() {
		s.backend.Run(run)
		close(s.backendEnded)
	}()
	return nil
}
