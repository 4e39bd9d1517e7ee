package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// noneIsPaidMore: under the rules of a live market a job that has ended was paid no
// more for lateness than it was charged, one that was lost no more than its price,
// and nobody was charged more than was held.
func noneIsPaidMore(t rapid.TB, f *floor) {
	t.Helper()
	if rules := f.x.Epochs()[0].Rules(); !rules.Paid() {
		return
	}
	for id, j := range f.all {
		most := j.Charged
		if j.State == trade.Lost {
			most = j.Price
		}
		if j.State.Final() && j.Penalty > most {
			t.Errorf("job %d, %s: charged %d, price %d, and paid %d", id, j.State, j.Charged, j.Price, j.Penalty)
		}
	}
}

// However a job ends that has begun, it owes the same for the same work: by itself,
// with any status, cancelled, by a signal, by its own limits, in the batch system.
func TestEndingsAreWorthTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom([]string{"libra", "libra-plus", "fcfs-bf", "edf-bf", "qops"}).Draw(r, "policy")
		estimate := rapid.Int64Range(2_000, 60_000).Draw(r, "estimate")
		deadline := estimate * rapid.Int64Range(2, 9).Draw(r, "factor")
		part := rapid.Float64Range(0.01, 1.5).Draw(r, "part")
		width := rapid.IntRange(1, 3).Draw(r, "width")
		charges := map[string]int64{}
		for how, s := range map[string]task.Status{
			"by itself": {}, "badly": {Exit: 3}, "by a signal": {Signal: "SIGSEGV"}, "out of memory": {OOM: true, Signal: "SIGKILL"},
			"cancelled": {Signal: "SIGTERM"}, "in the batch system": {Signal: "SIGTERM", Cancelled: true},
		} {
			f := openLive(t, name, 4, nil)
			id := f.submit(alice, trade.Request{EstimateMS: estimate, DeadlineMS: deadline, Processors: width}).Job.ID
			seconds := float64(estimate) / 1e3 * part
			f.wait(seconds)
			var said []task.Status
			for rank := range width {
				s.Key, s.State, s.CPUUS = task.Key{Job: id, Rank: rank}, task.Ended, int64(seconds*1e6)
				said = append(said, s)
				f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: s.Key, State: task.Running, StartedUS: f.now, CPUUS: s.CPUUS}}}})
			}
			if how == "cancelled" {
				f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}})
			}
			f.x.At(f.now)
			shown, _ := f.x.Explain(id)
			f.do(trade.Command{Report: &trade.Measured{Tasks: said}})
			j := f.job(id)
			charges[how] = j.Charged
			if !j.State.Final() || j.Charged <= 0 || part <= 1 && (j.State == trade.Cancelled) != (how == "cancelled" || s.Cancelled) { // who over-runs may have been stopped before
				r.Fatalf("%s: %+v", how, j)
			}
			if part < 0.9 && strings.HasPrefix(name, "libra") && (abs(shown.CancelNow-j.Charged) > int64(4_000*width) || shown.CostNow != shown.CancelNow) {
				r.Errorf("%s: shown %d and %d, charged %d", how, shown.CostNow, shown.CancelNow, j.Charged)
			}
		}
		for how, charge := range charges {
			if charge != charges["by itself"] {
				r.Errorf("%s: charged %d, by itself %d", how, charge, charges["by itself"])
			}
		}
	})
}

// One job of n processors costs what n jobs of one processor cost at the same
// moment, agreed and in the end, and an array what its elements do, but for the
// millisecond to which work is counted.
func TestWidthsAreWorthTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(r, "processors")
		estimate := rapid.Int64Range(1_000, 60_000).Draw(r, "estimate")
		deadline := estimate * 3
		part := rapid.Float64Range(0.1, 1).Draw(r, "part")
		seconds := float64(estimate) / 1e3 * part
		pay := func(requests ...trade.Request) (price, charge int64) {
			f := openLive(t, "libra", 8, map[string]string{"fit": "least-loaded"})
			var ids []int64
			for _, q := range requests {
				q.EstimateMS, q.DeadlineMS = estimate, deadline
				o := f.submit(alice, q)
				if o.Refusal != nil {
					r.Fatalf("%+v", o.Refusal)
				}
				ids = append(ids, o.Job.ID)
				price += o.Job.Price
			}
			f.wait(seconds)
			for _, id := range ids {
				var said []task.Status
				j := f.job(id)
				for rank := range j.Programs() {
					threads := max(1, j.Request.Threads)
					said = append(said, task.Status{Key: task.Key{Job: id, Rank: rank}, State: task.Ended, CPUUS: int64(seconds * 1e6 * float64(threads))})
				}
				f.do(trade.Command{Report: &trade.Measured{Tasks: said}})
				charge += f.job(id).Charged
			}
			return price, charge
		}
		price, charge := pay(make([]trade.Request, n)...)
		other := map[string]trade.Request{
			"one job": {Processors: n}, "threads": {Processors: n, Threads: n}, "an array": {Array: &trade.Array{First: 1, Last: n, Limit: n}},
			"an array of one": {Threads: n, Array: &trade.Array{First: 1, Last: 1}},
		}
		if n%2 == 0 {
			other["an array with threads"] = trade.Request{Threads: 2, Array: &trade.Array{First: 1, Last: n / 2, Limit: n / 2}}
		}
		for what, q := range other {
			p, c := pay(q)
			if abs(p-price) > int64(n) || abs(c-charge) > int64(2_000*n) {
				r.Errorf("%s of %d: agreed for %d, charged %d; one by one %d and %d", what, n, p, c, price, charge)
			}
		}
		// An array in fewer lanes has the same work in it: its deadline is for a round
		// of lanes, so that only what patience is worth differs.
		lanes := rapid.IntRange(1, n).Draw(r, "lanes")
		f := openLive(t, "libra", 8, map[string]string{"delta": "0"})
		q := trade.Request{EstimateMS: estimate, DeadlineMS: deadline * int64(n), Array: &trade.Array{First: 1, Last: n, Limit: lanes}}
		if o := f.submit(alice, q); o.Refusal != nil || abs(o.Job.Price-int64(n)*estimate*1000) > int64(n) {
			r.Errorf("%d elements in %d lanes: %+v", n, lanes, o)
		}
	})
}

// An array that does not fill its last round of lanes is within a budget that meets
// what is in it, and not within less.
func TestABudgetIsForWhatIsInAnArray(t *testing.T) {
	for _, limit := range []int{0, 2} { // 0: as many lanes as are taken
		for short, refused := range map[int64]bool{0: false, 1: true} {
			f := openLive(t, "libra", 2, map[string]string{"delta": "0"})
			b := 3*int64(market.Unit)*10 - short // three elements of 10 s
			o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 600_000, Array: &trade.Array{First: 1, Last: 3, Limit: limit}, Budget: &b})
			if (o.Refusal != nil) != refused || !refused && (o.Job.Price != b || o.Job.Width != 2) {
				t.Errorf("limit %d, budget %d: %+v, %+v", limit, b, o.Refusal, o.Job)
			}
			f = openLive(t, "libra", 6, map[string]string{"delta": "0"})
			b = 3*3*int64(market.Unit)*10 - short // three processors for each
			o = f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 600_000, Threads: 3, Array: &trade.Array{First: 1, Last: 3, Limit: limit}, Budget: &b})
			if (o.Refusal != nil) != refused || !refused && (o.Job.Price != b || o.Job.Width != 6) {
				t.Errorf("limit %d, three threads, budget %d: %+v, %+v", limit, b, o.Refusal, o.Job)
			}
			if refused {
				continue
			}
			f.wait(1)
			for rank := range 2 {
				f.end(task.Key{Job: o.Job.ID, Rank: rank}, 3, 0)
			}
			if r := f.job(o.Job.ID).Receipt; r == nil || !slices.Contains(r.Inputs, market.Input{Name: "room", Value: 4}) { // two lanes of two elements
				t.Errorf("limit %d, three threads: %+v", limit, r)
			}
		}
	}
}

// Where time costs nothing a job costs nothing: not even the smallest unit.
func TestWhatCostsNothing(t *testing.T) {
	for _, f := range []*floor{openWith(t, "libra", 1, map[string]string{"gamma": "0", "delta": "0"}), openLive(t, "libra", 1, map[string]string{"gamma": "0", "delta": "0"})} {
		j := f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 60_000}).Job
		f.wait(1)
		f.end(task.Key{Job: j.ID}, 1, 0)
		if is := f.job(j.ID); j.Price != 0 || j.Held != 0 || is.Charged != 0 || is.State != trade.Completed {
			t.Errorf("price %d, held %d, %s, charged %d", j.Price, j.Held, is.State, is.Charged)
		}
	}
}

// A program that never ends of itself, whatever its user says of it: all the time it
// takes is charged at no less than the cheapest rate there is, that of a job
// without a deadline, down to users who have just what is held. Nodes report
// every second, as the market is set to.
func TestTimeTakenIsCharged(t *testing.T) {
	for _, name := range []string{"libra", "libra-plus", "fcfs-bf", "edf-bf", "fifo", "qops", "mf-edf"} {
		kind, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) { takeAll(t, r, kind) })
		})
	}
}

func takeAll(t *testing.T, r *rapid.T, kind policy.Kind) {
	f := openLive(t, kind.Name, 4, nil)
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "mallory"}})
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{
		Op: "grant", To: "mallory", Amount: rapid.Int64Range(1_000, 60_000_000).Draw(r, "money"),
	}})
	mallory := trade.Identity{User: "mallory", Role: trade.RoleUser}
	q := trade.Request{
		Argv: []string{"spin"}, EstimateMS: rapid.SampledFrom([]int64{1, 10, 500, 1_000, 5_000, 20_000}).Draw(r, "estimate"),
		DeadlineMS: rapid.SampledFrom([]int64{0, 20_000, 25_000}).Draw(r, "deadline"),
		Processors: rapid.IntRange(1, 3).Draw(r, "processors"), GraceMS: 600_000,
		Overrun: rapid.SampledFrom([]trade.Overrun{"", trade.OverrunLate, trade.OverrunKill}).Draw(r, "overrun"),
	}
	if kind.Imprecise || rapid.Bool().Draw(r, "budget") {
		b := rapid.Int64Range(1, 40_000_000).Draw(r, "amount")
		if kind.Imprecise { // there the budget is the price
			b = q.EstimateMS * 1000 * int64(q.Processors)
		}
		q.Budget = &b
	}
	o := f.submit(mallory, q)
	if o.Refusal != nil {
		return
	}
	id, cancelAt := o.Job.ID, rapid.IntRange(1, 60).Draw(r, "cancel")
	took := make([]float64, q.Processors)
	for second := 1; second <= 120 && !f.job(id).State.Final(); second++ {
		ends := rapid.IntRange(0, 30).Draw(r, "ends") == 0
		var said []task.Status
		for _, order := range f.x.Orders("n1") {
			rank := order.Spec.Key.Rank
			took[rank] += order.CPU
			s := task.Status{Key: order.Spec.Key, State: task.Running, CPUUS: int64(took[rank] * 1e6)}
			if ends || order.Stop == task.Kill { // it hears nothing else
				s.State = task.Ended
			}
			said = append(said, s)
		}
		f.wait(1)
		f.do(trade.Command{Report: &trade.Measured{Tasks: said}})
		if second == cancelAt {
			if _, err := f.try(trade.Command{By: mallory, Cancel: &trade.Cancel{Job: id}}); err != nil {
				continue // it has ended
			}
		}
	}
	j := f.job(id)
	sum := 0.0
	for _, seconds := range took {
		sum += seconds
	}
	cheapest := 1.0
	if kind.Name == "libra-plus" {
		cheapest = 1.1 // alpha + beta
	}
	if charged := market.Money(j.Charged).Price(); !j.State.Final() || float64(charged) < cheapest*sum*0.999-0.01 {
		r.Errorf("%s: took %.3f s and is charged %v: %+v\n%+v", j.State, sum, charged, q, j.Receipt)
	}
}

func abs(x int64) int64 { return max(x, -x) }
