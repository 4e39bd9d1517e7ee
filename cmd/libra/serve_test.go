package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/wire"
)

// TestServeStartsAfterAnEpochByTheAPI: the policy was changed while the market
// ran, to one whose jobs the file's cannot take over. It starts with the same file
// and goes on as it was.
func TestServeStartsAfterAnEpochByTheAPI(t *testing.T) {
	c := config.Default()
	c.Listen, c.Store = "127.0.0.1:0", filepath.Join(t.TempDir(), "market.db")
	s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	node := task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1000, DiskMB: 1000, Boot: "b", Limits: "cgroup v2", Missing: []string{}}
	job := v1.Request{Argv: []string{"w"}, EstimateMS: 3_600_000, Account: "al"}
	if _, err := s.market.Hello(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []trade.Command{
		{Money: &trade.MoneyCommand{Op: "open", To: "al"}},
		{Money: &trade.MoneyCommand{Op: "grant", To: "al", Amount: 1e15}},
		{Epoch: wire.ToEpoch(&v1.Epoch{Policy: "fcfs-bf"})},
		{Submit: wire.ToSubmit(&v1.SubmitRequest{Request: job})},
	} {
		cmd.By = ownHand
		if o, _, err := s.market.Do(t.Context(), cmd, api.Key{}); err != nil || o.Refusal != nil {
			t.Fatalf("%+v: %+v, %v", cmd, o.Refusal, err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	said := served(t, "--config", file(t, "libra.yaml", "listen: 127.0.0.1:0\npolicy: libra\nstore: "+c.Store+"\n"))
	if !strings.Contains(said, "the market goes on as it was") {
		t.Error(said)
	}
}

// served starts libra serve, ends it when it serves, and is what it said.
func served(t *testing.T, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said, says := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--socket", "none"}, args...), strings.NewReader(""), io.Discard, says)
		says.Close()
	}()
	var text strings.Builder
	for lines := bufio.NewScanner(said); lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "serving the market") {
			stop()
		}
	}
	if code := <-ended; ctx.Err() == nil || code != exitOK {
		t.Errorf("serve %v: exit code %d: %s", args, code, text.String())
	}
	return text.String()
}

// A restart changes what is named, and nothing else: least of all a price.
func TestARestartChangesWhatIsNamed(t *testing.T) {
	noContext(t)
	c := config.Default()
	c.Listen, c.Store = "127.0.0.1:0", filepath.Join(t.TempDir(), "market.db")
	flags := func(more ...string) []string {
		return append([]string{"--listen", c.Listen, "--store", c.Store}, more...)
	}
	text := "listen: 127.0.0.1:0\nstore: " + c.Store + "\n"
	for _, step := range []struct {
		args                        []string
		policy, rate, gamma, unused string
	}{
		{flags("--rate", "3.6", "--set", "gamma=2"), "libra", "3.6", "2", "0.25"},
		{flags("--policy", "libra"), "libra", "3.6", "2", "0.25"},
		{flags("--set", "unused=0.3"), "libra", "3.6", "2", "0.3"},
		{flags("--rate", "5"), "libra", "5", "2", "0.3"},
		{[]string{"--config", file(t, "bare.yaml", text)}, "libra", "5", "2", "0.3"},
		{[]string{"--config", file(t, "dear.yaml", text+"rates: {processor_hour: 7}\n")}, "libra", "7", "2", "0.3"},
		{flags("--policy", "fcfs-bf"), "fcfs-bf", "7", "", "0.3"},
		// Settings of a file are those of its policy, the default one too; they are all.
		{[]string{"--config", file(t, "tuned.yaml", text+"settings: {gamma: \"3\"}\n")}, "libra", "7", "3", "0.25"},
	} {
		served(t, step.args...)
		s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			t.Fatal(err)
		}
		epochs, err := s.market.Epochs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := epochs[len(epochs)-1]
		set := map[string]string{}
		for _, one := range now.Settings {
			set[one.Name] = one.Value
		}
		rate := market.Money(now.Rates.ProcessorHour).String()
		if now.Policy != step.policy || rate != step.rate || set["gamma"] != step.gamma || set["unused"] != step.unused {
			t.Errorf("after serve %v: %s at %s, gamma %q, unused %q", step.args, now.Policy, rate, set["gamma"], set["unused"])
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// An empty store where the token of an owner is left of a market is not made a new one.
func TestServeKnowsItsMarket(t *testing.T) {
	noContext(t)
	dir := t.TempDir()
	token := filepath.Join(dir, "owner.token")
	if err := os.WriteFile(token, []byte("libra_of_another_market\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := libra(t, "serve", "--listen", "127.0.0.1:0", "--socket", "none", "--store", filepath.Join(dir, "libra.db"), "--owner-token-file", token)
	if r.code != exitFailure || !strings.Contains(r.err, "the store is damaged: it is empty") || !strings.Contains(r.err, "remove "+token) {
		t.Errorf("exit code %d, said %q", r.code, r.err)
	}
}
