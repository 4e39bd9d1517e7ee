package main

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/association"
)

// Who was added in Slurm a moment ago, or to another account of it, is known when they come; who is
// known has nobody asked.
func TestWhoWasAddedInSlurmIsNamed(t *testing.T) {
	m := openBench(t, "libra", nil)
	m.do("owner", trade.Command{Money: &trade.MoneyCommand{Op: "open", To: "slurm"}})
	m.config.Slurm.Associations = "slurm"
	said := func(users string) *association.Tree {
		tree, err := association.Read("c", "Cluster|Account|User|Partition|ParentName\nc|root|||\nc|physics|||root\nc|theory|||physics\n"+users+"Cluster|User|Def Acct|Account\n")
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	tree, asked := said(""), 0
	now := time.Now()
	m.keeper = &association.Keeper{
		Read:   func(context.Context) (*association.Tree, error) { asked++; return tree, nil },
		Market: bookkeeper{m.Market}, Under: "slurm", Partition: "libra", Every: time.Hour, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	}
	named := func(user, account, want string, times int) {
		t.Helper()
		if got := m.named(t.Context(), user, account); got != want || asked != times {
			t.Errorf("%s of %s is %q, asked %d times, want %q after %d", account, user, got, asked, want, times)
		}
		now = now.Add(time.Minute)
	}
	tree = said("c|physics|new||\n")
	named("new", "", "", 1)
	named("new", "physics", "slurm/physics", 1)
	before, err := m.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	turns := func() float64 {
		now, err := m.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return now["queries_total"] - before["queries_total"]
	}
	least := turns()
	for range 20 {
		named("new", "", "", 1)
	}
	if more := turns() - least; more > 10 { // a few are others'
		t.Errorf("the market is asked %v times who somebody is that it knows", more)
	}
	tree = said("c|physics|new||\nc|theory|new||\n")
	named("new", "theory", "slurm/physics/theory", 2)
	named("new", "chem", "chem", 3)
	named("eve", "", "", 4)
	if m.namedBy(t.Context(), trade.Identity{User: "libra", Role: trade.RoleOwner}, ""); asked != 4 {
		t.Error("the market looks for itself")
	}
}
