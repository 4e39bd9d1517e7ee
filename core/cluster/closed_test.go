package cluster_test

import (
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Under every policy: a node that is closed gets no new jobs, whoever runs there runs on,
// also in a cluster that was written down and restored; and opened it gets jobs again.
func TestAClosedNodeTakesNoNewJobs(t *testing.T) {
	for _, kind := range policy.Kinds() {
		for _, again := range []bool{false, true} {
			name := kind.Name
			if again {
				name += ", restored"
			}
			t.Run(name, func(t *testing.T) {
				c := open(t, 3, kind.Name, nil)
				where := map[market.JobID]int{}
				id, at := market.JobID(0), market.Time(0)
				arrive := func(n int, closed bool) {
					for range n {
						j := job(id, at, 10, 1000)
						j.SLA.Bonus = 1000
						for _, e := range step(t, c, at, submitted(j)) {
							note(t, where, &e, closed)
						}
						id++
						at += 0.5
					}
				}
				arrive(6, false)
				before := map[market.JobID]int{}
				for k, v := range where {
					before[k] = v
				}
				for _, e := range step(t, c, at, market.Event{Kind: market.NodeClosed, Node: 0}) {
					if e.Kind == market.Evicted || e.Kind == market.Stopped {
						t.Errorf("%s %d by closing its node", e.Kind, e.Job)
					}
				}
				if got := step(t, c, at, market.Event{Kind: market.NodeClosed, Node: 0}); len(got) > 0 && got[0].Kind == market.Evicted {
					t.Errorf("closed again: %s", words(got))
				}
				if again {
					p, err := kind.New(nil)
					if err == nil {
						c, err = cluster.Restore(market.PlainNodes(3), p, c.State())
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				arrive(6, true)
				ends := func(closed bool) {
					for range 100 {
						done := false
						for k := range id {
							if _, runs := where[k]; runs {
								delete(where, k)
								at++
								for _, e := range step(t, c, at, market.Event{Kind: market.Finished, Job: k, Work: 10, Proc: market.AllTasks}) {
									note(t, where, &e, closed)
								}
								done = true
								break
							}
						}
						if !done {
							return
						}
					}
				}
				ends(true)
				for _, e := range step(t, c, at, market.Event{Kind: market.NodeOpened, Node: 0}) {
					note(t, where, &e, false)
				}
				arrive(9, false)
				found := false
				for _, proc := range where {
					found = found || proc == 0
				}
				if len(before) > 0 && !found {
					t.Errorf("opened, and nobody is put there: %v", where)
				}
				ends(false)
			})
		}
	}
}

// note writes down where jobs are put.
func note(t *testing.T, where map[market.JobID]int, e *market.Event, closed bool) {
	t.Helper()
	switch e.Kind {
	case market.Accepted, market.Granted:
		if len(e.Procs) == 0 {
			return
		}
		_, known := where[e.Job]
		for proc := range e.Procs.All() {
			if closed && !known && proc == 0 {
				t.Errorf("job %d was put on a node that is closed", e.Job)
			}
			where[e.Job] = proc
		}
	case market.Stopped, market.Completed, market.Evicted:
		delete(where, e.Job)
	default:
	}
}

// A reservation has not begun: it is kept elsewhere, and one that nobody can keep is gone.
func TestAReservationLeavesAClosedNode(t *testing.T) {
	c := open(t, 2, "libra", nil)
	keep := job(0, 0, 10, 20)
	said := step(t, c, 0, market.Event{Kind: market.Reserved, Job: 0, Spec: keep})
	on := market.Int32(0)
	for proc := range said[0].Procs.All() {
		on = market.Int32(proc)
	}
	said = step(t, c, 1, market.Event{Kind: market.NodeClosed, Node: on})
	if len(said) < 2 || said[0].Kind != market.Evicted || said[1].Kind != market.Accepted || said[1].Procs.Has(int(on)) {
		t.Fatalf("closed: %s", words(said))
	}
	if got := words(step(t, c, 2, market.Event{Kind: market.NodeClosed, Node: 1 - on})); got != "evicted 0, stopped 0" {
		t.Errorf("nobody takes anybody: %s", got)
	}
	// A node that is lost and comes back is open.
	step(t, c, 3, market.Event{Kind: market.NodeDown, Node: 0})
	step(t, c, 4, market.Event{Kind: market.NodeUp, Node: 0})
	if got := step(t, c, 5, submitted(job(1, 5, 10, 20))); got[0].Kind != market.Accepted || !got[0].Procs.Has(0) {
		t.Errorf("back: %s", words(got))
	}
}
