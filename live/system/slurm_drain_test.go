package system_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// limitsAge is how old what is known of Slurm's limits can be, and a little more.
const limitsAge = 12 * time.Second

// A node of Slurm's that drains, or is in maintenance, is not sold; what it runs goes on;
// and resumed it is sold again.
func aNodeDrains(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 2}, terms{}, 0.9)
	b.user("root", 10_000)
	ctx := t.Context()
	slurm := func(words ...string) {
		t.Helper()
		if out, err := b.slurm.Run(ctx, "scontrol", words...); err != nil {
			t.Fatalf("scontrol %v: %v: %s", words, err, out)
		}
	}
	r := b.shell("echo >> "+b.at("begins")+"; "+untilTold, time.Hour)
	r.DeadlineMS = 7_200_000
	long := submit(t, b.owner, r).ID
	until(t, "the job", func() bool { return text(t, b.at("begins")) == "\n" })
	drained := b.job(long).Places[0].Node
	other := b.slurm.Nodes[0]
	if other == drained {
		other = b.slurm.Nodes[1]
	}
	closedNode := func(name string, want bool) {
		t.Helper()
		until(t, fmt.Sprintf("%s to be closed: %v", name, want), func() bool {
			n, err := b.node(b.agents[name])
			return err == nil && n.Up && n.Closed == want && (n.Why != "") == want
		})
	}
	closed := func(want bool) {
		t.Helper()
		closedNode(drained, want)
	}
	elsewhere := func(what string) {
		t.Helper()
		for range 3 { // on the emptiest they would be on either
			if j := b.completed(submit(t, b.owner, b.shell("true", time.Second)).ID); j.Places[0].Node == drained || j.Attempt != 0 {
				t.Errorf("%s: it was put on %s, attempt %d", what, j.Places[0].Node, j.Attempt)
			}
		}
	}
	slurm("update", "nodename="+drained, "state=drain", "reason=smoke")
	closed(true)
	elsewhere("while the node drains")
	slurm("update", "nodename="+drained, "state=resume")
	closed(false)
	slurm("create", "reservation", "reservationname=works", "starttime=now", "duration=60", "flags=maint,ignore_jobs", "nodes="+drained, "users=root")
	closed(true)
	elsewhere("in maintenance")
	slurm("delete", "reservationname=works")
	closed(false)

	// Maintenance that is planned: who is done before has the node, who may not be has not.
	slurm("create", "reservation", "reservationname=planned", "starttime=now+30minutes", "duration=60", "flags=maint,ignore_jobs", "nodes="+drained, "users=root")
	time.Sleep(limitsAge)
	asks := func(deadline time.Duration) v1.Request {
		r := b.shell("true", time.Second)
		r.DeadlineMS = deadline.Milliseconds()
		return r
	}
	for range 3 {
		if j := b.completed(submit(t, b.owner, asks(2*time.Hour)).ID); j.Places[0].Node == drained || j.Attempt != 0 {
			t.Errorf("before maintenance: it was put on %s, attempt %d", j.Places[0].Node, j.Attempt)
		}
	}
	closed(false)                                                     // that is their own matter: others may have the node
	slurm("update", "nodename="+other, "state=drain", "reason=smoke") // and there is no other
	closedNode(other, true)
	if j, err := b.owner.Submit(t.Context(), asks(2*time.Hour), ""); err == nil {
		t.Errorf("two hours were promised before maintenance: %+v", j)
	}
	if j := b.completed(submit(t, b.owner, asks(10*time.Minute)).ID); j.Places[0].Node != drained || j.Attempt != 0 {
		t.Errorf("what is done before maintenance was put on %s, attempt %d", j.Places[0].Node, j.Attempt)
	}
	slurm("update", "nodename="+other, "state=resume")
	slurm("delete", "reservationname=planned")
	closedNode(other, false)
	nodesAreSetAside(t, b, slurm, other, drained)
	tell(t, b.dir)
	if j := b.completed(long); j.Attempt != 0 || text(t, b.at("begins")) != "\n" {
		t.Errorf("what ran there was begun again: attempt %d", j.Attempt)
	}
	b.verify()
}
