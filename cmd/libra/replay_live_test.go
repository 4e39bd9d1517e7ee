package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/wire"
)

// testService is a whole service with one node of one processor that the test
// plays, and a user with money.
func testService(t *testing.T, policy string) *service {
	t.Helper()
	return testServiceOn(t, policy, config.Rates{}, task.Hello{Node: "n", Processors: 1, Rating: 1})
}

// testServiceOn is one at some rates, with nodes that the test plays.
func testServiceOn(t *testing.T, policy string, rates config.Rates, nodes ...task.Hello) *service {
	t.Helper()
	c := config.Default()
	c.Rates.Partitions, c.Rates.Partition = rates.Partitions, rates.Partition
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
	for _, hello := range nodes {
		hello.Speed, hello.MemoryMB, hello.DiskMB, hello.Boot = hello.Rating, 1<<20, 1<<20, "b"
		if _, err := s.market.Hello(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
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

// Under the policy that was in force each job costs in the replay what it has cost in the
// market, to the micro: in its partition, at its factor, on nodes as fast as they are.
func TestReplayInPartitions(t *testing.T) {
	amount := func(text string) config.Amount {
		m, err := market.ParseMoney(text)
		if err != nil {
			t.Fatal(err)
		}
		return config.Amount(m)
	}
	rates := config.Rates{Partitions: map[string]config.Amount{"batch": amount("1"), "fast": amount("2.5"), "old": amount("0.333333")}, Partition: "batch"}
	for _, policy := range []string{"libra", "libra-plus", "libra-sla", "going-rate", "first-price"} {
		t.Run(policy, func(t *testing.T) {
			s := testServiceOn(t, policy, rates,
				task.Hello{Node: "b", Processors: 2, Rating: 1, Partition: "batch"},
				task.Hello{Node: "f", Processors: 1, Rating: 1.75, Partition: "fast"},
				task.Hello{Node: "o", Processors: 1, Rating: 0.9, Partition: "old"})
			charged := map[string]market.Money{}
			for i, in := range []string{"", "fast", "old", "fast"} { // the last is refused: it would be dearer than its budget
				budget := int64([]market.Money{60, 60, 60, 5}[i] * market.Unit)
				o, _, err := s.market.Do(t.Context(), trade.Command{
					By: trade.Identity{User: "alice", Role: trade.RoleUser},
					Submit: wire.ToSubmit(&v1.SubmitRequest{Request: v1.Request{
						Argv: []string{"true"}, EstimateMS: 10_007, DeadlineMS: 61_000, Budget: &budget, Partition: in,
					}}),
				}, api.Key{})
				if err != nil {
					t.Fatal(err)
				}
				if (o.Refusal != nil) != (i == 3) {
					t.Fatalf("job %d: %+v", i, o)
				}
				if o.Refusal != nil {
					charged[strconv.FormatInt(o.Refusal.Job, 10)] = 0
					continue
				}
				node := map[string]string{"": "b", "fast": "f", "old": "o"}[in]
				ended := task.Status{Key: task.Key{Job: o.Job.ID}, State: task.Ended, CPUUS: 10_007_000}
				if _, err = s.market.Report(t.Context(), task.Report{Node: node, Tasks: []task.Status{ended}}); err != nil {
					t.Fatal(err)
				}
				j, err := s.market.Job(t.Context(), o.Job.ID)
				if err != nil || !j.State.Final() {
					t.Fatalf("%+v, %v", j, err)
				}
				charged[strconv.FormatInt(j.ID, 10)] = market.Money(j.Charged)
			}
			for id, paid := range replayedAmounts(t, s) {
				if paid != charged[id] {
					t.Errorf("job %s was charged %s, and is replayed at %s", id, charged[id].Exact(), paid.Exact())
				}
			}
			token, err := s.makeToken(t.Context(), "root", v1.RoleOwner, "test")
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("LIBRA_SERVER", s.url())
			t.Setenv("LIBRA_TOKEN", token)
			var out, complaints bytes.Buffer
			var answer replayAnswer
			code := run(t.Context(), []string{"replay", "live", "--policy", policy, "--json"}, strings.NewReader(""), &out, &complaints)
			if err := json.Unmarshal(out.Bytes(), &answer); code != 0 || err != nil || math.Abs(answer.Before.Revenue-answer.After[0].Revenue) > 1e-9 || answer.Before.Revenue == 0 || answer.Nodes != 4 {
				t.Errorf("exit %d, %v: %s%s", code, err, out.String(), complaints.String())
			}
			if code := run(t.Context(), []string{"replay", "live", "--policy", policy, "--nodes", "3"}, strings.NewReader(""), &out, &complaints); code != exitUsage || !strings.Contains(complaints.String(), "batch, fast, old") {
				t.Errorf("exit %d: %s", code, complaints.String())
			}
		})
	}
}

// replayedAmounts are what the jobs of a market cost when they are run again on its terms.
func replayedAmounts(t *testing.T, s *service) map[string]market.Money {
	t.Helper()
	nodes, err := s.market.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	epochs, err := s.market.Epochs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	force := epochs[len(epochs)-1]
	ground := replay.GroundOf(nodes, force.Rates)
	past, err := replay.Remember(t.Context(), func(ctx context.Context, after int64) ([]v1.Job, error) { return s.market.History(ctx, after, 100) }, ground)
	if err != nil {
		t.Fatal(err)
	}
	history := replay.History{
		Arrivals: past.Arrivals, Nodes: ground.Processors, Cluster: ground.Cluster, Partitions: ground.Partitions, Rate: trade.Rates(force.Rates).Base().Processor,
	}
	course, err := history.Run(t.Context(), force.Policy, settingsMap(force.Settings))
	if err != nil {
		t.Fatal(err)
	}
	paid := map[string]market.Money{}
	for i, f := range course.Fates {
		m, err := market.Price(f.Paid).Money()
		if err != nil {
			t.Fatal(err)
		}
		paid[past.Arrivals[i].Job.Name] = m
	}
	return paid
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
