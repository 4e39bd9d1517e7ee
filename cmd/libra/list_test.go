package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
)

// What --limit leaves of a list that is sorted are the first of all jobs, not of the newest.
func TestASortedListIsSortedBeforeItIsCut(t *testing.T) {
	f := newFloor()
	for i := range int64(600) { // more than a server gives at a time
		j := completed()
		j.ID, j.Price = i+1, 1_000_000
		if i == 3 {
			j.Price = 9_000_000
		}
		f.Put(j)
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "jobs", "--sort-by=-price", "--limit", "2", "--format", "job,price"), `
job  price cr
4        9.00
600      1.00
... and others (--limit)
`)
	same(t, mustLibra(t, "jobs", "--sort-by", "job", "--limit", "2", "-o", "name", "--name", "sim*"), "1\n2\n")
	var page v1.JobPage
	if err := json.Unmarshal([]byte(mustLibra(t, "jobs", "--sort-by=-price", "--limit", "1", "--json")), &page); err != nil || len(page.Jobs) != 1 || page.Jobs[0].ID != 4 || page.Next != 0 {
		t.Errorf("%v: %+v", err, page)
	}
	same(t, mustLibra(t, "jobs", "--limit", "1", "--format", "job"), "job\n600\n... and older ones (--limit)\n")
}

func TestJobsThatWait(t *testing.T) {
	f := newFloor()
	queued, held := running(), running()
	queued.ID, queued.State, queued.StartedUS = 14, v1.Queued, 0
	held.ID, held.State, held.StartedUS = 15, v1.Held, 0
	for _, j := range []v1.Job{queued, held, running()} {
		f.Put(j)
	}
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "jobs", "--state", "waiting", "-o", "name"), "15\n14\n")
}

// All lists have the same forms.
func TestListsInEveryForm(t *testing.T) {
	f := newFloor()
	limit := int64(2_000_000)
	f.nodes = []v1.NodeView{
		{Node: "n1", Processors: 2, Rating: 1.2, Up: true, FreeMB: 500, Loads: []v1.ProcessorView{{Share: 1, Kept: 0.5, Jobs: []v1.Tenant{{Job: 7, Owner: "alice"}, {}}}, {}}},
		{Node: "n2", Processors: 1, Rating: 1, Up: true, Closed: true, Why: "drained", FreeMB: 1000},
		{Node: "n3", Processors: 64, Rating: 2, More: 1, Given: 16, Kept: 8},
	}
	f.accounts = []v1.Account{{Path: "lab", Free: 5_000_000, Limit: &limit}, {Path: "lab/alice", Free: 7_000_001, Spent: 3, Users: []string{"alice"}, Closed: true}}
	f.prices = v1.Prices{Samples: []v1.PricePoint{{Factor: 1, DeadlineMS: 60_000, Price: 20_000}, {Factor: 2, DeadlineMS: 120_000, Refused: "full"}}}
	f.book = ledger.Statement{Account: "people/alice", Lines: []ledger.Line{
		{Seq: 3, At: micro(-time.Hour), Kind: ledger.KindGrant, Job: ledger.NoJob, Memo: "=1+1", Amount: 5_000_000, Balance: 5_000_000},
		{Seq: 9, At: micro(-time.Minute), Kind: ledger.KindCharge, Job: 7, Amount: -1, Balance: 4_999_999},
	}}
	open(t, f, v1.RoleOwner)
	for _, c := range []struct{ args, want string }{
		{"nodes -o name", "n1\nn2\nn3\n"},
		{"nodes --sort-by=-given -o name", "n3\nn1\nn2\n"},
		{"nodes --format node,state,given,promised", "node  state    given  promised\nn1    up      50.0 %    25.0 %\nn2    closed   0.0 %     0.0 %\nn3    down    25.0 %    12.5 %\n"},
		{"nodes -o csv", "node,state,procs,rating,given,promised,free,memory,disk,limits,jobs,why,features,partition,reserved\nn1,up,2,1.2,1.000000,0.500000,500,0,0,,7,,,,\nn2,closed,1,1,0.000000,0.000000,1000,0,0,,,drained,,,\nn3,down,64,2,16.000000,8.000000,0,0,0,,,,,,\n"},
		{"account -o name --sort-by=-free", "lab/alice\nlab\n"},
		{"account -o csv", "account,free,held,spent,used,limit,credit,users,state,allowance,sent\nlab,5,0,0,0,2,0,,open,,0\nlab/alice,7.000001,0,0.000003,0,,0,alice,closed,,0\n"},
		{"account --format account,limit", "account    limit cr\nlab            2.00\nlab/alice         -\n"},
		{"prices -o csv", "deadline,factor,price,refused\n60,1.00,0.02,\n120,2.00,,full\n"},
		{"statement -o name", "3\n9\n"},
		{"statement --sort-by amount --format job,amount", "job  amount cr\n7       >-0.01\n          5.00\n"},
		{"statement -o csv", "line,when,what,job,memo,amount,balance\n3,2126-11-15T11:00:00Z,grant,,'=1+1,5,5\n9,2126-11-15T11:59:00Z,charge,7,,-0.000001,4.999999\n"},
	} {
		if got := mustLibra(t, strings.Fields(c.args)...); got != c.want {
			t.Errorf("libra %s: got\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
	for _, command := range []string{"nodes", "account", "prices", "statement", "jobs"} {
		if got, want := mustLibra(t, command, "-o", "json"), mustLibra(t, command, "--json"); got != want {
			t.Errorf("%s -o json: got\n%s\nwant\n%s", command, got, want)
		}
		wide := mustLibra(t, command, "-o", "wide")
		if !strings.Contains(wide, "\n") {
			t.Errorf("%s -o wide: %q", command, wide)
		}
		for _, wrong := range [][]string{{"-o", "jsn"}, {"--format", "nosuch"}, {"--sort-by", "nosuch"}} {
			if r := libra(t, append([]string{command}, wrong...)...); r.code != exitUsage || !strings.Contains(r.err, "is not one of") {
				t.Errorf("libra %s %v: %+v", command, wrong, r)
			}
		}
	}
}

// A value that is misspelled is answered with the one that was meant.
func TestTheValueThatWasMeant(t *testing.T) {
	noContext(t)
	for _, c := range []struct {
		args, meant string
	}{
		{"jobs -o jsn", "did you mean json?"},
		{"jobs --state runing", "did you mean running?"},
		{"jobs --sort-by prize", "did you mean price?"},
		{"nodes --format ratng", "did you mean rating?"},
		{"cancel --all --state waitng", "did you mean waiting?"},
		{"up --policy libra-pus", "did you mean libra-plus?"},
		{"serve --store sqlite:x --policy edf-fb", "did you mean edf-bf?"},
		{"simulate --policy libr --workload x.csv", "did you mean libra?"},
	} {
		r := libra(t, strings.Fields(c.args)...)
		if r.code == exitOK || !strings.Contains(r.err, c.meant) {
			t.Errorf("libra %s: exit code %d, %q, want %q in it", c.args, r.code, r.err, c.meant)
		}
	}
	if r := libra(t, "__completeNoDesc", "up", "--policy", "libra-"); !strings.Contains(r.out, "libra-plus\n") {
		t.Errorf("completing up --policy: %+v", r)
	}
}

// Who asks for the statement of an account that there is not is told so.
func TestAStatementOfNoAccount(t *testing.T) {
	f := newFloor()
	f.accounts = []v1.Account{}
	open(t, f, v1.RoleOwner)
	for _, args := range []string{"statement --account nosuch", "statement --account nosuch --csv -", "account nosuch"} {
		if r := libra(t, strings.Fields(args)...); r.code != exitFailure || r.out != "" || r.err != "libra: there is no account nosuch (libra account lists them)\n" {
			t.Errorf("libra %s: %+v", args, r)
		}
	}
	some := newFloor()
	open(t, some, v1.RoleOwner)
	if r := libra(t, "statement", "--account", "people/alise"); r.code != exitFailure || r.err != "libra: there is no account people/alise; did you mean people/alice? (libra account lists them)\n" {
		t.Errorf("%+v", r)
	}
	if r := libra(t, "statement", "--account", "x"); r.code != exitFailure || !strings.Contains(r.err, "no account x; there are people/alice, people/bob (") {
		t.Errorf("%+v", r)
	}
	mustLibra(t, "statement", "--account", "people/alice")
}

// People read one word of a job that the market did not take; programs, and whoever is used to it, have the other.
func TestRefusedIsTheWord(t *testing.T) {
	f := newFloor()
	j := running()
	j.ID, j.State, j.StartedUS, j.Detail = 16, v1.Rejected, 0, "too late"
	f.Put(j)
	f.Put(running())
	open(t, f, v1.RoleUser)
	for _, word := range []string{"refused", "rejected"} {
		same(t, mustLibra(t, "jobs", "--state", word, "--format", "job,state"), "job  state\n16   refused\n")
	}
	same(t, mustLibra(t, "jobs", "--state", "refused", "-o", "csv", "--format", "job,state"), "job,state\n16,rejected\n")
	if got := mustLibra(t, "job", "16"); !strings.Contains(got, "refused: too late") || strings.Contains(got, "rejected") {
		t.Errorf("libra job says\n%s", got)
	}
	if got := mustLibra(t, "jobs", "--json"); !strings.Contains(got, `"rejected"`) {
		t.Errorf("programs are told\n%s", got)
	}
}
