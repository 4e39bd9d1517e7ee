package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// A market follows what sacctmgr does on a real Slurm: who is added can buy, by the name
// that Slurm has for the account; who is removed cannot, and the money stays.
func TestSlurmAccountsAreFollowed(t *testing.T) {
	slurmtest.RequireAccounting(t)
	alice, bob := slurmtest.User(t, slurmtest.Alice), slurmtest.User(t, slurmtest.Bob)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 1, Accounting: true, Enforce: "associations"})
	sacctmgr := func(args ...string) {
		t.Helper()
		if out, err := cluster.Run(t.Context(), "sacctmgr", append([]string{"--immediate"}, args...)...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	sacctmgr("add", "account", "physics", "cluster="+slurmtest.ClusterName)
	sacctmgr("add", "account", "theory", "parent=physics", "cluster="+slurmtest.ClusterName)
	sacctmgr("add", "user", alice, "account=physics", "cluster="+slurmtest.ClusterName)
	sacctmgr("add", "user", alice, "account=theory", "cluster="+slurmtest.ClusterName)
	m := openSlurmMarketWith(t, cluster, func(c *slurmSettings) { c.Associations = "slurm" })
	m.hire(t, 0.9)
	m.awaitNodes(t)
	paid := func(user, by string) {
		t.Helper()
		m.until(t, by+" to pay for "+user, func() bool {
			got, err := m.market.AccountOf(t.Context(), user)
			return err == nil && got == by
		})
	}
	paid(alice, "slurm/physics")
	if _, _, err := m.market.Do(t.Context(), trade.Command{By: ownHand, Money: &trade.MoneyCommand{Op: "grant", To: "slurm/physics/theory", Amount: int64(1000 * market.Unit)}}, api.Key{}); err != nil {
		t.Fatal(err)
	}
	submit := func(user, account string) (v1.Job, error) {
		t.Helper()
		token, err := m.makeToken(t.Context(), user, v1.RoleUser, "a test")
		if err != nil {
			t.Fatal(err)
		}
		to, err := client.New(m.url(), token, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return to.Submit(t.Context(), v1.Request{Argv: []string{"sleep", "1"}, Dir: m.dir, EstimateMS: 5000, DeadlineMS: 120_000, Account: account}, "")
	}
	job, err := submit(alice, "theory")
	if err != nil || job.Account != "slurm/physics/theory" {
		t.Fatalf("%+v, %v", job, err)
	}
	m.until(t, "the job to end", func() bool {
		j, err := m.market.Job(t.Context(), job.ID)
		if err == nil {
			job = j
		}
		return job.State.Final()
	})
	if job.State != v1.Completed || job.Charged <= 0 {
		t.Errorf("%+v", job)
	}
	// What slurmdbd has of it can be replayed.
	t.Setenv("SLURM_CONF", cluster.Conf)
	m.until(t, "slurmdbd to have it", func() bool {
		r := libra(t, "trace", "convert", "sacct:now-1days", "-", "--format", "csv")
		return r.code == exitOK && strings.Contains(r.out, alice)
	})
	if j, err := submit(bob, "theory"); err == nil {
		t.Errorf("bob is in no account: %+v", j)
	}

	// Another default, another user, and one who leaves.
	sacctmgr("modify", "user", alice, "set", "defaultaccount=theory", "where", "cluster="+slurmtest.ClusterName)
	paid(alice, "slurm/physics/theory")
	sacctmgr("add", "user", bob, "account=physics", "cluster="+slurmtest.ClusterName)
	paid(bob, "slurm/physics")
	sacctmgr("delete", "user", alice)
	paid(alice, "")
	if j, err := submit(alice, ""); err == nil || !strings.Contains(err.Error(), "account") {
		t.Errorf("alice has left: %+v, %v", j, err)
	}
	a, err := m.market.Accounts(t.Context(), "slurm/physics/theory")
	if err != nil || len(a) != 1 || a[0].Closed || a[0].Free != int64(1000*market.Unit)-job.Charged {
		t.Errorf("the money: %+v, %v", a, err)
	}
}
