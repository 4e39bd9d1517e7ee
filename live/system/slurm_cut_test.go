package system_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// A node of Slurm's is cut off for longer than the lease: its job ends there, by
// the agent's hand, and begins anew elsewhere; never are there two of it.
func aNodeIsCutOff(t *testing.T) {
	slurmtest.RequireHosts(t)
	b := newSite(t, slurmtest.Options{Nodes: 2, Hosts: true}, terms{lease: lease}, 0.9)
	b.user("root", 1000)
	file := b.at("beats")
	r := b.shell(beating(file, 30*time.Second), 32*time.Second)
	r.DeadlineMS = 120_000
	id := submit(t, b.owner, r).ID
	until(t, "the first beat", func() bool { return len(lives(t, file)) > 0 })
	cut := b.job(id).Places[0].Node
	if err := b.slurm.Cut(cut); err != nil {
		t.Fatal(err)
	}
	until(t, "the job elsewhere", func() bool { return len(lives(t, file)) == 2 })
	j := b.job(id)
	if j.Attempt != 1 || j.Places[0].Node == cut {
		t.Errorf("it is on %+v, attempt %d", j.Places, j.Attempt)
	}
	if err := b.slurm.Heal(cut); err != nil {
		t.Fatal(err)
	}
	j = b.completed(id)
	oneAfterTheOther(t, file, fmt.Sprintf("%d.0.0", id), fmt.Sprintf("%d.0.1", id))
	until(t, "the node to come back", func() bool { n, err := b.node(b.agents[cut]); return err == nil && n.Up })
	if again := b.completed(submit(t, b.owner, b.shell("true", time.Second)).ID); again.Attempt != 0 {
		t.Errorf("after that: %+v", again)
	}
	if j.Charged > j.Price {
		t.Errorf("charged %d of %d", j.Charged, j.Price)
	}
	b.verify()
}

func splitLines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}
