package cluster_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

func extended(id market.JobID, work market.Work, limit market.Price) market.Event {
	return market.Event{Kind: market.Extended, Job: id, Work: work, Price: limit}
}

var alone = map[string]string{"spare": "none"}

// 10 s in 20, and 5 are left when 10 s are over: 3 s more make 0.8 of the node,
// and cost what 3 s in 10 cost now, 3 + 3/10. From then on 0.8 is kept for it.
func TestAnExtensionIsGranted(t *testing.T) {
	c := open(t, 1, "libra", alone)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	said := step(t, c, 10, extended(0, 3, market.Unlimited))
	if words(said) != "prolonged 0, granted 0" || said[0].Work != 13 || !near(float64(said[0].Price), 3.3) || said[0].Finish != 20 ||
		said[0].Start != 0 || !said[0].Firm || !near(said[1].Speed, 0.8) {
		t.Fatalf("%+v", said)
	}
	if s, _ := c.Status(0, 10); s.Estimate != 13 || s.Left != 8 || !near(float64(s.Terms.Claim), 0.8) || !near(float64(s.Terms.Price), 10.5) {
		t.Errorf("it stands %+v", s)
	}
	if _, err := c.Quote(10, *job(1, 10, 3, 10)); !reject(err, market.CannotMeetDeadline) {
		t.Errorf("0.3 beside it: %v", err)
	}
	if _, err := c.Quote(10, *job(1, 10, 2, 10)); err != nil {
		t.Errorf("0.2 beside it: %v", err)
	}
	// Measured it has had 5 of 13.
	if said := step(t, c, 10, market.Event{Kind: market.Used, Job: 0, Work: 5}); words(said) != "" {
		t.Errorf("measured: %+v", said)
	}
}

// Who is on a node that is set aside for its reservation, or has been given to another since, may
// have more of it like anybody else.
func TestAnExtensionWhereNodesAreSetAside(t *testing.T) {
	for _, now := range []string{"course", "other", ""} {
		nodes := market.PlainNodes(1)
		nodes[0].Reserved = "course"
		kind, err := policy.Find("libra")
		if err != nil {
			t.Fatal(err)
		}
		p, err := kind.New(alone)
		if err != nil {
			t.Fatal(err)
		}
		c, err := cluster.New(nodes, p)
		if err != nil {
			t.Fatal(err)
		}
		in := job(0, 0, 10, 20)
		in.Where = &market.Where{Reservation: "course"}
		step(t, c, 0, submitted(in))
		again := slices.Clone(nodes)
		again[0].Reserved = now
		if c, err = cluster.Restore(again, p, c.State()); err != nil {
			t.Fatal(err)
		}
		if said := step(t, c, 10, extended(0, 3, market.Unlimited)); len(said) == 0 || said[0].Kind != market.Prolonged {
			t.Errorf("set aside for %q by then: %+v", now, said)
		}
	}
}

// Under libra-plus the price is that of the window: nobody else is on the node,
// so of the 10 s that are left 7.5 stay free, and 2.5 s cost 1 + 0.1*10/7.5 each.
func TestAnExtensionAtThePriceOfScarcity(t *testing.T) {
	c := open(t, 1, "libra-plus", alone)
	step(t, c, 0, submitted(job(0, 0, 5, 20)))
	said := step(t, c, 10, extended(0, 2.5, market.Unlimited))
	if words(said) != "prolonged 0, granted 0" || said[0].Work != 7.5 || !near(float64(said[0].Price), 2.5*(1+0.1*10/7.5)) ||
		!near(said[1].Speed, 0.5) {
		t.Errorf("%+v", said)
	}
}

// Who is refused goes on as if he had not asked: because a neighbour needs the
// room, even if there is room elsewhere, or because of the price.
func TestAnExtensionIsRefused(t *testing.T) {
	for _, x := range []struct {
		name  string
		work  market.Work
		limit market.Price
		why   market.Reason
		price float64
	}{
		{"a neighbour needs the room", 1, market.Unlimited, market.CannotMeetDeadline, 0},
		{"nobody could be in time", 6, market.Unlimited, market.CannotMeetDeadline, 0},
	} {
		c, other := open(t, 2, "libra", nil), open(t, 2, "libra", nil)
		for _, x := range []*cluster.Cluster{c, other} {
			step(t, x, 0, submitted(job(0, 0, 10, 20)), submitted(job(1, 0, 10, 20))) // on the same node
		}
		said := step(t, c, 10, extended(0, x.work, x.limit))
		if words(said) != "overran 0" || said[0].Reason != x.why || float64(said[0].Price) != x.price {
			t.Fatalf("%s: %+v", x.name, said)
		}
		step(t, other, 10)
		if written(t, c) != written(t, other) {
			t.Errorf("%s: asking has left\n%s, want\n%s", x.name, written(t, c), written(t, other))
		}
	}
	c := open(t, 1, "libra", alone)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	said := step(t, c, 10, extended(0, 3, 3.2))
	if words(said) != "overran 0" || said[0].Reason != market.CannotMeetBudget || !near(float64(said[0].Price), 3.3) {
		t.Errorf("too dear: %+v", said)
	}
	if said := step(t, c, 10, extended(0, 3, 3.3)); said[0].Kind != market.Prolonged {
		t.Errorf("just enough: %+v", said)
	}
}

// Two hard jobs on a node: 10 s in 20 for 20, which gets half, and 5 s in 20
// for 50, the top job, which gets the rest. After 4 s, 8 and 3 s are left and
// 16 s to go. 2 s more are 10/16 of the node beside 3/16: granted, at the 2 a
// second that the job pays. 6 s more would be 14/16: too much. 10 s more: not
// in time on any node.
func TestAnExtensionOfTasks(t *testing.T) {
	c := open(t, 1, "libra-sla", nil)
	first, second := job(0, 0, 10, 20), job(1, 0, 5, 20)
	first.SLA.Budget, second.SLA.Budget = 20, 50
	step(t, c, 0, submitted(first), submitted(second))
	for work, why := range map[market.Work]market.Reason{6: market.NotWorthIt, 10: market.CannotMeetDeadline} {
		if said := step(t, c, 4, extended(0, work, market.Unlimited)); words(said) != "overran 0" || said[0].Reason != why {
			t.Errorf("%v s more: %+v", work, said)
		}
	}
	said := step(t, c, 4, extended(0, 2, market.Unlimited))
	if words(said) != "prolonged 0, shared 0" || said[0].Work != 12 || !near(float64(said[0].Price), 4) || said[0].Finish != 20 {
		t.Fatalf("%+v", said)
	}
	if s := said[1].Slices; !near(s[0].Speed, 10.0/16) || !near(s[1].Speed, 6.0/16) {
		t.Errorf("the shares: %+v", s)
	}
	// A second extension costs as much for a second as the first.
	if said := step(t, c, 4, extended(0, 1, 1.9)); words(said) != "overran 0" || !near(float64(said[0].Price), 2) {
		t.Errorf("once more: %+v", said)
	}
}

// Of a wide job whose task on one processor is done, the others are extended
// where they are.
func TestAnExtensionOfTheTasksThatStillRun(t *testing.T) {
	c := open(t, 2, "libra-sla", nil)
	wide := job(0, 0, 10, 20)
	wide.Width = 2
	step(t, c, 0, submitted(wide))
	step(t, c, 10, market.Event{Kind: market.Finished, Job: 0, Proc: 1, Work: 10})
	if used := c.UsedUp(10); !slices.Equal(used, []market.JobID{0}) {
		t.Fatalf("used up: %v", used)
	}
	said := step(t, c, 10, extended(0, 4, market.Unlimited))
	if words(said) != "prolonged 0, shared 0" || said[1].Proc != 0 || said[1].Slices[0].Speed != 1 {
		t.Fatalf("%+v", said)
	}
	s, _ := c.Status(0, 12)
	if !s.Independent || len(s.Tasks) != 1 || s.Tasks[0] != (book.TaskStatus{Proc: 0, Left: 2, Speed: 1}) || s.Left != 2 || s.Estimate != 14 {
		t.Errorf("it stands %+v", s)
	}
}

// An estimate that is used up is made longer from there: what the job has had
// beyond it counts, so that a measurement agrees.
func TestAnOverRunIsMadeGood(t *testing.T) {
	c := open(t, 1, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	if early, due := c.UsedUp(9.9), c.UsedUp(10); len(early) != 0 || !slices.Equal(due, []market.JobID{0}) {
		t.Errorf("used up: %v, then %v", early, due)
	}
	said := step(t, c, 12, extended(0, 4, market.Unlimited))
	if said[0].Kind != market.Prolonged || said[0].Work != 16 {
		t.Fatalf("%+v", said)
	}
	if s, _ := c.Status(0, 12); s.Left != 4 {
		t.Errorf("left %v, want 4", s.Left)
	}
	step(t, c, 12, market.Event{Kind: market.Used, Job: 0, Work: 12})
	if s, _ := c.Status(0, 12); s.Left != 4 {
		t.Errorf("measured: left %v, want 4", s.Left)
	}
	if len(c.UsedUp(12)) != 0 {
		t.Error("still used up")
	}
}

// A job without a deadline is a guest: nobody is in its way.
func TestAGuestIsExtended(t *testing.T) {
	c := open(t, 1, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 10.5)), submitted(job(1, 0, 10, market.Never)))
	said := step(t, c, 5, extended(1, 7, market.Unlimited))
	if words(said) != "prolonged 1" || said[0].Work != 17 || !near(float64(said[0].Price), 7) || said[0].Firm {
		t.Errorf("%+v", said)
	}
}

// Whoever holds processors alone keeps them longer, and backfilling hears of
// it: the wide job waits for the first until 15 and not until 10, so that 4 s
// can go ahead of it at 8.
func TestAnExtensionMovesTheExpectedEnd(t *testing.T) {
	c := open(t, 2, "fcfs-bf", nil)
	wide := job(1, 0, 5, 100)
	wide.Width = 2
	if said := step(t, c, 0, submitted(job(0, 0, 10, 100)), submitted(wide)); words(said) != "queued 0, queued 1, granted 0" {
		t.Fatal(words(said))
	}
	if said := step(t, c, 8, submitted(job(2, 8, 4, 100))); words(said) != "queued 2" {
		t.Fatal(words(said))
	}
	said := step(t, c, 8, extended(0, 5, market.Unlimited))
	if words(said) != "prolonged 0, granted 2" || said[0].Work != 15 || said[0].Price != 5 {
		t.Errorf("%+v", said)
	}
	if said := step(t, c, 8, extended(0, 5, 4)); words(said) != "overran 0" || said[0].Reason != market.CannotMeetBudget {
		t.Errorf("too dear: %+v", said)
	}
	done := step(t, c, 15, market.Event{Kind: market.Finished, Job: 2, Work: 4}, market.Event{Kind: market.Finished, Job: 0, Work: 15})
	if words(done) != "completed 2, completed 0, granted 1" {
		t.Error(words(done))
	}
}

// Where something of every budget is kept, further work is offered as much for as the estimate was, and not that less
// what is kept once more: of two who offer the same for a second, one due at 15 and one at 20.5, the first may have the
// 0.4 s that the other has to spare.
func TestFurtherWorkOffersWhatTheEstimateDid(t *testing.T) {
	for _, further := range []string{"0", "1"} {
		c := open(t, 1, "going-rate", map[string]string{"further": further})
		first, second := job(0, 0, 10, 15), job(1, 1, 10, 19.5)
		first.SLA.Budget, second.SLA.Budget = 20, 20
		if said := step(t, c, 0, submitted(first)); !strings.Contains(words(said), "accepted 0") {
			t.Fatal(words(said))
		}
		if said := step(t, c, 1, submitted(second)); !strings.Contains(words(said), "accepted 1") {
			t.Fatal(words(said))
		}
		if said := step(t, c, 10, extended(0, 0.4, market.Unlimited)); len(said) == 0 || said[0].Kind != market.Prolonged {
			t.Errorf("further=%s: %+v", further, said)
		}
		if said := step(t, c, 10, extended(0, 0.4, market.Unlimited)); words(said) != "overran 0" || said[0].Reason != market.NotFirm {
			t.Errorf("further=%s, and 0.4 s more: %+v", further, said)
		}
	}
}

// Every policy names a price for an extension that can be paid.
func TestEveryExtensionHasAPrice(t *testing.T) {
	for _, name := range everyPolicy() {
		for _, budget := range []market.Price{0, 50, market.Unlimited} {
			c := open(t, 1, name, nil)
			j := job(0, 0, 10, 100)
			j.SLA.Budget, j.SLA.Penalty = budget, 1
			if said := step(t, c, 0, submitted(j)); said[len(said)-1].Kind == market.Rejected {
				continue
			}
			said := step(t, c, 5, extended(0, 5, market.Unlimited))
			if said[0].Kind != market.Prolonged || !(said[0].Price >= 0) || !said[0].Price.Limited() {
				t.Errorf("%s, budget %v: %+v", name, budget, said)
			}
		}
	}
}

// A job whose promise is void is a guest: it lives on what the others leave,
// and nothing is kept for it.
func TestAReleasedJobIsAGuest(t *testing.T) {
	c := open(t, 1, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)), submitted(job(1, 0, 10, 20)))
	if said := step(t, c, 5, market.Event{Kind: market.Released, Job: 0}); words(said) != "" {
		t.Errorf("half is left to it, as before: %+v", said)
	}
	if s, _ := c.Status(0, 5); !s.BestEffort || s.Due.Finite() || s.Terms.Firm || s.Terms.Claim != 0 || s.Terms.Finish.Finite() {
		t.Errorf("it stands %+v", s)
	}
	said := step(t, c, 6, submitted(job(2, 6, 5, 10)))
	if words(said) != "accepted 2, granted 0, granted 2" || said[1].Speed != 0 || !near(said[2].Speed, 0.5) {
		t.Errorf("nothing is left to it: %+v", said)
	}
	if used := c.UsedUp(1000); !slices.Equal(used, []market.JobID{1, 2}) {
		t.Errorf("used up: %v", used)
	}
}

// Past its estimate a hard job of LibraSLA needs all of its processor, and its
// neighbour gets half of what it needs; released it needs nothing.
func TestAReleasedTaskIsAGuest(t *testing.T) {
	c := open(t, 1, "libra-sla", nil)
	over, other := job(0, 0, 4, 20), job(1, 0, 10, 20)
	over.SLA.Budget, other.SLA.Budget = 8, 100
	step(t, c, 0, submitted(over), submitted(other))
	said := step(t, c, 2, market.Event{Kind: market.Used, Job: 0, Proc: market.AllTasks, Work: 4})
	if s := said[0].Slices; s[0].Speed != 1 || s[1].Speed != 0 {
		t.Fatalf("past its estimate: %+v", s)
	}
	said = step(t, c, 2, market.Event{Kind: market.Released, Job: 0})
	if words(said) != "shared 0" || said[0].Slices[0].Speed != 0 || said[0].Slices[1].Speed != 1 {
		t.Fatalf("released: %+v", said)
	}
	// There is room for another, and a measurement changes nothing.
	said = step(t, c, 2, submitted(job(2, 2, 2, 10)), market.Event{Kind: market.Used, Job: 0, Proc: market.AllTasks, Work: 9})
	if said[0].Kind != market.Accepted {
		t.Errorf("a newcomer: %+v", said)
	}
	for id, work := range map[market.JobID]market.Work{1: 10, 2: 2} {
		said = step(t, c, 12, market.Event{Kind: market.Finished, Job: id, Proc: 0, Work: work})
	}
	if words(said[len(said)-1:]) != "shared 0" || said[len(said)-1].Slices[0].Speed != 1 {
		t.Errorf("left alone: %+v", said)
	}
	// On another node it is a guest again.
	if s, _ := c.Status(0, 13); !s.BestEffort || s.Due.Finite() {
		t.Errorf("it stands %+v", s)
	}
}

// A job that holds its processors alone keeps them; nothing is said.
func TestAReleasedJobKeepsItsProcessors(t *testing.T) {
	c := open(t, 1, "fifo", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	if said := step(t, c, 10, market.Event{Kind: market.Released, Job: 0}); words(said) != "" {
		t.Error(words(said))
	}
	if s, _ := c.Status(0, 15); !s.BestEffort || s.Left != -5 || s.Speed != 1 || s.Due != 20 {
		t.Errorf("it stands %+v", s)
	}
	if used := c.UsedUp(15); len(used) != 0 {
		t.Errorf("used up: %v", used)
	}
}

// What is no extension is a mistake.
func TestMistakesWithExtensions(t *testing.T) {
	c := open(t, 1, "fifo", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)), submitted(job(1, 0, 10, 20)))
	before := written(t, c)
	nan := math.NaN()
	for _, x := range []struct {
		name     string
		happened market.Event
		want     error
	}{
		{"an unknown job", extended(7, 1, 1), cluster.ErrUnknownJob},
		{"one that waits", extended(1, 1, 1), cluster.ErrNotRunning},
		{"one that waits is let go", market.Event{Kind: market.Released, Job: 1}, cluster.ErrNotRunning},
		{"an unknown one is let go", market.Event{Kind: market.Released, Job: 7}, cluster.ErrUnknownJob},
		{"no work", extended(0, 0, 1), nil},
		{"less work", extended(0, -1, 1), nil},
		{"what is no work", extended(0, market.Work(nan), 1), nil},
		{"endless work", extended(0, market.Work(math.Inf(1)), 1), nil},
		{"what is no price", extended(0, 1, market.Price(nan)), nil},
		{"a price below nothing", extended(0, 1, -1), nil},
	} {
		if _, err := c.Step(1, []market.Event{x.happened}); err == nil || x.want != nil && !errors.Is(err, x.want) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	if after := written(t, c); after != before {
		t.Errorf("the mistakes changed\n%s\nto\n%s", before, after)
	}
}

// How a job stands while it waits, runs and is gone.
func TestLook(t *testing.T) {
	c := open(t, 1, "sjf-bf", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 100)), submitted(job(1, 0, 8, 100)), submitted(job(2, 0, 4, 100)))
	running, _ := c.Status(2, 3)
	want := cluster.JobStatus{
		Running: true, Alone: true, Estimate: 4, Left: 1, Speed: 1, Start: 0, Due: 100, Terms: running.Terms, Procs: market.ProcsOf(0),
	}
	if !reflect.DeepEqual(running, want) {
		t.Errorf("the shortest is %+v, want %+v", running, want)
	}
	for id, place := range map[market.JobID]int{1: 1, 0: 2} {
		if s, here := c.Status(id, 3); !here || s.Running || s.Place != place || s.Start.Finite() || s.Left != s.Estimate {
			t.Errorf("job %d: %+v", id, s)
		}
	}
	if _, here := c.Status(3, 3); here {
		t.Error("a job that never was")
	}
}
