package main

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/slurm/limit"
)

// A QOS is Slurm's: a market that runs its jobs itself passes the name over, and says so.
func TestAQOSIsSlurms(t *testing.T) {
	c := config.Default()
	c.Store, c.Listen = filepath.Join(t.TempDir(), "libra.db"), "127.0.0.1:0"
	s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() })
	for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab", User: "alice"}, {Op: "grant", To: "lab", Amount: int64(market.Unit)}} {
		if _, _, err = s.market.Do(t.Context(), trade.Command{By: ownHand, Money: &m}, api.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	alice := trade.Identity{User: "alice", Role: trade.RoleUser}
	r := trade.Request{EstimateMS: 1000, Argv: []string{"true"}, Dir: "/", QOS: "high", Hold: true}
	o, _, err := byAgents{s.market}.Do(t.Context(), trade.Command{By: alice, Submit: &trade.Submit{Request: r}}, api.Key{})
	if err != nil || o.Job == nil || o.Job.Request.QOS != "" {
		t.Errorf("%+v, %v", o.Job, err)
	}
	if o, _, err = s.market.Do(t.Context(), trade.Command{By: alice, Submit: &trade.Submit{Request: r}}, api.Key{}); err != nil || o.Job == nil || o.Job.Request.QOS != "high" {
		t.Errorf("one of Slurm's: %+v, %v", o.Job, err)
	}
	var said strings.Builder
	con := console{err: &said}
	con.passedOver(&v1.Request{QOS: "high"}, &v1.Request{})
	if !strings.Contains(said.String(), "QOS high: this market runs its jobs itself") {
		t.Errorf("%q", said.String())
	}
	for _, c := range []trade.Command{{Submit: &trade.Submit{Request: trade.Request{QOS: "HIGH"}}}, {Quote: &trade.AskQuote{Request: trade.Request{QOS: "High"}}}, {}} {
		if nameQOS(&c, strings.ToLower); c.Submit != nil && c.Submit.Request.QOS != "high" || c.Quote != nil && c.Quote.Request.QOS != "high" {
			t.Errorf("%+v", c)
		}
	}
	if err := noSuchQOS(&limit.Excess{Field: limit.NamesQOS, Detail: "another"}); err == nil || err.Error() != "qos: want another" || noSuchQOS(nil) != nil || noSuchQOS(&limit.Excess{Field: "gpus"}) != nil {
		t.Error(err)
	}
}

// What sbatch takes for a QOS, libra sbatch does: of the command line, of the script, of the environment.
func TestSbatchSaysAQOS(t *testing.T) {
	script := file(t, "job.sh", "#!/bin/sh\n#SBATCH -q low\ntrue\n")
	for want, args := range map[string][]string{
		"low": {script}, "high": {"--qos=HIGH", script}, "fast": {"-q", "fast", "--wrap", "true"}, "": {"--qos=", "--wrap", "true"},
	} {
		f := newFloor()
		f.prices.Runs = "slurm"
		open(t, f, v1.RoleUser)
		mustLibra(t, append([]string{"sbatch", "-t", "1", "-Q"}, args...)...)
		if got := f.last(t).Submit.Request.QOS; got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
	f := newFloor()
	open(t, f, v1.RoleUser)
	t.Setenv("SBATCH_QOS", "high")
	mustLibra(t, "sbatch", "-t", "1", "-Q", script)
	if got := f.last(t).Submit.Request.QOS; got != "high" {
		t.Errorf("of the environment: %q", got)
	}
	if r := libra(t, "sbatch", "-t", "1", "--qos=a,b", "--wrap", "true"); r.code != exitFailure || !strings.Contains(r.err, "Invalid qos specification") {
		t.Errorf("%+v", r)
	}
}
