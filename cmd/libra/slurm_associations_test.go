package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
)

// northern is what sacctmgr says of a cluster called north, and of another.
const northern = `Cluster|Account|User|Partition|ParentName
north|root|||
north|root|root||
north|physics|||root
north|physics|alice||
north|theory|||physics
north|theory|alice||
north|theory|bob||
south|root|||
south|chem|||root
south|chem|zoe||
Cluster|User|Def Acct|Account
north|alice|theory|physics
north|alice|theory|theory
north|bob|theory|theory
`

// sacctmgr puts programs into the way that say this, or fail.
func sacctmgr(t *testing.T, says string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"sacctmgr": `case "$*" in *north*) ;; *) exit 3;; esac; case "$*" in *associations*) cat ` + file(t, "said.txt", says) + `;; esac`,
		"scontrol": "echo 'ClusterName             = north'",
	} {
		if says == "" {
			script = "echo 'sacctmgr: error: Sending PersistInit msg: Connection refused' >&2; exit 1"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

func TestSlurmAssociations(t *testing.T) {
	noContext(t)
	c := config.Default()
	c.Listen, c.Store = "127.0.0.1:0", filepath.Join(t.TempDir(), "market.db")
	s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	as := func(user string, role v1.Role) {
		t.Helper()
		token, err := s.makeToken(t.Context(), user, role, "a test")
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("LIBRA_TOKEN", token)
	}
	t.Setenv("LIBRA_SERVER", s.url())
	t.Setenv("LIBRA_INSECURE", "1")
	pays := func(user, want string) {
		t.Helper()
		if got, err := s.market.AccountOf(t.Context(), user); err != nil || got != want {
			t.Errorf("%q pays for %s, want %q: %v", got, user, want, err)
		}
	}

	sacctmgr(t, northern)
	as("alice", v1.RoleUser)
	if r := libra(t, "slurm", "associations"); r.code == exitOK || !strings.Contains(r.err, "only the owner") {
		t.Errorf("a user: %+v", r)
	}
	pays("alice", "")

	as("owner", v1.RoleOwner)
	want := "open slurm/physics\nopen slurm/physics/theory\nbind alice to slurm/physics/theory\nbind alice to slurm/physics\nbind bob to slurm/physics/theory\n5 changes"
	if r := libra(t, "slurm", "associations", "--dry-run"); r.code != exitOK || r.out != want+" to make\n" {
		t.Errorf("dry: %+v", r)
	}
	pays("alice", "")
	if r := libra(t, "slurm", "associations"); r.code != exitOK || r.out != want+"\n" || r.err != "" {
		t.Errorf("made: %+v", r)
	}
	pays("alice", "slurm/physics/theory")
	if r := libra(t, "slurm", "associations"); r.code != exitOK || r.out != "accounts below slurm are as cluster north of Slurm has them\n" {
		t.Errorf("again: %+v", r)
	}

	// Bob has a job under way, which is no concern of what follows.
	node := task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1000, DiskMB: 1000, Boot: "b", Limits: "cgroup v2", Missing: []string{}}
	if _, err := s.market.Hello(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	bob := trade.Identity{User: "bob", Role: trade.RoleUser}
	job := trade.Submit{Request: trade.Request{Argv: []string{"w"}, EstimateMS: 3_600_000}}
	var id int64
	for _, cmd := range []trade.Command{
		{By: ownHand, Money: &trade.MoneyCommand{Op: "grant", To: "slurm/physics/theory", Amount: 1e12}},
		{By: bob, Submit: &job},
	} {
		o, _, err := s.market.Do(t.Context(), cmd, api.Key{})
		if err != nil || o.Refusal != nil {
			t.Fatalf("%+v: %+v, %v", cmd, o.Refusal, err)
		}
		if o.Job != nil {
			id = o.Job.ID
		}
	}
	before, err := s.market.Accounts(t.Context(), "slurm/physics/theory")
	if err != nil || len(before) != 1 || before[0].Held == 0 {
		t.Fatalf("%+v, %v", before, err)
	}

	sacctmgr(t, "")
	if r := libra(t, "slurm", "associations"); r.code == exitOK || !strings.Contains(r.err, "Connection refused") {
		t.Errorf("slurmdbd is away: %+v", r)
	}
	pays("bob", "slurm/physics/theory")

	sacctmgr(t, strings.ReplaceAll(northern, "north|theory|bob||\n", ""))
	answer := parse[associationAnswer](t, mustQuiet(t, "slurm", "associations", "--json"))
	if len(answer.Made) != 1 || answer.Made[0].String() != "unbind bob from slurm/physics/theory" || answer.Cluster != "north" {
		t.Errorf("%+v", answer)
	}
	pays("bob", "")

	if j, err := s.market.Job(t.Context(), id); err != nil || j.State.Final() {
		t.Errorf("his job: %+v, %v", j, err)
	}
	if after, err := s.market.Accounts(t.Context(), "slurm/physics/theory"); err != nil || after[0].Held != before[0].Held || after[0].Free != before[0].Free {
		t.Errorf("the money: %+v, was %+v, %v", after, before, err)
	}
	if o, _, err := s.market.Do(t.Context(), trade.Command{By: bob, Submit: &job}, api.Key{}); err != nil || o.Refusal == nil || o.Refusal.Reason != trade.ReasonFunds {
		t.Errorf("he hands in another: %+v, %v", o, err)
	}

	// What was said elsewhere, of another cluster, below another account.
	r := libraIn(t, northern, "slurm", "associations", "--from", "-", "--cluster", "south", "--under", "sites/south")
	if r.code != exitOK || !slices.Contains(strings.Split(r.out, "\n"), "bind zoe to sites/south/chem") {
		t.Errorf("from a pipe: %+v", r)
	}
	for _, wrong := range [][]string{{"--from", "-"}, {"--under", "@owner"}, {"--under", ""}, {"--cluster", "a,b"}} {
		if r := libraIn(t, northern, append([]string{"slurm", "associations"}, wrong...)...); r.code == exitOK {
			t.Errorf("%q: %+v", wrong, r)
		}
	}
}
