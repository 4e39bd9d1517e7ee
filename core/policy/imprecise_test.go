package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/grid"
)

// imprecise draws a job as users of 003 write them, with numbers that tie often.
func imprecise(t *rapid.T, id market.JobID, at market.Time) market.Job {
	m := rapid.SampledFrom([]float64{1, 2, 5, 7.25, 12.5}).Draw(t, "m")
	o := rapid.SampledFrom([]float64{0, 1, 3, 10.5, 40}).Draw(t, "o")
	return market.Job{
		ID: id, Submit: at, Estimate: market.Work(m), Optional: market.Work(o), Width: 1,
		SLA: market.SLA{
			Deadline: market.Time(m * rapid.SampledFrom([]float64{0.5, 1, 1.5, 2, 4, 10}).Draw(t, "deadline")),
			Budget:   market.Price(rapid.SampledFrom([]float64{0, 1, 5, 20}).Draw(t, "bm")),
			Bonus:    market.Price(rapid.SampledFrom([]float64{0, 0.1, 0.5, 2}).Draw(t, "rate")),
		},
	}
}

// The policy on one processor is the site of 003 with one processor: it takes
// the same jobs, for the same gain, executes as much of the same optional parts
// and is paid the same. So what is shown of the one holds of the other.
func TestOneProcessorIsTheSiteOfThePaper(t *testing.T) {
	for _, name := range []string{"mf-edf", "mf-hbf", "mf-rate"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { compareWithSite(t, name) })
		})
	}
}

func compareWithSite(t *rapid.T, name string) {
	rating := rapid.SampledFrom([]float64{1, 0.5, 2, 3}).Draw(t, "rating")
	p, err := grid.FindPolicy(name)
	if err != nil {
		t.Fatal(err)
	}
	site, err := grid.NewSite(grid.Resource{Name: "S", Processors: 1, MIPS: rating}, p)
	if err != nil {
		t.Fatal(err)
	}
	node := market.Plain()
	node.Rating = rating
	w := newWorkshop(t, name, node)

	at, ctx := market.Time(0), context.Background()
	taken := map[market.JobID]string{}
	for id := range market.JobID(rapid.IntRange(1, 25).Draw(t, "jobs")) {
		at += market.Time(rapid.SampledFrom([]float64{0, 0.5, 1, 3, 7.3}).Draw(t, "pause"))
		j := imprecise(t, id, at)
		budget, err := grid.Linear(j.SLA.Bonus)
		if err != nil {
			t.Fatal(err)
		}
		a := grid.Application{
			ID: fmt.Sprint(id), Position: int(id), Arrival: at, Jobs: 1, Mandatory: j.Estimate, Optional: j.Optional,
			Deadline: j.SLA.Deadline, Worth: j.SLA.Budget, Budget: budget,
		}
		offer, no := site.Ask(ctx, at, &a)
		w.advance(at)
		quote, refused := w.Quote(at, j)
		w.step(at, market.Event{Kind: market.Submitted, Job: id, Spec: &j})

		willing := no == nil && offer.Gain > 1e-6
		if willing != (refused == nil) {
			t.Fatalf("job %d at %v: the site says %+v, %v, the policy %+v, %v", id, at, offer, no, quote, refused)
		}
		var why *market.Rejection
		if errors.As(refused, &why) && (why.Reason == market.NotWorthIt) != (no == nil) {
			t.Fatalf("job %d at %v: the site says %+v, %v, the policy %v", id, at, offer, no, refused)
		}
		if !willing {
			continue
		}
		near(t, "gain", float64(quote.Gain), float64(offer.Gain))
		near(t, "expected", float64(quote.Expected), float64(offer.Finish))
		if err := site.Submit(ctx, at, &a, offer); err != nil {
			t.Fatal(err)
		}
		taken[id] = a.ID
	}
	w.advance(market.Never)
	for id, name := range taken {
		want, err := site.Follow(ctx, market.Never, name)
		if err != nil {
			t.Fatal(err)
		}
		got := w.over[id]
		near(t, name+" mandatory", float64(got.fulfilled), float64(want.Mandatory))
		near(t, name+" end", float64(got.end), float64(want.End))
		near(t, name+" optional", float64(got.refined), float64(want.Optional))
		near(t, name+" paid", float64(got.paid), float64(want.Paid))
	}
	if len(w.over) != len(taken) {
		t.Fatalf("%d jobs have ended, %d were taken", len(w.over), len(taken))
	}
}

func near(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-5*max(1, math.Abs(want)) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// What must hold of these policies beside the promises of all: mandatory parts
// are in time, at any moment one task of a processor runs at full speed and all
// others stand still, no optional part runs while a mandatory one could, and a
// cluster that was written down goes on as it would have.
func TestMandatoryPartsComeFirst(t *testing.T) {
	for _, name := range []string{"mf-edf", "mf-hbf", "mf-rate"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				nodes := market.PlainNodes(rapid.IntRange(1, 3).Draw(t, "nodes"))
				for i := range nodes {
					nodes[i].Processors = rapid.IntRange(1, 2).Draw(t, "processors")
					nodes[i].Rating = rapid.SampledFrom([]float64{1, 2}).Draw(t, "rating")
				}
				w := newWorkshop(t, name, nodes...)
				w.watch = true
				at := market.Time(0)
				for id := range market.JobID(rapid.IntRange(1, 25).Draw(t, "jobs")) {
					at += market.Time(rapid.SampledFrom([]float64{0, 0.5, 1, 3, 7.3}).Draw(t, "pause"))
					j := imprecise(t, id, at)
					j.Width = int32(rapid.IntRange(1, 3).Draw(t, "width"))
					w.advance(at)
					if rapid.Bool().Draw(t, "restore") {
						w.restore(name, nodes)
					}
					w.step(at, market.Event{Kind: market.Submitted, Job: id, Spec: &j})
				}
				w.advance(market.Never)
			})
		})
	}
}

// A part that is done sooner than it said leaves its time to others.
func TestAMandatoryPartThatEndsEarlyFreesTime(t *testing.T) {
	c := newCluster(t, "mf-edf", market.Plain())
	first := market.Job{ID: 1, Estimate: 8, Optional: 10, Width: 1, SLA: market.SLA{Deadline: 10, Budget: 1, Bonus: 1}}
	second := market.Job{ID: 2, Estimate: 5, Width: 1, SLA: market.SLA{Deadline: 8, Budget: 20}}
	mustStep(t, c, 0, market.Event{Kind: market.Submitted, Job: 1, Spec: &first})
	if _, err := c.Quote(2, second); err == nil {
		t.Fatal("two mandatory parts of 8 and 5 s within 10 s are taken")
	}
	mustStep(t, c, 2, market.Event{Kind: market.Fulfilled, Job: 1, Proc: market.AllTasks, Work: 2})
	if s, _ := c.Status(1, 2); !s.Refining || s.Left != 10 || s.Tasks[0].Took != 2 {
		t.Fatalf("%+v", s)
	}
	second.Submit = 2
	mustStep(t, c, 2, market.Event{Kind: market.Submitted, Job: 2, Spec: &second})
	if s, _ := c.Status(1, 2); s.Speed != 0 {
		t.Error("an optional part runs beside a mandatory one")
	}
	mustStep(t, c, 7, market.Event{Kind: market.Finished, Job: 2, Work: 5})
	said := mustStep(t, c, 10, market.Event{Kind: market.Finished, Job: 1, Work: 2 + 3})
	if said[0].Kind != market.Completed || said[0].Price != 1+3 {
		t.Errorf("%+v", said[0])
	}
}

// What is optional is limited when it is agreed, and a price for the whole does
// not grow with the time it takes.
func TestExtensionsOfImpreciseJobs(t *testing.T) {
	c := newCluster(t, "mf-edf", market.Plain())
	j := market.Job{ID: 1, Estimate: 4, Optional: 2, Width: 1, SLA: market.SLA{Deadline: 10, Budget: 3, Bonus: 1}}
	mustStep(t, c, 0, market.Event{Kind: market.Submitted, Job: 1, Spec: &j})
	more := market.Event{Kind: market.Extended, Job: 1, Work: 2, Price: 0}
	if said := mustStep(t, c, 4, more); said[0].Kind != market.Prolonged || said[0].Price != 0 {
		t.Errorf("room there was: %+v", said[0])
	}
	more.Work = 9
	if said := mustStep(t, c, 4, more); said[0].Kind != market.Overran || said[0].Reason != market.CannotMeetDeadline {
		t.Errorf("no room there was: %+v", said[0])
	}
	mustStep(t, c, 6, market.Event{Kind: market.Fulfilled, Job: 1, Proc: market.AllTasks, Work: 6})
	more.Work = 1
	if said := mustStep(t, c, 6, more); said[0].Kind != market.Overran {
		t.Errorf("an optional part is prolonged: %+v", said[0])
	}
	if got := c.Refined(8); len(got) != 1 || got[0] != 1 {
		t.Errorf("refined: %v", got)
	}
}

// An optional part is paid for until its deadline, and not after it: whoever has the
// processor then loses it to the next one, also where the node has not ended the job,
// and the policy asks to be woken for that.
func TestAnOptionalPartEndsAtItsDeadline(t *testing.T) {
	c := newCluster(t, "mf-edf", market.Plain())
	first := market.Job{ID: 1, Estimate: 1, Optional: 100, Width: 1, SLA: market.SLA{Deadline: 10, Budget: 100, Bonus: 1}}
	second := first
	second.ID, second.SLA.Deadline = 2, 20
	mustStep(t, c, 0, market.Event{Kind: market.Submitted, Job: 1, Spec: &first}, market.Event{Kind: market.Submitted, Job: 2, Spec: &second})
	mustStep(t, c, 1, market.Event{Kind: market.Fulfilled, Job: 1, Proc: 0, Work: 1})
	said := mustStep(t, c, 2, market.Event{Kind: market.Fulfilled, Job: 2, Proc: 0, Work: 1})
	for _, x := range []struct{ due, runs, wake float64 }{{2, 1, 10}, {10, 2, 20}} {
		if x.due > 2 {
			said = mustStep(t, c, market.Time(x.due), market.Event{Kind: market.Woken})
		}
		wake, runs := market.Never, market.JobID(0)
		for _, e := range said {
			switch e.Kind {
			case market.Wake:
				wake = e.Finish
			case market.Shared:
				for _, s := range e.Slices {
					if s.Speed > 0 {
						runs = s.Job
					}
				}
			default: // of no consequence here
			}
		}
		if wake != market.Time(x.wake) || runs != market.JobID(x.runs) {
			t.Errorf("at %v job %d runs until %v, want %v until %v", x.due, runs, wake, x.runs, x.wake)
		}
	}
}

func TestOnlyJobsWithTwoPartsAreFulfilled(t *testing.T) {
	plain := market.Job{ID: 1, Estimate: 4, Width: 1, SLA: market.SLA{Deadline: 10, Budget: 100}}
	both := plain
	both.ID, both.Optional = 2, 5
	for _, name := range []string{"mf-edf", "libra"} {
		c := newCluster(t, name, market.Plain())
		mustStep(t, c, 0, market.Event{Kind: market.Submitted, Job: 1, Spec: &plain}, market.Event{Kind: market.Submitted, Job: 2, Spec: &both})
		for id, want := range map[market.JobID]error{
			1: cluster.ErrNoParts, 2: map[string]error{"libra": cluster.ErrNoParts}[name], 3: cluster.ErrUnknownJob,
		} {
			_, err := c.Step(1, []market.Event{{Kind: market.Fulfilled, Job: id, Proc: market.AllTasks, Work: 1}})
			if !errors.Is(err, want) {
				t.Errorf("%s: job %d: %v, want %v", name, id, err, want)
			}
		}
	}
	c := newCluster(t, "mf-edf", market.Plain())
	mustStep(t, c, 0, market.Event{Kind: market.Reserved, Job: 2, Spec: &both})
	if _, err := c.Step(1, []market.Event{{Kind: market.Fulfilled, Job: 2, Proc: market.AllTasks}}); !errors.Is(err, cluster.ErrReserved) {
		t.Errorf("a reservation is fulfilled: %v", err)
	}
}

type failer interface {
	Helper()
	Fatal(args ...any)
}

// hire is a policy by its name; mf-rate is what the lab calls mf-hbf with another order.
func hire(t failer, name string) policy.Policy {
	t.Helper()
	var set map[string]string
	if name == "mf-rate" {
		name, set = "mf-hbf", map[string]string{"order": "rate"}
	}
	kind, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kind.New(set)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newCluster(t failer, name string, nodes ...market.Node) *cluster.Cluster {
	t.Helper()
	c, err := cluster.New(nodes, hire(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustStep(t failer, c *cluster.Cluster, at market.Time, happened ...market.Event) []market.Event {
	t.Helper()
	said, err := c.Step(at, happened)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// restore writes the cluster down and goes on with one put together from that.
func (w *workshop) restore(name string, nodes []market.Node) {
	text, err := json.Marshal(w.State())
	if err != nil {
		w.t.Fatal(err)
	}
	var state cluster.State
	if err := json.Unmarshal(text, &state); err != nil {
		w.t.Fatal(err)
	}
	again, err := cluster.Restore(nodes, hire(w.t, name), state)
	if err != nil {
		w.t.Fatal(err)
	}
	now, err := json.Marshal(again.State().Book.Tasks)
	if before, _ := json.Marshal(state.Book.Tasks); err != nil || string(now) != string(before) {
		w.t.Fatalf("restored from %s it is %s (%v)", before, now, err)
	}
	w.Cluster = again
}
