package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// The number of a step is over all that was said: whatever is said otherwise, by
// however little, gives another one. Kills the mutant that leaves out the price,
// and those that leave out anything else.
func TestTheSumIsOverEverything(t *testing.T) {
	said := func() []market.Event {
		return []market.Event{
			{Kind: market.Accepted, Job: 3, Firm: true, Start: 1, Finish: 2, Speed: 0.5, Work: 4, Price: 10.5, Proc: 1, Node: 2, Procs: market.ProcsOf(1, 70)},
			{Kind: market.Shared, Proc: 1, Slices: []market.Slice{{Job: 3, Speed: 0.25}, {Job: 4, Speed: 0.5}}},
		}
	}
	sum := journal.Sum(said())
	if again := journal.Sum(said()); again != sum {
		t.Fatalf("the same, said twice, is %x and %x", sum, again)
	}
	for what, change := range map[string]func([]market.Event) []market.Event{
		"kind":         func(e []market.Event) []market.Event { e[0].Kind = market.Queued; return e },
		"reason":       func(e []market.Event) []market.Event { e[0].Reason = market.NodeLost; return e },
		"firm":         func(e []market.Event) []market.Event { e[0].Firm = false; return e },
		"job":          func(e []market.Event) []market.Event { e[0].Job = 4; return e },
		"processor":    func(e []market.Event) []market.Event { e[0].Proc = 2; return e },
		"node":         func(e []market.Event) []market.Event { e[0].Node = 1; return e },
		"both":         func(e []market.Event) []market.Event { e[0].Proc, e[0].Node = 2, 1; return e },
		"start":        func(e []market.Event) []market.Event { e[0].Start = 1.5; return e },
		"finish":       func(e []market.Event) []market.Event { e[0].Finish = market.Never; return e },
		"speed":        func(e []market.Event) []market.Event { e[0].Speed += 1e-16; return e },
		"work":         func(e []market.Event) []market.Event { e[0].Work = 4.000001; return e },
		"price":        func(e []market.Event) []market.Event { e[0].Price += 1e-9; return e },
		"processors":   func(e []market.Event) []market.Event { e[0].Procs = market.ProcsOf(1, 6); return e },
		"fewer":        func(e []market.Event) []market.Event { e[0].Procs = market.ProcsOf(1); return e },
		"whose share":  func(e []market.Event) []market.Event { e[1].Slices[1].Job = 5; return e },
		"what share":   func(e []market.Event) []market.Event { e[1].Slices[0].Speed = 0.3; return e },
		"order":        func(e []market.Event) []market.Event { e[0], e[1] = e[1], e[0]; return e },
		"nothing more": func(e []market.Event) []market.Event { return e[:1] },
	} {
		if got := journal.Sum(change(said())); got == sum {
			t.Errorf("another %s gives the same number", what)
		}
	}
}

// A step differs from that of the log in what was decided, and not in shares, nor
// by what adding up in another order makes of a number.
func TestStepsDifferInDecisions(t *testing.T) {
	base := func() []market.Event {
		return []market.Event{
			{Kind: market.Accepted, Job: 3, Firm: true, Start: 1, Finish: 2, Work: 4, Price: 10.5, Proc: 1, Node: 2, Procs: market.ProcsOf(1, 70)},
			{Kind: market.Granted, Job: 3, Speed: 0.5},
			{Kind: market.Rejected, Job: 4, Reason: market.NodeLost},
		}
	}
	log := journal.NewStep(1, nil, base())
	for what, c := range map[string]struct {
		change func([]market.Event) []market.Event
		differ bool
	}{
		"nothing":       {func(e []market.Event) []market.Event { return e }, false},
		"a share":       {func(e []market.Event) []market.Event { e[1].Speed = 0.7; return e }, false},
		"no share":      {func(e []market.Event) []market.Event { return append(e[:1], e[2]) }, false},
		"a wake-up":     {func(e []market.Event) []market.Event { return append(e, market.Event{Kind: market.Wake, Finish: 9}) }, false},
		"shares, apart": {func(e []market.Event) []market.Event { e[1].Kind = market.Shared; return e }, false},
		"rounding":      {func(e []market.Event) []market.Event { e[0].Price += 1e-9; e[0].Finish += 1e-10; return e }, false},
		"kind":          {func(e []market.Event) []market.Event { e[0].Kind = market.Queued; return e }, true},
		"job":           {func(e []market.Event) []market.Event { e[0].Job = 4; return e }, true},
		"reason":        {func(e []market.Event) []market.Event { e[2].Reason = market.ByUser; return e }, true},
		"firm":          {func(e []market.Event) []market.Event { e[0].Firm = false; return e }, true},
		"processor":     {func(e []market.Event) []market.Event { e[0].Proc = 2; return e }, true},
		"node":          {func(e []market.Event) []market.Event { e[0].Node = 1; return e }, true},
		"processors":    {func(e []market.Event) []market.Event { e[0].Procs = market.ProcsOf(1, 71); return e }, true},
		"work":          {func(e []market.Event) []market.Event { e[0].Work = 4.1; return e }, true},
		"start":         {func(e []market.Event) []market.Event { e[0].Start = 0; return e }, true},
		"finish":        {func(e []market.Event) []market.Event { e[0].Finish = market.Never; return e }, true},
		"price":         {func(e []market.Event) []market.Event { e[0].Price = 10.500001; return e }, true},
		"one less":      {func(e []market.Event) []market.Event { return e[:2] }, true},
		"one more":      {func(e []market.Event) []market.Event { return append(e, e[2]) }, true},
	} {
		step := journal.NewStep(1, nil, c.change(base()))
		if why := step.Differs(&log); (why != "") != c.differ {
			t.Errorf("%s: %q", what, why)
		}
	}
	step := journal.NewStep(1, nil, base()[:1])
	const want = "the core says rejected job 4 (node_lost), the log has accepted job 3 at 10.5 on [1 70]"
	other := journal.NewStep(1, nil, base()[2:])
	if got := other.Differs(&step); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Decisions are written down; of what follows from them only the number is.
func TestAStepLeavesOutWhatFollows(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 9: 1} {
		said := []market.Event{{Kind: market.Completed, Job: 1}}
		for i := range n {
			kind := market.Granted
			if i%2 == 0 {
				kind = market.Shared
			}
			said = append(said, market.Event{Kind: kind, Job: market.JobID(i)})
		}
		if s := journal.NewStep(0, nil, said); len(s.Out) != want || s.N != n+1 || s.Sum != journal.Sum(said) {
			t.Errorf("%d shares: %d of %d events are written down, want %d", n, len(s.Out), s.N, want)
		}
	}
	if key := (trade.Key{Key: "k"}); !key.Given() {
		t.Error("a key is none")
	}
	if key := (trade.Key{Owner: "o"}); key.Given() {
		t.Error("an owner is a key")
	}
}

// A job's shares over time: of several within a blink the last, the first always,
// and of a long life the recent half whole.
func TestTheTimelineIsShortAndRecent(t *testing.T) {
	f := open(t, "libra", 1)
	a := f.submit(alice, trade.Request{EstimateMS: 900_000, DeadlineMS: 9_000_000, Budget: budget(990)}).Job
	toggle := func() { // somebody comes and goes
		b := f.submit(bob, trade.Request{EstimateMS: 100_000, DeadlineMS: 1_000_000}).Job
		f.wait(1)
		f.do(trade.Command{By: bob, Cancel: &trade.Cancel{Job: b.ID}})
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: b.ID}, State: task.Ended}}}})
	}
	toggle()
	first := f.job(a.ID).Timeline
	if len(first) != 3 || first[0].Share != 1 || first[1].Share > 0.6 || first[2].Share != 1 || first[2].AtUS-first[1].AtUS != second {
		t.Fatalf("%+v", first)
	}
	f.wait(0.2)
	f.submit(bob, trade.Request{EstimateMS: 100_000, DeadlineMS: 1_000_000})
	if got := f.job(a.ID).Timeline; len(got) != 3 || got[2].Share > 0.6 || got[2].AtUS != f.now {
		t.Errorf("within a blink: %+v", got)
	}
	f.wait(0.25)
	f.submit(bob, trade.Request{EstimateMS: 100_000, DeadlineMS: 1_000_000})
	if got := f.job(a.ID).Timeline; len(got) != 4 {
		t.Errorf("after a blink: %+v", got)
	}
	for range 300 {
		f.wait(1)
		toggle()
	}
	got := f.job(a.ID).Timeline
	if n := len(got); n > 256 || n < 128 || got[0] != first[0] || got[n-1].Share != f.job(a.ID).Share {
		t.Fatalf("%d points, from %+v to %+v", n, got[0], got[n-1])
	}
	for i := 1; i < len(got); i++ {
		gap := got[i].AtUS - got[i-1].AtUS
		if gap <= 0 || i > len(got)-60 && gap != second {
			t.Errorf("point %d comes %d us after the one before", i, gap)
		}
	}
}
