package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// setAside says of a node which reservation it is set aside for; empty: for none.
func (f *floor) setAside(name, reservation string) {
	f.do(trade.Command{Enlist: &task.Hello{Node: name, Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Reserved: reservation, Boot: "b"}})
}

// Under every policy: a node that is set aside takes jobs of its reservation and no others, and
// those are on no other; what runs there goes on when it is given back; and a market that was
// written down and read back knows all that.
func TestNodesAreSetAside(t *testing.T) {
	for _, kind := range policy.Kinds() {
		if kind.Name == "hol-optimal" {
			continue // it admits by chance, and none of these
		}
		t.Run(kind.Name, func(t *testing.T) {
			f := open(t, kind.Name, 2)
			for _, name := range []string{"n2", "n3"} {
				f.setAside(name, "")
			}
			f.setAside("n2", "course")
			asks := func(reservation string, processors int) trade.Request {
				return trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Budget: budget(100), Processors: processors, Reservation: reservation}
			}
			in := f.submit(alice, asks("course", 2))
			if in.Job == nil || !slices.Equal(f.on(in.Job.ID), []string{"n2"}) {
				t.Fatalf("in the reservation: %+v", in)
			}
			for range 4 {
				o := f.submit(bob, asks("", 1))
				if o.Job == nil || o.Refusal == nil && slices.Contains(f.on(o.Job.ID), "n2") {
					t.Errorf("beside it: %+v on %v", o.Refusal, f.on(o.Job.ID))
				}
			}
			f.recover()
			if o := f.submit(bob, asks("other", 1)); o.Job != nil && len(f.on(o.Job.ID)) > 0 {
				t.Errorf("in one that no node is set aside for: on %v", f.on(o.Job.ID))
			}
			if o := f.submit(alice, asks("other", 1)); (kind.Name == "libra" || kind.Name == "libra-plus") && (o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "is set aside for reservation other now")) {
				t.Errorf("%+v", o.Refusal)
			}
			f.setAside("n2", "")
			if now := f.job(in.Job.ID); now.State.Final() || now.Attempt != 0 || !slices.Equal(f.on(in.Job.ID), []string{"n2"}) {
				t.Errorf("when its node was given back: %s, attempt %d, on %v", now.State, now.Attempt, f.on(in.Job.ID))
			}
		})
	}
}

// Who waits for nodes of a reservation is refused when the last of them is given back, and owes
// nothing; who waits for others waits on.
func TestWhoWaitsForAReservation(t *testing.T) {
	f := open(t, "fcfs-bf", 2)
	f.setAside("n2", "course")
	r := trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Processors: 2}
	f.submit(bob, r) // has the first node
	second := f.submit(bob, r).Job.ID
	r.Reservation = "course"
	first := f.submit(alice, r).Job.ID
	waits := f.submit(alice, r).Job.ID
	if f.job(first).State != trade.Running || f.job(waits).State != trade.Queued || f.job(second).State != trade.Queued {
		t.Fatalf("%s, %s, %s", f.job(first).State, f.job(waits).State, f.job(second).State)
	}
	f.setAside("n2", "")
	if now := f.job(waits); now.State != trade.Rejected || !strings.Contains(now.Detail, "reservation course is over") || now.Charged != 0 {
		t.Errorf("%s: %s, charged %d", now.State, now.Detail, now.Charged)
	}
	if f.job(first).State != trade.Running || f.job(second).State.Final() {
		t.Errorf("%s, %s", f.job(first).State, f.job(second).State)
	}
}

// Who waits for a reservation waits on while one of its nodes is there; one that has left the
// market, or was replaced, is none. Whoever is in none waits on whatever is set aside.
func TestTheLastNodeOfAReservation(t *testing.T) {
	r := trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Processors: 2}
	course := r
	course.Reservation = "course"

	f := open(t, "fcfs-bf", 2)
	f.setAside("n2", "course")
	f.setAside("n3", "course")
	for range 2 {
		f.submit(alice, course)
	}
	waits := f.submit(alice, course).Job.ID
	f.setAside("n2", "")
	if now := f.job(waits); now.State != trade.Queued {
		t.Errorf("while there is another node: %s: %s", now.State, now.Detail)
	}
	f.do(trade.Command{Enlist: &task.Hello{Node: "n3", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "c"}})
	if now := f.job(waits); now.State != trade.Rejected || !strings.Contains(now.Detail, "reservation course is over") {
		t.Errorf("once the last of them is another: %s: %s", now.State, now.Detail)
	}

	f = open(t, "fcfs-bf", 2)
	f.submit(bob, r)
	waits = f.submit(bob, r).Job.ID
	f.do(trade.Command{Enlist: &task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Reserved: "course", Boot: "b"}})
	if now := f.job(waits); now.State != trade.Queued {
		t.Errorf("in no reservation, when all nodes are set aside: %s: %s", now.State, now.Detail)
	}
}

// Who loses a node after the reservation that it is in is over is not begun again: nobody would
// give it others. It is lost at once, and owes nothing.
func TestALossAfterAReservation(t *testing.T) {
	for name, lose := range map[string]func(*floor, int64){
		"its node": func(f *floor, _ int64) { f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Why: "power"}}) },
		"its task": func(f *floor, id int64) {
			f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: id}, State: task.Lost}}}})
		},
	} {
		f := open(t, "fcfs-bf", 2)
		f.setAside("n2", "course")
		in := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Reservation: "course"}).Job.ID
		again := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Nodelist: []string{"n2"}, Reservation: "course"}).Job.ID
		f.end(task.Key{Job: again}, 1, 0)
		f.setAside("n2", "")
		if lose(f, in); f.job(in).State != trade.Lost || f.job(in).Charged != 0 || !strings.Contains(f.job(in).Detail, "reservation course is over") {
			t.Errorf("%s: %s, %s, charged %d", name, f.job(in).State, f.job(in).Detail, f.job(in).Charged)
		}
	}
	f := open(t, "fcfs-bf", 2)
	f.setAside("n2", "course")
	in := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Reservation: "course"}).Job.ID
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Why: "power"}})
	if f.job(in).State != trade.Queued {
		t.Errorf("while it lasts: %s, %s", f.job(in).State, f.job(in).Detail)
	}
}
