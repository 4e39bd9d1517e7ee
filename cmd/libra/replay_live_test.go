package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/wire"
)

// testService is a whole service with one node of one processor that the test
// plays, and a user with money.
func testService(t *testing.T, policy string) *service {
	t.Helper()
	c := config.Default()
	c.Store = filepath.Join(t.TempDir(), "libra.db")
	c.Listen, c.Policy, c.Lease = "127.0.0.1:0", policy, 0
	c.Settings = map[string]string{"unused": "1"} // a job that the test ends at once cannot have used much
	s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	hello := task.Hello{Node: "n", Processors: 1, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b"}
	if _, err := s.market.Hello(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab/alice", User: "alice"}, {Op: "grant", To: "lab/alice", Amount: int64(1000 * market.Unit)}} {
		if _, _, err := s.market.Do(t.Context(), trade.Command{By: ownHand, Money: &m}, api.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// lived gives a market a past: three jobs that ran, one that was refused.
func lived(t *testing.T, s *service) {
	t.Helper()
	budget := int64(50 * market.Unit)
	for i, deadline := range []int64{60_000, 60_000, 60_000, 2_000} {
		o, _, err := s.market.Do(t.Context(), trade.Command{
			By: trade.Identity{User: "alice", Role: trade.RoleUser},
			Submit: wire.ToSubmit(&v1.SubmitRequest{Request: v1.Request{
				Argv: []string{"true"}, EstimateMS: 10_000, DeadlineMS: deadline, Budget: &budget,
			}}),
		}, api.Key{})
		if err != nil {
			t.Fatal(err)
		}
		if (o.Refusal != nil) != (i == 3) {
			t.Fatalf("job %d: %+v", i, o.Refusal)
		}
		if o.Refusal != nil {
			continue
		}
		ended := task.Status{Key: task.Key{Job: o.Job.ID}, State: task.Ended, CPUUS: 10_000_000}
		if _, err := s.market.Report(t.Context(), task.Report{Node: "n", Tasks: []task.Status{ended}}); err != nil {
			t.Fatal(err)
		}
	}
}

// The running market's own history, replayed: what was is what was billed.
func TestReplayOfTheLiveHistory(t *testing.T) {
	s := testService(t, "libra")
	lived(t, s)
	token, err := s.makeToken(t.Context(), "root", v1.RoleOwner, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIBRA_SERVER", s.url())
	t.Setenv("LIBRA_TOKEN", token)
	var out, complaints bytes.Buffer
	if code := run(t.Context(), []string{"replay", "live", "--policy", "libra-plus", "--json"}, strings.NewReader(""), &out, &complaints); code != 0 {
		t.Fatalf("exit %d: %s", code, complaints.String())
	}
	var answer replayAnswer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	want := 3 * (10 + 10.0/60)
	if b := answer.Before; b.Jobs != 4 || b.Satisfied != 3 || b.Revenue < want-1e-4 || b.Revenue > want+1e-4 || answer.Nodes != 1 {
		t.Errorf("what was: %+v on %d nodes, want a revenue of %v", b, answer.Nodes, want)
	}
	if len(answer.After) != 1 || answer.After[0].Jobs != 4 {
		t.Errorf("%+v", answer.After)
	}
}

// A job that was refused because nobody could pay for it is nobody's income under
// another policy either, nor is one that the account could never have paid.
func TestReplayPaysWithTheMoneyThatIsThere(t *testing.T) {
	s := testService(t, "libra")
	lived(t, s)
	for _, r := range []v1.Request{
		{Argv: []string{"true"}, EstimateMS: 1e9},                      // 1000 units are not enough
		{Argv: []string{"true"}, EstimateMS: 1e9, DeadlineMS: 100_000}, // nor would they have been for this one
	} {
		o, _, err := s.market.Do(t.Context(), trade.Command{By: trade.Identity{User: "alice", Role: trade.RoleUser}, Submit: wire.ToSubmit(&v1.SubmitRequest{Request: r})}, api.Key{})
		if err != nil || o.Refusal == nil {
			t.Fatalf("%+v, %v", o, err)
		}
	}
	token, err := s.makeToken(t.Context(), "root", v1.RoleOwner, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIBRA_SERVER", s.url())
	t.Setenv("LIBRA_TOKEN", token)
	var out, complaints bytes.Buffer
	if code := run(t.Context(), []string{"replay", "live", "--policy", "fifo", "--json"}, strings.NewReader(""), &out, &complaints); code != 0 {
		t.Fatalf("exit %d: %s", code, complaints.String())
	}
	var answer replayAnswer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	after := answer.After[0]
	if answer.Unfunded != 1 || after.Jobs != 5 || after.Unpaid != 1 || after.Revenue > 1000 {
		t.Errorf("left out %d, not paid %d, revenue %v of %d jobs", answer.Unfunded, after.Unpaid, after.Revenue, after.Jobs)
	}
	out.Reset()
	if code := run(t.Context(), []string{"replay", "live", "--policy", "fifo"}, strings.NewReader(""), &out, &complaints); code != 0 ||
		!strings.Contains(out.String(), "left out: 1 job") || !strings.Contains(out.String(), "not counted: 1 job") {
		t.Errorf("exit %d: %s", code, out.String())
	}
	same, err := s.whatIf(t.Context(), "libra", nil, v1.Rates{Processor: int64(market.Unit)})
	if err != nil || same.LeftOut != 1 || same.Revenue > int64(1000*market.Unit) {
		t.Errorf("%+v, %v", same, err)
	}
}

// The same levers bring the same; a price ten times as high is felt.
func TestWhatIf(t *testing.T) {
	s := testService(t, "libra")
	lived(t, s)
	rates := v1.Rates{Processor: int64(market.Unit)}
	same, err := s.whatIf(t.Context(), "libra", nil, rates)
	if err != nil {
		t.Fatal(err)
	}
	if same.Jobs != 4 || same.Revenue != same.RevenueBefore || same.Accepted != same.AcceptedBefore || same.UsersWorse != 0 || same.UsersBetter != 0 {
		t.Errorf("the same levers: %+v", same)
	}
	// What they brought in fact is what the report of the owner says.
	report, err := s.market.Tally(t.Context(), same.FromUS, same.ToUS)
	if err != nil || same.Brought == 0 || same.Brought != report.Net {
		t.Errorf("they brought %d, and the report says %d (%v)", same.Brought, report.Net, err)
	}
	dear, err := s.whatIf(t.Context(), "libra", map[string]string{"gamma": "2"}, rates)
	if err != nil {
		t.Fatal(err)
	}
	if dear.Revenue <= dear.RevenueBefore || dear.UsersWorse != 1 {
		t.Errorf("twice the price: %+v", dear)
	}
	if _, err := s.whatIf(t.Context(), "nothing", nil, rates); err == nil {
		t.Error("an unknown policy was tried")
	}
}
