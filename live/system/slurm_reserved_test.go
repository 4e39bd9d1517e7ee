package system_test

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// nodesAreSetAside reserves a node in Slurm: who names the reservation is sold that node and no
// other, nobody else is, and what runs there goes on when the reservation is elsewhere.
func nodesAreSetAside(t *testing.T, b *bazaar, slurm func(words ...string), node, other string) {
	t.Helper()
	asks := func(script, reservation string, deadline time.Duration) v1.Request {
		r := b.shell(script, time.Second)
		r.DeadlineMS, r.Reservation = deadline.Milliseconds(), reservation
		return r
	}
	refused := func(says string, r v1.Request) {
		t.Helper()
		if j, err := b.owner.Submit(t.Context(), r, ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %+v", says, err, j)
		}
	}
	refused("Slurm has no reservation course", asks("true", "course", time.Minute))
	slurm("create", "reservation", "reservationname=course", "starttime=now", "duration=60", "nodes="+node, "users=root")
	slurm("create", "reservation", "reservationname=next", "starttime=now+2hours", "duration=60", "nodes="+node, "users=root")
	slurm("create", "reservation", "reservationname=theirs", "starttime=now+4hours", "duration=60", "nodes="+node, "users=nobody")
	slurm("create", "reservation", "reservationname=loose", "starttime=now+6hours", "duration=60", "flags=flex", "nodes="+node, "users=root")
	in := func(r v1.Request, attempt int) v1.Job {
		t.Helper()
		j := b.completed(submit(t, b.owner, r).ID)
		if j.Places[0].Node != node || j.Attempt != attempt {
			t.Errorf("in the reservation it was put on %s, attempt %d", j.Places[0].Node, j.Attempt)
		}
		return j
	}
	in(asks("echo $SLURM_JOB_RESERVATION >"+b.at("reservation"), "course", 20*time.Minute), 0)
	if got := text(t, b.at("reservation")); got != "course\n" {
		t.Errorf("it is in reservation %q", got)
	}
	if q, err := b.owner.Preview(t.Context(), asks("true", "course", 20*time.Minute)); err != nil || q.Price <= 0 {
		t.Errorf("quoted: %+v, %v", q, err)
	}
	for range 2 { // on the emptiest they would be on either
		if j := b.completed(submit(t, b.owner, asks("true", "", time.Minute)).ID); j.Places[0].Node != other || j.Attempt != 0 {
			t.Errorf("beside the reservation it was put on %s, attempt %d", j.Places[0].Node, j.Attempt)
		}
	}
	refused("ends at", asks("true", "course", 2*time.Hour))
	refused("it is for others: users nobody", asks("true", "theirs", time.Minute))
	refused("begins at", asks("true", "next", time.Minute))
	refused("flag FLEX", asks("true", "loose", time.Minute))
	held := asks("true", "course", time.Minute)
	held.Hold = true
	refused("on hold", held)

	long := asks("echo >>"+b.at("in-it")+"; until [ -e "+b.at("moved")+" ]; do sleep 0.2; done", "course", 30*time.Minute)
	long.EstimateMS = (10 * time.Minute).Milliseconds()
	goesOn := submit(t, b.owner, long).ID
	until(t, "a job runs in the reservation", func() bool { return text(t, b.at("in-it")) == "\n" })
	for _, name := range []string{"next", "theirs", "loose"} {
		slurm("delete", "reservationname="+name)
	}
	slurm("update", "reservationname=course", "nodes="+other, "flags+=ignore_jobs")
	until(t, "the node is given back", func() bool {
		n, err := b.node(b.agents[node])
		return err == nil && n.Reserved == "" && !n.Closed
	})
	if j := b.completed(submit(t, b.owner, asks("touch "+b.at("moved"), "", time.Minute)).ID); j.Places[0].Node != node {
		t.Errorf("what was given back is not sold: it was put on %s", j.Places[0].Node)
	}
	if j := b.completed(goesOn); j.Places[0].Node != node || j.Attempt != 0 || text(t, b.at("in-it")) != "\n" {
		t.Errorf("what ran in the reservation was on %s, attempt %d", j.Places[0].Node, j.Attempt)
	}
	slurm("delete", "reservationname=course")
}
