package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
)

// Under every policy: on a node that is somebody else's from some time on nothing is sold that may
// last until then, and all that is shorter is, whoever asks for what; also for who has waited, and
// after a crash.
func TestNodesThatAreReservedLater(t *testing.T) {
	for _, kind := range policy.Kinds() {
		if kind.Name == "hol-optimal" {
			continue // it admits by chance, and none of these
		}
		t.Run(kind.Name, func(t *testing.T) {
			f := open(t, kind.Name, 2)
			f.setAside("n2", "")
			announce := func(in int64) {
				us := int64(0)
				if in != 0 {
					us = f.now + in*second
				}
				f.do(trade.Command{Node: &trade.NodeChange{Node: "n2", Door: trade.DoorOpen, AheadUS: us}})
			}
			asks := func(deadline int64, hold bool) trade.Request {
				return trade.Request{EstimateMS: 10_000, DeadlineMS: deadline * 1000, Budget: budget(100), Processors: 2, Hold: hold}
			}
			announce(100)
			f.recover()
			var held []int64
			for range 2 { // the first node is enough for one of them
				held = append(held, f.submit(bob, asks(101, true)).Job.ID)
			}
			long := f.submit(bob, asks(101, false))
			if long.Job == nil || !slices.Equal(f.on(long.Job.ID), []string{"n1"}) {
				t.Fatalf("it may last until others have the node: %+v, on %v", long.Refusal, f.on(long.Job.ID))
			}
			if short := f.submit(alice, asks(100, false)); short.Job == nil || short.Refusal != nil {
				t.Errorf("it is sure to be done before: %+v", short.Refusal)
			} else if kind.Name == "fcfs-bf" && !slices.Equal(f.on(short.Job.ID), []string{"n2"}) {
				t.Errorf("it is sure to be done before, and is on %v", f.on(short.Job.ID))
			}
			for _, id := range held {
				if f.do(trade.Command{By: bob, Begin: &trade.Begin{Job: id}}); slices.Contains(f.on(id), "n2") {
					t.Errorf("one that has waited is on %v", f.on(id))
				}
			}
			r := asks(101, false)
			r.Processors = 3
			if o := f.submit(bob, r); o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "node n2 is reserved for others in 1m40s: what is sure") {
				t.Errorf("it needs both: %+v", o.Refusal)
			}
			r.Hold = true
			if o := f.submit(bob, r); o.Refusal != nil {
				t.Errorf("one that begins who knows when: %+v", o.Refusal)
			}
			if o := f.submit(bob, trade.Request{EstimateMS: 26_000, Budget: budget(100), Nodelist: []string{"n2"}}); o.Refusal == nil {
				t.Errorf("without a deadline it may take four times its estimate: on %v", f.on(o.Job.ID))
			}
			announce(0)
			if r.Hold = false; f.submit(bob, r).Refusal != nil && kind.Name == "fcfs-bf" {
				t.Error("it was called off, and it is refused both")
			}
		})
	}
}

// Who is refused because all nodes are reserved before the deadline is offered one before, which can be
// taken for as long as it is offered.
func TestAnOfferBeforeNodesAreReserved(t *testing.T) {
	for name, deadline := range map[string]int64{"a deadline": 600_000, "none": 0} {
		f := open(t, "libra", 1)
		f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Door: trade.DoorOpen, AheadUS: f.now + 200*second}})
		o := f.submit(bob, trade.Request{EstimateMS: 60_000, DeadlineMS: deadline})
		if o.Refusal == nil || len(o.Refusal.Offers) != 1 || !strings.Contains(o.Refusal.Detail, "reserved") {
			t.Fatalf("%s: %+v", name, o.Refusal)
		}
		offer := o.Refusal.Offers[0]
		if ms := offer.Quote.Request.DeadlineMS; offer.Change != "deadline" || ms > 140_000 || ms < 130_000 {
			t.Errorf("%s: %s", name, offer.Detail)
		}
		f.wait(59)
		if o = f.do(trade.Command{By: bob, Submit: &trade.Submit{Quote: offer.Quote.ID}}); o.Job == nil || o.Refusal != nil {
			t.Errorf("%s: what is offered is not to be had: %+v", name, o.Refusal)
		}
	}
}
