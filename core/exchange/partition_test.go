package exchange_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// partitions are what prices are times in each, and which nodes of two processors it has.
var partitions = map[string]struct {
	factor float64
	nodes  []string
}{"slow": {0.5, []string{"n1"}}, "fast": {3, []string{"n2", "n3"}}}

// openDivided is a market of three nodes, n1 in partition slow, which is usual, and n2 and n3
// in fast; or the same without partitions. It has the rules of a live market, or the papers'.
func openDivided(t *testing.T, policy string, divided, live bool) *floor {
	t.Helper()
	f := open(t, policy, 2)
	var set map[string]string
	if live {
		set = epoch.Complete(policy, map[string]string{"owner_floor": "none"}, epoch.LiveSettings())
	}
	rates := trade.Rates{ProcessorHour: 3600_000_000, MemoryHour: 3_600_000, GPUHour: 36_000_000}
	if divided {
		rates.Partitions, rates.Partition = map[string]int64{"slow": 500_000, "fast": 3_000_000}, "slow"
	}
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: policy, Settings: set, Rates: &rates}})
	for name, p := range partitions {
		for _, node := range p.nodes {
			h := task.Hello{Node: node, Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, GPUs: 2, Boot: "b"}
			if divided {
				h.Partition = name
			}
			f.do(trade.Command{Enlist: &h})
		}
	}
	for _, user := range []string{"alice", "bob"} {
		f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/" + user, Amount: 1_000_000_000 * int64(market.Unit)}})
	}
	return f
}

// twins are a market with partitions and one without, in which the same happens: there, jobs
// name the nodes of their partition, and bid and ask for as much less as the partition is dearer.
type twins struct {
	*testing.T
	divided, plain *floor
	of             map[int64]string // the partition of a job
}

// both has the same done in both.
func (t *twins) both(do func(f *floor) trade.Outcome) (a, b trade.Outcome) {
	t.Helper()
	return do(t.divided), do(t.plain)
}

// wait lets time pass in both. Each ticks when the other does: they have offered other things,
// which expire at other times.
func (t *twins) wait(seconds float64) {
	t.Helper()
	until := t.plain.now + int64(seconds*float64(second))
	for {
		next := until + 1
		for _, f := range []*floor{t.divided, t.plain} {
			if at, asked := f.x.Next(); asked {
				next = min(next, max(f.now, at))
			}
		}
		if next > until {
			break
		}
		t.divided.now, t.plain.now = next, next
		t.both(func(f *floor) trade.Outcome { return f.do(trade.Command{Tick: &trade.Tick{}}) })
	}
	t.divided.now, t.plain.now = until, until
}

// submit hands a job into both.
func (t *twins) submit(partition string, r trade.Request) {
	t.Helper()
	p := partitions[partition]
	less := r
	less.Nodelist = p.nodes
	r.Partition = partition
	if r.Budget != nil {
		b := int64(float64(*r.Budget) * p.factor)
		r.Budget = &b
	}
	r.PenaltyMicros = int64(float64(r.PenaltyMicros) * p.factor)
	if r.Optional != nil {
		o := *r.Optional
		o.RateMicros = int64(float64(o.RateMicros) * p.factor)
		r.Optional = &o
	}
	a, b := t.divided.submit(alice, r), t.plain.submit(alice, less)
	if (a.Refusal == nil) != (b.Refusal == nil) || a.Refusal != nil && a.Refusal.Reason != b.Refusal.Reason {
		t.Fatalf("%+v in %s: %s, and without partitions %s", r, partition, said(a.Refusal), said(b.Refusal))
	}
	t.of[a.Job.ID] = partition
	if a.Refusal == nil {
		return
	}
	for _, o := range a.Refusal.Offers {
		if got := o.Quote.Request.Partition; got != partition {
			t.Errorf("%s instead of %s is offered", got, partition)
		}
		for _, other := range b.Refusal.Offers { // which of them are worth while depends on cents
			if other.Change == o.Change && other.Quote.Request.DeadlineMS == o.Quote.Request.DeadlineMS && o.Change != "nodes" {
				t.same(p.factor, "offered", o.Quote.Price, other.Quote.Price)
			}
		}
	}
}

// said is a refusal in words.
func said(r *trade.Refusal) string {
	if r == nil {
		return "taken"
	}
	text := r.Detail
	for _, o := range r.Offers {
		text += "; " + o.Detail
	}
	return text
}

// same holds an amount of a partition against that of the market.
func (t *twins) same(factor float64, what string, own, markets int64) {
	t.Helper()
	const cent = 10_000 // offers are rounded up to that
	slack := 20.0 * max(1, factor)
	if what == "offered" {
		slack = cent * max(1, factor)
	}
	if math.Abs(float64(own)-float64(markets)*factor) > slack {
		t.Errorf("%s: %d, and %v times %d without partitions", what, own, factor, markets)
	}
}

// compare holds all jobs against each other: where they are, what became of them, what they
// cost.
func (t *twins) compare() {
	t.Helper()
	for id, partition := range t.of {
		p := partitions[partition]
		a, b := t.divided.job(id), t.plain.job(id)
		if a.State != b.State || a.Attempt != b.Attempt || fmt.Sprint(a.Places) != fmt.Sprint(b.Places) || len(a.Extensions) != len(b.Extensions) {
			t.Fatalf("job %d: %s on %v, %+v; without partitions %s on %v, %+v", id, a.State, a.Places, a.Extensions, b.State, b.Places, b.Extensions)
		}
		for _, place := range a.Places {
			if !slices.Contains(p.nodes, place.Node) {
				t.Errorf("job %d of %s is on %s", id, partition, place.Node)
			}
		}
		t.same(p.factor, "price", a.Price, b.Price)
		t.same(p.factor, "charged", a.Charged, b.Charged)
		t.same(p.factor, "penalty", a.Penalty, b.Penalty)
		t.same(p.factor, "cost now", a.CostNow, b.CostNow)
		for i := range a.Extensions {
			t.same(p.factor, "extension", a.Extensions[i].Price, b.Extensions[i].Price)
		}
	}
}

// drawn is a job for either market.
func drawn(r *rand.Rand, kind *policy.Kind) trade.Request {
	q := trade.Request{
		EstimateMS: 1000 + r.Int64N(20_000), DeadlineMS: []int64{0, 20_000, 60_000}[r.IntN(3)], Processors: 1 + r.IntN(3),
		Overrun: []trade.Overrun{trade.OverrunStop, trade.OverrunLate, trade.OverrunKill}[r.IntN(3)], MemoryMB: r.Int64N(4000),
	}
	if r.IntN(4) > 0 {
		q.Budget = budget(float64(1 + r.IntN(120)))
	}
	if r.IntN(5) == 0 {
		q.GPUs = 1
	}
	if q.DeadlineMS > 0 && r.IntN(2) == 0 {
		q.PenaltyMicros = 2 * r.Int64N(20_000)
	}
	if r.IntN(6) == 0 {
		q.Processors, q.Array = 0, &trade.Array{First: 1, Last: 1 + r.IntN(6)}
	}
	if kind.Imprecise && q.DeadlineMS > 0 && q.Budget != nil && q.Array == nil {
		q.Optional = &trade.Optional{WorkMS: 1 + r.Int64N(20_000), RateMicros: 2 * r.Int64N(1_000_000)}
	}
	return q
}

// A market with partitions does what the same market does without them, where jobs name the
// nodes: it takes the same jobs, to the same places, each on nodes of its partition; and every
// amount of a job is as many times as much as its partition is dearer. Under every policy,
// whatever happens.
func TestPartitionsArePriced(t *testing.T) {
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			for seed := range uint64(6) {
				r := rand.New(rand.NewPCG(seed, 7))
				w := &twins{t, openDivided(t, kind.Name, true, seed%2 == 0), openDivided(t, kind.Name, false, seed%2 == 0), map[int64]string{}}
				for range 40 {
					pause, name := r.Float64()*6, []string{"slow", "fast"}[r.IntN(2)]
					w.wait(pause)
					switch what := r.IntN(8); {
					case what < 4:
						w.submit(name, drawn(r, &kind))
					case what < 7:
						w.report(r)
					default:
						w.cancel(r)
					}
					w.compare()
				}
			}
		})
	}
}

// report has nodes say the same in both.
func (t *twins) report(r *rand.Rand) {
	t.Helper()
	cpu, ends := r.Int64N(25_000_000), r.IntN(3) == 0
	t.both(func(f *floor) trade.Outcome {
		var said []task.Status
		for _, node := range []string{"n1", "n2", "n3"} {
			for _, o := range f.x.Orders(node) {
				s := task.Status{Key: o.Spec.Key, State: task.Running, CPUUS: cpu}
				if ends {
					s.State = task.Ended
				}
				said = append(said, s)
			}
		}
		return f.do(trade.Command{Report: &trade.Measured{Tasks: f.x.News("", said)}})
	})
}

// cancel ends a job in both.
func (t *twins) cancel(r *rand.Rand) {
	t.Helper()
	id := 1 + r.Int64N(int64(max(1, len(t.of))))
	if _, live := t.divided.x.Job(id); live {
		t.both(func(f *floor) trade.Outcome { return f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}}) })
	}
}

// Whoever names no partition is in the usual one; one that is not there is refused with those
// that are; and where the market has none, any name is passed over.
func TestPartitionsAreKnown(t *testing.T) {
	f := openDivided(t, "libra", true, true)
	r := trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Argv: []string{"true"}}
	if o := f.submit(alice, r); o.Refusal != nil || o.Job.Request.Partition != "slow" || strings.Join(f.on(o.Job.ID), " ") != "n1" {
		t.Errorf("%+v, %+v", o.Job, o.Refusal)
	}
	for _, name := range []string{"short", "slow,fast"} {
		r.Partition = name
		_, err := f.try(trade.Command{By: alice, Submit: &trade.Submit{Request: r}})
		_, quoted := f.try(trade.Command{By: alice, Quote: &trade.AskQuote{Request: r}})
		_, shown := f.x.Preview(alice, r)
		for _, err := range []error{err, quoted, shown} {
			if err == nil || !strings.Contains(err.Error(), "one of the market's: slow, fast") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if o := openDivided(t, "libra", false, true).submit(alice, r); o.Refusal != nil || o.Job.Request.Partition != "" {
		t.Errorf("%+v, %+v", o.Job, o.Refusal)
	}
}

// What is refused is refused for what the partition lacks, and what is offered is in it.
func TestRefusedInAPartition(t *testing.T) {
	f := openDivided(t, "libra", true, true)
	for _, c := range []struct {
		r     trade.Request
		words string
	}{
		{trade.Request{Processors: 3, Partition: "slow"}, "it asks for 3 processors, and partition slow has 2"},
		{trade.Request{Processors: 4, Threads: 4, Partition: "fast"}, "each of its programs asks for 4 processors of one node, and no node of partition fast has more than 2"},
		{trade.Request{Nodelist: []string{"n1"}, Partition: "fast"}, "no node of partition fast is called n1: there are n2, n3"},
		{trade.Request{GPUs: 3, Partition: "slow"}, "and no node of partition slow has more than 2"},
	} {
		r := c.r
		r.EstimateMS, r.DeadlineMS = 10_000, 100_000
		o := f.submit(alice, r)
		if o.Refusal == nil || !strings.Contains(o.Refusal.Detail, c.words) {
			t.Errorf("%+v: %+v", c.r, o.Refusal)
			continue
		}
		for _, offer := range o.Refusal.Offers {
			if offer.Quote.Request.Partition != r.Partition {
				t.Errorf("%+v: %+v", c.r, offer)
			}
		}
		if len(r.Nodelist) > 0 && !slices.ContainsFunc(o.Refusal.Offers, func(o trade.Offer) bool { return strings.HasPrefix(o.Detail, "on any node of partition fast, for") }) {
			t.Errorf("%+v: %+v", c.r, o.Refusal.Offers)
		}
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "burnt"}})
	o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000})
	if o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "none of the nodes that it may be on is up (partition slow)") {
		t.Errorf("%+v", o.Refusal)
	}
}

// What was agreed stands when the owner asks another price of a partition, also beyond the
// estimate, and for a quote that is taken after it.
func TestTheRateOfAPartitionIsBound(t *testing.T) {
	f := openDivided(t, "libra", true, true)
	r := trade.Request{EstimateMS: 10_000, DeadlineMS: 400_000, Partition: "fast", MemoryMB: 1, Argv: []string{"true"}}
	before := f.submit(alice, r)
	q := f.ask(alice, 600, r).Quote
	if q == nil || before.Job == nil || !strings.Contains(q.Worked, ", x 3 in its partition") {
		t.Fatalf("%+v, %+v", q, before)
	}
	e := f.x.Epochs()
	rates := e[len(e)-1].Rates
	rates.Partitions = map[string]int64{"slow": 500_000, "fast": 30_000_000}
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: "libra", Settings: epoch.Complete("libra", nil, epoch.LiveSettings()), Rates: &rates}})
	f.recover()
	taken := f.do(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.ID, Request: trade.Request{Argv: []string{"true"}}}})
	if taken.Job == nil || taken.Job.Price != q.Price || before.Job.Price != q.Price {
		t.Fatalf("%+v, quoted %d", taken, q.Price)
	}
	after := f.submit(alice, r)
	if after.Job == nil || math.Abs(float64(after.Job.Price-10*q.Price)) > 10 {
		t.Fatalf("%+v, quoted %d", after, q.Price)
	}
	f.wait(10)
	f.used(task.Key{Job: before.Job.ID}, 11) // it needs more
	f.wait(1)
	if j := f.job(before.Job.ID); len(j.Extensions) == 0 || j.Extensions[0].Price > 2*j.Price*j.Extensions[0].WorkMS/10_000 {
		t.Errorf("price %d, %+v", j.Price, j.Extensions)
	}
}
