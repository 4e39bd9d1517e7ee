package cluster_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
)

func reserved(j *market.Job) market.Event {
	return market.Event{Kind: market.Reserved, Job: j.ID, Spec: j}
}

func confirmed(id market.JobID) market.Event {
	return market.Event{Kind: market.Confirmed, Job: id}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

// A job of 10 s in 20 runs; 5 s in 10 are reserved beside it. Each needs half
// of the node. The reservation stands still, leaves the other what it needs,
// leaves nothing for a third, and is as good after 7 s as at once.
func TestAReservationHoldsTheShare(t *testing.T) {
	for _, name := range []string{"libra", "libra-plus"} {
		c := open(t, 1, name, map[string]string{"spare": "proportional"})
		said := step(t, c, 0, submitted(job(0, 0, 10, 20)))
		if words(said) != "accepted 0, granted 0" || said[1].Speed != 1 {
			t.Fatalf("%s: %+v", name, said)
		}
		// Under libra-plus a node that is full to the brim sells nothing.
		estimate, price := market.Work(5), 5.5
		if name == "libra-plus" {
			estimate, price = 4, 4*(1+0.1*10/1) // 10 s, of which 5 are committed and 4 wanted
		}
		kept := step(t, c, 0, reserved(job(1, 0, estimate, 10)))
		if words(kept) != "accepted 1" || kept[0].Start.Finite() || kept[0].Finish != 10 || !kept[0].Firm ||
			!near(float64(kept[0].Price), price) || kept[0].Procs.Len() != 1 {
			t.Fatalf("%s: the reservation: %+v", name, kept)
		}
		if s, _ := c.Status(0, 5); !near(s.Speed, 1) || !near(float64(s.Left), 5) {
			t.Errorf("%s: beside a place that nobody uses yet, the other stands %+v", name, s)
		}
		if _, err := c.Quote(5, *job(2, 5, 2, 10)); !reject(err, market.CannotMeetDeadline) {
			t.Errorf("%s: a quote beside it: %v", name, err)
		}
		if said := step(t, c, 6, submitted(job(2, 6, 2, 10))); words(said) != "rejected 2" {
			t.Errorf("%s: a third: %s", name, words(said))
		}
		begun := step(t, c, 7, confirmed(1))
		if len(begun) < 2 || begun[0].Kind != market.Accepted || begun[0].Job != 1 || begun[0].Start != 7 || begun[0].Finish != 17 ||
			!begun[0].Firm || begun[0].Price != kept[0].Price {
			t.Fatalf("%s: confirmed: %+v", name, begun)
		}
		speed := 0.0
		for _, e := range begun {
			if e.Kind == market.Granted && e.Job == 1 {
				speed = e.Speed
			}
		}
		if speed < float64(estimate)/10-1e-9 {
			t.Errorf("%s: it begins at %v, which is too slow", name, speed)
		}
		// At that speed, or more, it is done when it was promised.
		at := 7 + market.Time(float64(estimate)/speed)
		done := step(t, c, at, market.Event{Kind: market.Finished, Job: 1, Proc: market.AllTasks, Work: estimate})
		if done[0].Kind != market.Completed || done[0].Start != 7 || done[0].Price != kept[0].Price || at.After(17) {
			t.Errorf("%s: at %v %+v", name, at, done[0])
		}
	}
}

// The same where tasks advance independently: the reserved one is in the list of its
// processor and stands still.
func TestAReservationHoldsTheShareOfTasks(t *testing.T) {
	c := open(t, 1, "libra-sla", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	kept := step(t, c, 0, reserved(job(1, 0, 5, 10)))
	if words(kept) != "accepted 1, shared 0" || kept[0].Start.Finite() || kept[0].Finish != 10 {
		t.Fatalf("the reservation: %+v", kept)
	}
	if s := kept[1].Slices; len(s) != 2 || s[0].Speed != 0.5 || s[1].Speed != 0 {
		t.Errorf("beside it: %+v", s)
	}
	for at := market.Time(1); at < 7; at++ {
		if said := step(t, c, at, submitted(job(1+market.JobID(at), at, 1, 10))); words(said) != "rejected "+string('1'+rune(at)) {
			t.Errorf("at %v a third: %s", at, words(said))
		}
	}
	begun := step(t, c, 7, confirmed(1))
	if words(begun) != "accepted 1, shared 0" || begun[0].Start != 7 || begun[0].Finish != 17 {
		t.Fatalf("confirmed: %+v", begun)
	}
	if s := begun[1].Slices; !near(s[0].Speed, 0.5) || !near(s[1].Speed, 0.5) {
		t.Errorf("both need half: %+v", s)
	}
}

// A reservation of half a node is half a node after a day as well, for those
// who ask, for those who come, and for the job itself.
func TestAReservationDoesNotAge(t *testing.T) {
	const day = 86400
	for _, name := range []string{"libra", "libra-plus", "libra-sla"} {
		c := open(t, 1, name, nil)
		step(t, c, 0, reserved(job(0, 0, 5, 10)))
		if _, err := c.Quote(day, *job(1, day, 4, 10)); err != nil {
			t.Errorf("%s: 0.4 beside it: %v", name, err)
		}
		if _, err := c.Quote(day, *job(1, day, 6, 10)); err == nil {
			t.Errorf("%s: 0.6 beside it", name)
		}
		if said := step(t, c, day, submitted(job(1, day, 6, 10))); said[0].Kind != market.Rejected {
			t.Errorf("%s: 0.6 beside it: %s", name, words(said))
		}
		said := step(t, c, day, submitted(job(2, day, 4, 10)))
		if said[0].Kind != market.Accepted {
			t.Fatalf("%s: 0.4 beside it: %s", name, words(said))
		}
		step(t, c, 2*day-5, market.Event{Kind: market.Cancelled, Job: 2})
		step(t, c, 2*day, confirmed(0), submitted(job(3, 2*day, 4, 10)))
		for id, work := range map[market.JobID]market.Work{0: 5, 3: 4} {
			s, here := c.Status(id, 2*day)
			if !here || s.Due != 2*day+10 || s.Left != work || s.Speed < float64(work)/10-1e-9 {
				t.Errorf("%s: job %d stands %+v", name, id, s)
			}
		}
	}
}

// A reservation that is given back leaves all of its share.
func TestAReservationIsGivenBack(t *testing.T) {
	c := open(t, 1, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)), reserved(job(1, 0, 5, 10)))
	said := step(t, c, 4, market.Event{Kind: market.Cancelled, Job: 1}, submitted(job(2, 4, 5, 10)))
	if words(said) != "stopped 1, accepted 2, granted 0, granted 2" || said[0].Start.Finite() || said[0].Reason != market.ByUser {
		t.Errorf("%+v", said)
	}
	if c.Live() != 2 {
		t.Errorf("%d live", c.Live())
	}
}

// Only what is promised can be kept.
func TestOnlyFirmQuotesAreKept(t *testing.T) {
	soft := job(1, 0, 5, 10)
	soft.SLA.Soft = true
	poor := job(1, 0, 5, 10)
	poor.SLA.Budget = 1
	for _, x := range []struct {
		name, policy string
		job          *market.Job
		why          market.Reason
	}{
		{"a queue", "fcfs-bf", job(1, 0, 5, 10), market.NotFirm},
		{"a queue that promises", "qops", job(1, 0, 5, 10), market.NotFirm},
		{"bids", "bid-share", job(1, 0, 5, 10), market.NotFirm},
		{"a soft deadline", "libra-sla", soft, market.NotFirm},
		{"no deadline", "libra", job(1, 0, 5, market.Never), market.NotFirm},
		{"no deadline for tasks", "libra-sla", job(1, 0, 5, market.Never), market.NotFirm},
		{"no work", "libra", job(1, 0, 0, 10), market.NotFirm},
		{"no money", "libra", poor, market.CannotMeetBudget},
		{"no time", "libra", job(1, 0, 5, 1), market.CannotMeetDeadline},
	} {
		c := open(t, 1, x.policy, nil)
		said := step(t, c, 0, reserved(x.job))
		if words(said) != "rejected 1" || said[0].Reason != x.why || c.Live() != 0 {
			t.Errorf("%s: %+v", x.name, said)
		}
	}
}

// Under make-way an idle processor is kept for a quote; that somebody would make way is true
// now and not later.
func TestNobodyMakesWayForAQuote(t *testing.T) {
	c := open(t, 1, "make-way", nil)
	brief := job(1, 1, 5, 10)
	brief.SLA.Budget = 1000
	if said := step(t, c, 0, reserved(brief)); words(said) != "accepted 1" {
		t.Fatal(words(said))
	}
	c = open(t, 1, "make-way", nil)
	long := job(0, 0, 50, 100)
	long.SLA.Budget = 50
	step(t, c, 0, submitted(long))
	if said := step(t, c, 1, reserved(brief)); words(said) != "rejected 1" || said[0].Reason != market.NotFirm {
		t.Errorf("%+v", said)
	}
	if said := step(t, c, 1, submitted(brief)); words(said) != "accepted 1, granted 0, granted 1" || !said[0].Firm || said[1].Speed != 0 {
		t.Errorf("%+v", said)
	}
}

// A reservation whose node is lost is kept elsewhere, or lost.
func TestAReservationOutlivesItsNode(t *testing.T) {
	for _, name := range []string{"libra", "libra-sla"} {
		c := open(t, 2, name, nil)
		kept := step(t, c, 0, reserved(job(0, 0, 5, 10)))
		first := int32(0)
		if kept[0].Procs.Has(1) {
			first = 1
		}
		said := step(t, c, 1e6, market.Event{Kind: market.NodeDown, Node: first})
		if len(said) < 2 || said[0].Kind != market.Evicted || said[1].Kind != market.Accepted || said[1].Start.Finite() ||
			said[1].Price != kept[0].Price || said[1].Finish != 1e6+10 || said[1].Procs.Has(int(first)) {
			t.Fatalf("%s: %+v", name, said)
		}
		if s, _ := c.Status(0, 2e6); !s.Reserved || s.Speed != 0 || s.Left != 5 || s.Due != 2e6+10 || s.Start.Finite() {
			t.Errorf("%s: it stands %+v", name, s)
		}
		said = step(t, c, 2e6, market.Event{Kind: market.NodeDown, Node: 1 - first})
		if len(said) < 2 || said[1].Kind != market.Stopped || said[1].Reason != market.NodeLost || c.Live() != 0 {
			t.Errorf("%s: %+v", name, said)
		}
	}
}

// Asking leaves no trace while something is reserved.
func TestAQuoteLeavesReservationsAlone(t *testing.T) {
	for _, name := range []string{"libra", "libra-sla"} {
		c := open(t, 1, name, nil)
		step(t, c, 0, submitted(job(0, 0, 10, 20)), reserved(job(1, 0, 2, 10)))
		step(t, c, 3, market.Event{Kind: market.Woken})
		before := written(t, c)
		for _, at := range []market.Time{3, 5, 9, 4} {
			_, _ = c.Quote(at, *job(2, at, 1, 10))
			if s, _ := c.Status(1, at); s.Left != 2 || s.Due != at+10 {
				t.Errorf("%s: at %v it stands %+v", name, at, s)
			}
		}
		if after := written(t, c); after != before {
			t.Errorf("%s: before\n%s\nafter\n%s", name, before, after)
		}
	}
}

// written is the state as text, but for what only caches look at.
func written(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	s := c.State()
	s.Book.Version = 0
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What cannot happen to a reservation, or to others, is a mistake.
func TestMistakesWithReservations(t *testing.T) {
	c := open(t, 2, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)), reserved(job(1, 0, 5, 10)))
	before := written(t, c)
	for _, x := range []struct {
		happened market.Event
		want     error
	}{
		{confirmed(7), cluster.ErrUnknownJob},
		{confirmed(0), cluster.ErrNotReserved},
		{reserved(job(0, 1, 5, 10)), cluster.ErrDuplicateJob},
		{submitted(job(1, 1, 5, 10)), cluster.ErrDuplicateJob},
		{market.Event{Kind: market.Finished, Job: 1}, cluster.ErrReserved},
		{market.Event{Kind: market.Used, Job: 1, Work: 1}, cluster.ErrReserved},
		{market.Event{Kind: market.Extended, Job: 1, Work: 1}, cluster.ErrReserved},
		{market.Event{Kind: market.Released, Job: 1}, cluster.ErrReserved},
	} {
		if _, err := c.Step(1, []market.Event{x.happened}); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", x.happened.Kind, err, x.want)
		}
	}
	if after := written(t, c); after != before {
		t.Errorf("the mistakes changed\n%s\nto\n%s", before, after)
	}
	first, second := reserved(job(3, 1, 1, 10)), submitted(job(3, 1, 1, 10))
	if _, err := c.Step(1, []market.Event{first, second}); !errors.Is(err, cluster.ErrDuplicateJob) {
		t.Errorf("the same job twice: %v", err)
	}
	// Said twice in one instant it begins once.
	if said := step(t, c, 2, confirmed(1), confirmed(1)); said[0].Kind != market.Accepted || said[1].Kind == market.Accepted {
		t.Errorf("confirmed twice: %s", words(said))
	}
}
