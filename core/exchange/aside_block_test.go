package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
)

// Under every policy: a job in a reservation that no node is set aside for, or that has no room
// for it, is refused. It would wait for good, and where the first in the queue is waited for,
// nobody else would ever begin.
func TestWhoHasNoPlaceInAReservation(t *testing.T) {
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			asks := func(reservation string, processors int) trade.Request {
				return trade.Request{EstimateMS: 10_000, Budget: budget(100), Processors: processors, Reservation: reservation}
			}
			elsewhere, small, later := asks("course", 1), asks("course", 2), asks("nope", 1)
			elsewhere.Nodelist, small.MemoryMB, later.BeginMS = []string{"n1"}, 1<<20, 1000
			for name, r := range map[string]trade.Request{
				"of no node": asks("nope", 1), "wider": asks("course", 4), "on other nodes": elsewhere, "with more memory": small, "gone when it begins": later,
			} {
				f := open(t, kind.Name, 2)
				f.setAside("n2", "course")
				first := f.submit(alice, r).Job.ID
				f.wait(2)
				if now := f.job(first); now.State != trade.Rejected || now.Charged != 0 || f.free("lab/alice") != f.free("lab/bob") {
					t.Errorf("%s: %s (%s)", name, now.State, now.Detail)
				}
				if kind.Name == "hol-optimal" {
					continue // it admits by chance
				}
				if o := f.submit(bob, asks("", 2)); o.Refusal != nil || f.job(o.Job.ID).State != trade.Running {
					t.Errorf("%s: who comes after it is %s: %+v", name, o.Job.State, o.Refusal)
				}
			}
		})
	}
}
