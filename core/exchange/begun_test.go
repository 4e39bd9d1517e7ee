package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A job that no node ever said to run owes nothing, however it ends: it was ordered,
// and nobody was there. It is not shown as running either.
func TestWhatNobodySaidToRunOwesNothing(t *testing.T) {
	for _, said := range []bool{false, true} {
		f := openLive(t, "libra", 1, nil)
		o := f.submit(alice, trade.Request{EstimateMS: 100_000, Budget: budget(500)})
		key := task.Key{Job: o.Job.ID}
		if shown := f.job(key.Job).Tasks[0]; shown.State != task.Starting || shown.StartedUS != 0 {
			t.Errorf("shown as %s", shown.State)
		}
		f.wait(2)
		running := []task.Status{{Key: key, State: task.Running, StartedUS: f.now}}
		if said {
			f.x.At(f.now)
			news := f.x.News("n1", running)
			if len(news) != 1 {
				t.Fatal("that it runs is no news")
			}
			f.do(trade.Command{Report: &trade.Measured{Tasks: news}})
			if news = f.x.News("n1", news); len(news) > 0 && news[0].CPUUS == 0 && f.job(key.Job).Tasks[0].State != task.Running {
				t.Error("that it runs stays news")
			}
		}
		f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: key.Job}})
		f.wait(20)
		f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "silent"}})
		if j := f.job(key.Job); !j.State.Final() || (j.Charged > 0) != said {
			t.Errorf("said to run %v: %s, charged %d", said, j.State, j.Charged)
		}
	}
}

// Of a job of which a part never began the rest owes what it used, and for what it
// reserved and did not use, as after any other end; a part that never began nothing.
func TestPartsThatNeverBegan(t *testing.T) {
	refused := task.Status{State: task.Refused, Error: "no such directory", CPUUS: 20_000}
	burnt := task.Status{State: task.Ended, Signal: "SIGTERM", CPUUS: 2 * second}
	for name, c := range map[string]struct {
		ranks   []task.Status
		array   bool
		threads int
		want    float64 // of the price
	}{
		"none began":       {ranks: []task.Status{refused, refused}},
		"one began":        {ranks: []task.Status{burnt, refused}, want: 0.5 * (0.2 + 0.25*0.8)},
		"both began":       {ranks: []task.Status{burnt, burnt}, want: 0.2 + 0.25*0.8},
		"no element began": {ranks: []task.Status{refused, refused}, array: true},
		"every other element of a lane": {
			ranks: []task.Status{{State: task.Ended, Exit: 126, CPUUS: 2 * second, Elements: []task.Element{{Index: 1}, {Index: 3, Error: "no"}}}, refused}, array: true,
			want: 0.25 * (0.2 + 0.25*0.8),
		},
		"the same with threads": {
			ranks: []task.Status{{State: task.Ended, Exit: 126, CPUUS: 6 * second, Elements: []task.Element{{Index: 1}, {Index: 3, Error: "no"}}}, refused}, array: true, threads: 3,
			want: 0.25 * (0.2 + 0.25*0.8),
		},
	} {
		threads := max(1, c.threads)
		f := openLive(t, "libra", 2*threads, map[string]string{"fit": "least-loaded"})
		r := trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000, Processors: 2}
		if c.array {
			r.Processors, r.Threads, r.Array = 0, threads, &trade.Array{First: 1, Last: 4, Limit: 2}
		}
		o := f.submit(alice, r)
		f.wait(5)
		for rank := range c.ranks {
			s := c.ranks[rank]
			s.Key = task.Key{Job: o.Job.ID, Rank: rank}
			f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{s}}})
		}
		j := f.job(o.Job.ID)
		want := int64(c.want * float64(o.Job.Price))
		if !j.State.Final() || abs(j.Charged-want) > 2 || j.Penalty != 0 {
			t.Errorf("%s: %s, charged %s, want %s: %+v", name, j.State, market.Money(j.Charged), market.Money(want), j.Receipt)
		}
	}
}

// A node and an accomplice: a job that could have been begun anew in time, had it been
// allowed, is paid nothing for being lost; and all that are lost on one node within an
// hour no more than the owner chose.
func TestLossesAreNoIncome(t *testing.T) {
	lose := map[string]func(f *floor, i int){
		"started anew": func(f *floor, i int) { f.hello("n1", 64, string(rune('c'+i))) },
		"silent": func(f *floor, _ int) {
			f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "silent"}})
			f.hello("n1", 64, "b")
		},
		"another shape": func(f *floor, i int) { f.hello("n1", 64+i+1, "b") },
	}
	for name, happens := range lose {
		for _, c := range []struct {
			deadline int64
			restart  bool
			most     market.Money
		}{{2000_000, false, 0}, {20_500, false, 10 * market.Unit}, {20_500, true, 10 * market.Unit}} {
			f := openLive(t, "libra", 64, nil)
			f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/alice", Amount: 1_000_000 * int64(market.Unit)}})
			before := f.free("lab/alice")
			for i := range 4 {
				o := f.submit(alice, trade.Request{
					EstimateMS: 20_000, DeadlineMS: c.deadline, Processors: 32, PenaltyMicros: 40 * int64(market.Unit), NoRestart: !c.restart,
				})
				if o.Job == nil || o.Refusal != nil {
					t.Fatalf("%+v", o.Refusal)
				}
				f.wait(1)
				happens(f, i)
				f.wait(30)
				if !f.job(o.Job.ID).State.Final() { // it was begun anew
					f.end(task.Key{Job: o.Job.ID, Attempt: f.job(o.Job.ID).Attempt}, 1, 0)
				}
			}
			if gain := f.free("lab/alice") - before; gain > c.most {
				t.Errorf("%s, deadline %d, restart %v: gained %s, allowed %s", name, c.deadline, c.restart, gain, c.most)
			}
		}
	}
}
