package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

func running() v1.Job {
	five := int64(5_000_000)
	return v1.Job{
		ID: 12, Owner: "alice", Account: "people/alice", Name: "simulate", State: v1.Running, Policy: "libra",
		Request: v1.Request{
			Argv: []string{"./simulate", "a b"}, Dir: "/home/alice", Output: "libra-%j.out", EstimateMS: 120_000, DeadlineMS: 600_000, Budget: &five,
			PenaltyMicros: 100_000, Soft: true, Tags: []string{"paper"},
		},
		SubmittedUS: micro(-2 * time.Minute), StartedUS: micro(-2 * time.Minute), DueUS: micro(8 * time.Minute), PromisedUS: micro(8 * time.Minute),
		Firm: true, Price: 1_250_000, Held: 5_000_000, Work: 48_000, Width: 2, Share: 0.4,
		Places: []v1.Place{{Node: "n1", Processor: 0}, {Node: "n2", Processor: 1}},
		Tasks: []v1.TaskStatus{
			{Job: 12, State: v1.TaskRunning, CPUUS: 48_000_000, PeakBytes: 100 << 20, DeclinedUS: 1_500_000},
			{Job: 12, Rank: 1, State: v1.TaskRefused, Error: "no such user"},
		},
		Extensions: []v1.Extension{{AtUS: micro(-time.Minute), WorkMS: 24_000, Price: 250_000}},
	}
}

func completed() v1.Job {
	j := running()
	j.ID, j.State, j.EndedUS, j.DueUS, j.Charged, j.Held, j.Penalty, j.Work = 11, v1.Completed, micro(-time.Minute), micro(-90*time.Second), 1_250_000, 0, 30_000, 120_000
	j.Tasks = []v1.TaskStatus{{Job: 11, State: v1.TaskEnded, CPUUS: 119_000_000, PeakBytes: 3 << 20}}
	j.Extensions[0].UsedMS = 1000
	j.Receipt = &v1.Receipt{
		Job: 11, Policy: "libra", Version: "1", Formula: "gamma E + delta E / D", Charged: 1_250_000, Penalty: 30_000, Net: 1_220_000, IssuedUS: micro(-time.Minute),
		Settings: []v1.Setting{{Name: "gamma", Value: "1"}}, Inputs: []v1.Input{{Name: "E", Value: 120, Unit: "s"}},
		Lines: []v1.ReceiptLine{{What: "runtime", Formula: "gamma E", Amount: 1_200_000}, {What: "urgency", Formula: "delta E / D", Amount: 50_000}},
	}
	return j
}

func TestJobs(t *testing.T) {
	f := newFloor()
	late, waits, bobs := running(), running(), running()
	late.ID, late.DueUS, late.Penalty, late.Name = 13, micro(-12*time.Second), 1_200_000, "a name that is much too long for a table"
	waits.ID, waits.State, waits.StartedUS, waits.DueUS, waits.Work = 14, v1.Queued, 0, 0, 0
	bobs.ID, bobs.Owner = 10, "bob"
	for _, j := range []v1.Job{late, waits, bobs, running(), completed()} {
		f.Put(j)
	}
	open(t, f, v1.RoleOwner)
	same(t, mustLibra(t, "jobs"), `
job  name                      state       share    progress    due in  price cr  cost cr  penalty cr
14   simulate                  queued          -  ..........         -      1.25        -           -
13   a name that is much too~  running    40.0 %  ####......  12s late      1.25     0.00        1.20
12   simulate                  running    40.0 %  ####......        8m      1.25     0.00           -
11   simulate                  completed       -  ##########  30s late      1.25     1.25        0.03
`)
	same(t, mustLibra(t, "jobs", "--all", "--state", "live", "--limit", "2"), `
job  user   name                      state     share    progress    due in  price cr  cost cr  penalty cr
14   alice  simulate                  queued        -  ..........         -      1.25        -           -
13   alice  a name that is much too~  running  40.0 %  ####......  12s late      1.25     0.00        1.20
... and older ones (--limit)
`)
	if q := f.queries[len(f.queries)-1]; q.Owner != "" || len(q.States) != 4 {
		t.Errorf("asked for %+v", q)
	}
	same(t, mustLibra(t, "jobs", "--state", "failed,lost"), "no jobs\n")
	var page v1.JobPage
	if err := json.Unmarshal([]byte(mustLibra(t, "jobs", "--user", "bob", "--json")), &page); err != nil || len(page.Jobs) != 1 || page.Jobs[0].Owner != "bob" {
		t.Errorf("%v: %+v", err, page)
	}
}

// More jobs than a server gives at a time are asked for page by page.
func TestJobsPageByPage(t *testing.T) {
	f := newFloor()
	for id := range int64(1100) {
		f.Put(v1.Job{ID: id + 1, Owner: "alice", State: v1.Completed})
	}
	open(t, f, v1.RoleUser)
	var page v1.JobPage
	if err := json.Unmarshal([]byte(mustLibra(t, "jobs", "--limit", "1050", "--json")), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Jobs) != 1050 || page.Jobs[1049].ID != 51 || page.Next != 51 {
		t.Errorf("%d jobs, the last is %d, next %d", len(page.Jobs), page.Jobs[len(page.Jobs)-1].ID, page.Next)
	}
}

func TestJob(t *testing.T) {
	f := newFloor()
	f.Put(running())
	f.Put(completed())
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "job", "12"), `
job           12
name          simulate
user          alice
account       people/alice
state         running
runs          ./simulate 'a b'
in            /home/alice
output        libra-12.out
estimate      2m
deadline      10m, soft
budget        5.00 cr
penalty rate  0.10 cr a second
tags          paper
submitted     11:58:00 (2m ago)
started       11:58:00 (2m ago)
due           12:08:00 (in 8m)
promised      12:08:00 (in 8m)
price         1.25 cr
held          5.00 cr
cost so far   0.00 cr
extended      24s at 11:59:00, 0.25 cr for all of it, 0s used
progress      ########............ 48s of 2m
share         40.0 % of 2 processors
on            n1: 0, n2: 1

rank  node  state                  cpu  memory  declined
0     n1    running                48s  100 MB        2s
1     n2    refused: no such user   0s       -        0s
`)
	out := mustLibra(t, "job", "11")
	_, end, found := strings.Cut(out, "\nrank")
	if !found || !strings.Contains(out, "charged       1.25 cr\npenalty       0.03 cr\nextended      24s at 11:59:00, 0.25 cr for all of it, 1s used\n") {
		t.Errorf("got\n%s", out)
	}
	same(t, end, `
  node  state     cpu  memory  declined
0     n1    exit 0  1m59s    3 MB        0s

receipt of 2126-11-15 11:59:00 UTC, by libra 1
  gamma E + delta E / D
    E      120 s
    gamma  1
                                     cr
  runtime            gamma E       1.20
  urgency            delta E / D   0.05
  charged                          1.25
  penalty paid back               -0.03
  net                              1.22
`[1:])
	if r := libra(t, "job", "99"); r.code != exitFailure || !strings.Contains(r.err, "99") {
		t.Errorf("%+v", r)
	}
}

func TestExplain(t *testing.T) {
	f := newFloor()
	f.Put(running())
	cancel := int64(500_000)
	f.explain = v1.Explanation{
		Job: 12, State: v1.Running, Summary: "runs with 40.0 % of a processor", Because: []string{"48s of 2m0s are done", "it is late"}, Share: 0.4, Need: 0.2,
		PredictedUS: micro(3 * time.Minute), DueUS: micro(8 * time.Minute), Odds: 0.97, OddsFrom: "212 promises, 206 kept", PenaltyNow: 100_000, CostNow: 1_250_000, CancelNow: &cancel,
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "explain", "12"), `
job 12 runs with 40.0 % of a processor
  - 48s of 2m0s are done
  - it is late
share           40.0 %
needs           20.0 %
due             12:08:00 (in 8m)
predicted       12:03:00 (in 3m)
odds            97.0 % that it is in time (212 promises, 206 kept)
costs           1.25 cr
if cancelled    0.50 cr
penalty so far  0.10 cr
`)

	f.explain.CancelNow = nil // a market of the first version: not a word is better than nothing to pay
	if out := mustLibra(t, "explain", "12"); strings.Contains(out, "if cancelled") {
		t.Error(out)
	}
	if out := mustLibra(t, "explain", "12", "--json"); strings.Contains(out, "cancel_micros") {
		t.Error(out)
	}
}

func TestCancel(t *testing.T) {
	f := newFloor()
	f.Put(running())
	open(t, f, v1.RoleUser)
	r := libra(t, "cancel", "12", "99")
	if r.code != exitFailure || r.out != "job 12 cancelled\n" || !strings.Contains(r.err, "99") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("%+v", r)
	}
	if id := f.last(t).Cancel.Job; id != 12 {
		t.Errorf("cancelled %d", id)
	}
	mustLibra(t, "quote", "-e", "1m")
	if out := mustLibra(t, "cancel", "q1"); out != "quote q1 is void\n" || f.last(t).Cancel.Quote != "q1" {
		t.Errorf("got %q", out)
	}
}

func TestNodes(t *testing.T) {
	f := newFloor()
	f.nodes = []v1.NodeView{
		{
			Node: "n1", Processors: 2, Rating: 0.95, MemoryMB: 4096, Limits: "cgroup v1", Missing: []string{"memory"}, Up: true, FreeMB: 3072,
			Loads: []v1.ProcessorView{
				{Share: 0.9, Kept: 0.6, Jobs: []v1.Tenant{{Job: 12, Owner: "alice", Name: "simulate", Share: 0.4}, {Job: 9, Owner: "bob", Share: 0.5}}}, {},
			},
		},
		{Node: "node2", Processors: 1, Rating: 1, MemoryMB: 1, Why: "not heard of", FreeMB: 99999, Loads: []v1.ProcessorView{{Share: 1, Kept: 1}}},
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "nodes"), `
n1  up: 2 processors, rating 0.95, 3,072 MB free, by cgroup v1, without memory
  0  ############======..   90.0 % given   60.0 % promised  12 simulate (alice, 40.0 %), 1 other
  1  ....................    0.0 % given    0.0 % promised
node2  down (not heard of): 1 processor, rating 1, 97.7 GB free
  0  ####################  100.0 % given  100.0 % promised
`)
}

func TestPrices(t *testing.T) {
	f := newFloor()
	f.prices = v1.Prices{
		Policy: "libra-plus", Settings: []v1.Setting{{Name: "alpha", Value: "1"}}, Rates: v1.Rates{Processor: 10_000, Memory: 1, DiskHour: 20_000}, Utilization: 0.45, Kept: 0.3,
		Processors: 3, Up: 2, Samples: []v1.PricePoint{
			{Factor: 1, DeadlineMS: 60_000, Refused: "cannot_meet_deadline"},
			{Factor: 2, DeadlineMS: 120_000, Price: 1_200_000},
			{Factor: 5, DeadlineMS: 300_000, Price: 800_000},
			{Factor: 8, DeadlineMS: 480_000, Price: 600_000, From: true},
		},
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "prices"), `
policy      libra-plus
  alpha     1
processor   36.00 cr an hour
memory      0.000001 cr a MB
disk        0.02 cr a GB and hour
processors  2 of 3 up
in use      #########........... 45.0 %
promised    ######.............. 30.0 %
kept        .................... 0.0 % by 0 quotes

a minute on one processor:
deadline  x estimate                  price cr  an hour
      1m        1.00  no: cannot_meet_deadline
      2m        2.00                      1.20    72.00  ########################
      5m        5.00                      0.80    48.00  ################........
      8m        8.00                 from 0.60    36.00  ############............
`)
}

func TestReport(t *testing.T) {
	f := newFloor()
	f.tally = v1.Tally{
		Submitted: 100, Accepted: 80, Rejected: 20, Completed: 70, Failed: 2, Stopped: 2, Lost: 1, Cancelled: 1, Underway: 4, Promised: 70, Kept: 68, Missed: 2,
		Revenue: 1_123_450_000, Penalties: 1_000_000, Net: 1_122_450_000, Rent: 12_345, Offered: 4_000_000_000, Bound: 1_500_000_000,
		BoundHow: "the best admission of two classes", Used: 12345, Utilized: 0.61,
		Reasons: map[string]int64{"cannot_meet_deadline": 15, "cannot_meet_budget": 5},
	}
	open(t, f, v1.RoleOwner)
	same(t, mustLibra(t, "report", "--from", "2126-11-01", "--to", "2126-11-15T11:30:00Z"), `
2126-11-01 to 2126-11-15 11:30:00 UTC

jobs                              100
  accepted                         80  80.0 %
  refused                          20  20.0 %
    cannot_meet_budget              5   5.0 %
    cannot_meet_deadline           15  15.0 %
  completed                        70  70.0 %
  failed                            2   2.0 %
  stopped                           2   2.0 %
  cancelled                         1   1.0 %
  lost                              1   1.0 %
  under way                         4   4.0 %
promises                           70
  kept                             68  97.1 %
  missed                            2   2.9 %
revenue                   1,123.45 cr
  penalties paid             -1.00 cr
  net                     1,122.45 cr
rent of quotes not taken      0.01 cr
income                    1,122.46 cr
offered by all who came   4,000.00 cr  28.1 %
bound on revenue          1,500.00 cr  74.8 %
work sold                    12,345 s  61.0 %

the bound: the best admission of two classes
`)
	if out := mustLibra(t, "report"); !strings.HasPrefix(out, "2126-11-01 to 2126-12-01 UTC\n") {
		t.Errorf("got %q", out)
	}
}

func TestAccounts(t *testing.T) {
	f := newFloor()
	limit := int64(500_000_000)
	f.accounts = []v1.Account{
		{Path: "lab", Free: 1_100_000_000, Limit: &limit, Spent: 20_000_000, Used: 25_000_000, Users: []string{"pi", "bob"}},
		{Path: "lab-b"},
		{Path: "lab/alice", Free: 12_500_000, Held: 5_000_000, Spent: 20_000_000},
		{Path: "lab/bob", Closed: true, Credit: 1_000_000},
		{Path: "x/y"},
	}
	open(t, f, v1.RoleOwner)
	same(t, mustLibra(t, "account"), `
account   free cr  held  spent  of limit   limit  credit   bound
lab      1,100.00  0.00  20.00     25.00  500.00       -  pi,bob
  alice     12.50  5.00  20.00         -       -       -       -
  bob        0.00  0.00   0.00         -       -    1.00       -  closed
lab-b        0.00  0.00   0.00         -       -       -       -
x/y          0.00  0.00   0.00         -       -       -       -
`)
	// A narrow terminal shows the tree all the same, and a very narrow one what is below what.
	t.Setenv("NO_COLOR", "1")
	same(t, strings.Join(onTerminalOf(t, 50, "account"), "\n")+"\n", `
account   free cr  held  spent   bound
lab      1,100.00  0.00  20.00  pi,bob
  alice     12.50  5.00  20.00       -
  bob        0.00  0.00   0.00       -  closed
lab-b        0.00  0.00   0.00       -
x/y          0.00  0.00   0.00       -
`)
	if got := strings.Join(onTerminalOf(t, 30, "account"), "\n"); !strings.Contains(got, "\n  alice\n    free cr 12.50  held 5.00\n") {
		t.Errorf("30 columns:\n%s", got)
	}
}

// What comes by itself is shown where something does.
func TestAccountsWithAllowances(t *testing.T) {
	f := newFloor()
	f.accounts = []v1.Account{
		{Path: "people", Allowance: 5_000_000, AllowanceMS: 86_400_000, AllowanceMost: 15_000_000, AllowanceUS: micro(time.Hour), AllowanceEach: true},
		{Path: "people/alice", Free: 5_000_000, Allowance: 5_000_000, AllowanceMS: 86_400_000, AllowanceMost: 15_000_000, AllowanceUS: micro(time.Hour), Users: []string{"alice"}},
	}
	open(t, f, v1.RoleOwner)
	same(t, mustLibra(t, "account"), `
account  free cr  held  spent  of limit  limit  credit  bound                                                    allowance
people      0.00  0.00   0.00         -      -       -      -  each below it: 5.00 every 24h up to 15.00, next at 13:00:00
  alice     5.00  0.00   0.00         -      -       -  alice                 5.00 every 24h up to 15.00, next at 13:00:00
`)
	for _, args := range []string{"allow people 0", "allow people 5 --most 4", "allow people 5 --most x", "allow people no"} {
		if r := libra(t, append([]string{"account"}, strings.Fields(args)...)...); r.code != exitUsage {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

func TestAccountChanges(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleOwner)
	same(t, mustLibra(t, "account", "people/bob"), `
account     free cr  held  spent  of limit  limit  credit  bound
people/bob   100.00  0.00   0.00         -      -       -      -
`)
	for _, c := range []struct {
		args, out string
		want      trade.MoneyCommand
	}{
		{"open lab/erin", "lab/erin: 0.00 cr free, 0.00 cr held; nobody is bound to it yet: libra account bind USER lab/erin\n", trade.MoneyCommand{Op: "open", To: "lab/erin"}},
		{"open lab/carol --user carol", "lab/carol: 0.00 cr free, 0.00 cr held; bound to it: carol\n", trade.MoneyCommand{Op: "open", To: "lab/carol", User: "carol"}},
		{"bind dave lab/carol --below --first", "lab/carol: 0.00 cr free, 0.00 cr held; bound to it: carol, dave\n", trade.MoneyCommand{Op: "bind", To: "lab/carol", User: "dave", Below: true, First: true}},
		{"unbind carol lab/carol", "lab/carol: 0.00 cr free, 0.00 cr held; bound to it: dave\n", trade.MoneyCommand{Op: "unbind", To: "lab/carol", User: "carol"}},
		{"grant lab/carol 12.5 --memo winter", "lab/carol: 12.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "grant", To: "lab/carol", Amount: 12_500_000, Memo: "winter"}},
		{"transfer people/bob 2.5", "people/alice: 97.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "transfer", From: "people/alice", To: "people/bob", Amount: 2_500_000}},
		{"transfer people/bob 1 --from lab/carol", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "transfer", From: "lab/carol", To: "people/bob", Amount: 1_000_000}},
		{"limit lab/carol 500", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "limit", To: "lab/carol", Amount: 500_000_000}},
		{"limit lab/carol none", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "limit", To: "lab/carol", None: true}},
		{"credit lab/carol 5", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "credit", To: "lab/carol", Amount: 5_000_000}},
		{"allow lab/carol 5 --every 12h --most 20 --each --welcome", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "allow", To: "lab/carol", Amount: 5_000_000, EveryUS: 12 * 3600e6, Most: 20_000_000, Each: true, Welcome: true}},
		{"allow lab/carol 5", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "allow", To: "lab/carol", Amount: 5_000_000, EveryUS: 24 * 3600e6, Most: 5_000_000}},
		{"allow lab/carol none", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "allow", To: "lab/carol"}},
		{"close lab/carol", "lab/carol: 11.50 cr free, 0.00 cr held\n", trade.MoneyCommand{Op: "close", To: "lab/carol"}},
	} {
		out := mustLibra(t, append([]string{"account"}, strings.Fields(c.args)...)...)
		if out != c.out || *f.last(t).Money != c.want {
			t.Errorf("account %s: got %q, %+v\nwant %q, %+v", c.args, out, *f.last(t).Money, c.out, c.want)
		}
	}
	// Too little money is the market's no.
	if r := libra(t, "account", "transfer", "people/bob", "1000"); r.code != exitRefused || !strings.Contains(r.err, "insufficient_funds") {
		t.Errorf("%+v", r)
	}
}

func TestStatement(t *testing.T) {
	f := newFloor()
	f.book = ledger.Statement{
		Account: "people/alice", Opening: 10 * market.Unit, Closing: 18_748_972, Held: 5 * market.Unit,
		Lines: []ledger.Line{
			{Seq: 1, At: micro(-time.Hour), Kind: ledger.KindGrant, Job: ledger.NoJob, Memo: "winter", Amount: 10 * market.Unit, Balance: 20 * market.Unit},
			{Seq: 2, At: micro(-time.Minute), Kind: ledger.KindCharge, Job: 11, Amount: -1_250_000, Balance: 18_750_000},
			{Seq: 3, At: micro(-time.Second), Kind: ledger.KindRent, Job: ledger.NoJob, Quote: "q12", Memo: "rent of quote q12, not taken: 0.5 * 0.01 * 12.345678 s / 60 s", Amount: -1_028, Balance: 18_748_972},
		},
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "statement", "--month", "2126-11", "--subtree"), `
people/alice and all below it, 2126-11-01 to 2126-12-01 UTC

when (UTC)           what           job  memo                                                           amount cr  balance cr
                     opening                                                                                            10.00
2126-11-15 11:00:00  grant               winter                                                             10.00       20.00
2126-11-15 11:59:00  charge         11                                                                      -1.25       18.75
2126-11-15 11:59:59  rent           q12  rent of quote q12, not taken: 0.5 * 0.01 * 12.345678 s / 60 s     >-0.01       18.75
                     closing                                                                                            18.75
                     of which held                                                                                       5.00
`)
	path := t.TempDir() + "/november.csv"
	mustLibra(t, "statement", "--csv", path)
	if text := read(t, path); !strings.HasPrefix(text, "date,kind,job,memo,amount,balance\n") || strings.Count(text, "\n") != 6 {
		t.Errorf("got %q", text)
	}
	if out := mustLibra(t, "statement", "--focus", "-", "--from", "2126-11-01"); !strings.HasPrefix(out, "BilledCost,") {
		t.Errorf("got %q", out)
	}
}

func TestTokens(t *testing.T) {
	open(t, newFloor(), v1.RoleOwner)
	same(t, mustLibra(t, "token", "list"), `
token             user   role   name  made      good
0123456789abcdef  alice  owner  test  11:00:00  for ever
`)
	r := libra(t, "token", "create", "--user", "bob", "--name", "ci", "--ttl", "12h")
	if r.code != exitOK || !strings.HasPrefix(r.out, "libra_") || strings.Count(r.out, "\n") != 1 || !strings.Contains(r.err, "of bob (user), good until 2126-11-16 00:00:00") {
		t.Errorf("%+v", r)
	}
	var list v1.TokenList
	if err := json.Unmarshal([]byte(mustLibra(t, "token", "list", "--all", "--json")), &list); err != nil || len(list.Tokens) != 2 {
		t.Fatalf("%v: %+v", err, list)
	}
	for _, token := range list.Tokens {
		if token.User == "bob" {
			if out := mustLibra(t, "token", "revoke", token.ID); out != "token "+token.ID+" is void\n" {
				t.Errorf("got %q", out)
			}
		}
	}
	if out := mustLibra(t, "token", "list", "--user", "bob"); !strings.Contains(out, "revoked 12:00:00") {
		t.Errorf("got %q", out)
	}
}

func TestLedgerVerify(t *testing.T) {
	f := newFloor()
	f.verified = v1.Verified{Transactions: 1234, Entries: 1, Head: "abc"}
	open(t, f, v1.RoleOwner)
	same(t, mustLibra(t, "ledger", "verify"), "1,234 transactions, 1 entry: all is right\nhead abc\n")
	f.verified.Problem = "transaction 7: its hash is wrong"
	r := libra(t, "ledger", "verify", "--json")
	if r.code != exitFailure || r.err != "libra: the ledger is wrong: transaction 7: its hash is wrong\n" || !strings.Contains(r.out, `"problem"`) {
		t.Errorf("%+v", r)
	}
}

// The elements of an array are a table, and where there are many those that failed are
// in it.
func TestElementsAreATable(t *testing.T) {
	still(t)
	zero, four := 0, 4
	all := []v1.Element{
		{Index: 1, State: v1.ElementCompleted, Exit: &zero, StartedUS: micro(0), EndedUS: micro(90 * time.Second), Node: "n1", Output: "libra-12.out"},
		{Index: 2, State: v1.ElementFailed, Exit: &four, Node: "n2", Output: "libra-12.out"},
		{Index: 3, State: v1.ElementRunning, StartedUS: micro(-5 * time.Second), Node: "n1"},
		{Index: 4, State: v1.ElementWaiting},
	}
	var out strings.Builder
	if err := printElements(&out, all); err != nil {
		t.Fatal(err)
	}
	same(t, out.String(), `

elements: 1 completed, 1 failed, 1 running, 1 waiting
element  state      exit  started   took   node  output
1        completed  0     12:00:00  1m30s  n1    libra-12.out
2        failed     4     -         -      n2    libra-12.out
3        running    -     11:59:55  5s     n1
4        waiting    -     -         -
`)
	for i := 5; i <= 1000; i++ {
		all = append(all, v1.Element{Index: i, State: v1.ElementCompleted})
	}
	all[999].State = v1.ElementFailed
	out.Reset()
	if err := printElements(&out, all); err != nil || !strings.Contains(out.String(), "\n1000     failed") || !strings.HasSuffix(out.String(), "... and 900 elements more (--json has all)\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// What was sent to others is not what was spent, and is shown where something was.
func TestAccountsThatSent(t *testing.T) {
	f := newFloor()
	f.accounts = []v1.Account{
		{Path: "lab", Free: 100_000_000, Spent: 20_000_000, Sent: 7_500_000, Used: 27_500_000},
		{Path: "lab/alice", Free: 12_500_000, Held: 5_000_000, Spent: 20_000_000},
	}
	open(t, f, v1.RoleOwner)
	same(t, mustLibra(t, "account"), `
account  free cr  held  spent  sent  of limit  limit  credit  bound
lab       100.00  0.00  20.00  7.50         -      -       -      -
  alice    12.50  5.00  20.00  0.00         -      -       -      -
`)
	t.Setenv("NO_COLOR", "1")
	same(t, strings.Join(onTerminalOf(t, 50, "account"), "\n")+"\n", `
account  free cr  held  spent  sent  limit  bound
lab       100.00  0.00  20.00  7.50      -      -
  alice    12.50  5.00  20.00  0.00      -      -
`)
	if got := mustLibra(t, "account", "--format", "account,sent"); !strings.Contains(got, "7.50") {
		t.Errorf("got %s", got)
	}
}
