package system_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// slurmd of a node dies and stays away, and what it has started goes on: when Slurm gives
// the node up the job is begun again elsewhere, after the agent has ended the first.
func slurmdIsAway(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 2, NodeTimeout: 5 * time.Second}, terms{lease: 5 * time.Minute}, 0.9)
	b.user("root", 10_000)
	file := b.at("beats")
	r := b.shell(beating(file, 10*time.Minute), 11*time.Minute)
	r.DeadlineMS = 7_200_000
	id := submit(t, b.owner, r).ID
	until(t, "the first beats", func() bool { return len(lives(t, file)) > 0 })
	node := b.job(id).Places[0].Node
	if err := b.slurm.Kill("slurmd " + node); err != nil {
		t.Fatal(err)
	}
	j := b.completed(id)
	if j.Attempt < 1 || j.Places[0].Node == node || j.Charged != j.Price {
		t.Errorf("attempt %d on %s, agreed on %d, charged %d", j.Attempt, j.Places[0].Node, j.Price, j.Charged)
	}
	copies := []string{fmt.Sprintf("%d.0.0", id)}
	for attempt := range j.Attempt {
		// On a busy machine Slurm gives up, within so few seconds, a node that is well: what was
		// begun there in between may have done nothing, and is no copy too many.
		next := fmt.Sprintf("%d.0.%d", id, attempt+1)
		if attempt+1 == j.Attempt || slices.ContainsFunc(lives(t, file), func(l life) bool { return l.copy == next }) {
			copies = append(copies, next)
		}
	}
	oneAfterTheOther(t, file, copies...)
	if err := b.slurm.Restart(t.Context(), "slurmd "+node); err != nil {
		t.Fatal(err)
	}
	until(t, "the node to be back", func() bool {
		n, err := b.node(b.agents[node])
		return err == nil && n.Up
	})
	oneAfterTheOther(t, file, copies...) // and nothing more of either
	b.verify()
}
