package policy_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// What is kept of processors leaves none out that asking every one of them would choose: jobs of
// one part on clusters that lose nodes, end early or late, and keep places for quotes.
func TestTheDocketAnswersLikeAskingEverybody(t *testing.T) {
	worlds := uint64(120)
	if testing.Short() {
		worlds = 30
	}
	for name, everybody := range map[string]func() policy.Policy{
		"mf-edf": func() policy.Policy {
			return policy.ImpreciseAskingEverybody("mf-edf", func(how string) { t.Error(how) })
		},
		"mf-hbf": func() policy.Policy {
			return policy.ImpreciseAskingEverybody("mf-hbf", func(how string) { t.Error(how) })
		},
		"going-rate": policy.GoingRateAskingEverybody,
		"make-way":   policy.MakeWayAskingEverybody,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range worlds {
				asksAlike(t, seed, name, everybody())
			}
		})
	}
}

// The same with optional parts, which are worth something, and cut short.
func TestTheDocketKnowsOfOptionalParts(t *testing.T) {
	for _, name := range []string{"mf-edf", "mf-hbf"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				nodes := market.PlainNodes(rapid.IntRange(1, 40).Draw(t, "processors"))
				w := newWorkshop(t, name, nodes...)
				beside, err := cluster.New(nodes, policy.ImpreciseAskingEverybody(name, func(how string) { t.Fatal(how) }))
				if err != nil {
					t.Fatal(err)
				}
				w.beside = beside
				at, kept := market.Time(0), map[market.JobID]market.Job{}
				backwards := rapid.Bool().Draw(t, "backwards") // who comes goes before who is due when it is
				for id := range market.JobID(rapid.IntRange(1, 80).Draw(t, "jobs")) {
					if backwards {
						id = 1000 - id
					}
					at += market.Time(rapid.SampledFrom([]float64{0, 0, 0, 0.5, 1, 7.3}).Draw(t, "pause"))
					j := imprecise(t, id, at)
					j.Width = int32(rapid.SampledFrom([]int{1, 1, 2, len(nodes)}).Draw(t, "width"))
					if j.Width > int32(len(nodes)) {
						j.Width = 1
					}
					if rapid.IntRange(0, 9).Draw(t, "haste") == 0 {
						j.Objective = market.Fastest
					}
					w.advance(at)
					got, no := w.Quote(at, j)
					want, not := beside.Quote(at, j)
					if said, asked := fmt.Sprint(got, no), fmt.Sprint(want, not); said != asked {
						t.Fatalf("a quote for job %d at %v is %s; asking everybody it is %s", id, at, said, asked)
					}
					if no == nil && rapid.IntRange(0, 9).Draw(t, "keeps") == 0 {
						w.step(at, market.Event{Kind: market.Reserved, Job: id, Spec: &j})
						kept[id] = j
						continue
					}
					w.step(at, market.Event{Kind: market.Submitted, Job: id, Spec: &j})
				}
				for id := range kept {
					w.step(at, market.Event{Kind: market.Cancelled, Job: id})
				}
				w.advance(market.Never)
			})
		})
	}
}

// Who asks for further work is not held against what it has left itself, and would have in any case: by that others seem
// to be late.
func TestFurtherWorkIsNotInItsOwnWay(t *testing.T) {
	for _, name := range []string{"mf-edf", "mf-hbf", "going-rate"} {
		rapid.Check(t, func(t *rapid.T) {
			c := newCluster(t, name, market.PlainNodes(1)...)
			job := func(id market.JobID, long market.Work, due market.Time) market.Event {
				return market.Event{Kind: market.Submitted, Job: id, Spec: &market.Job{ID: id, Estimate: long, Width: 1, SLA: market.SLA{Deadline: due, Budget: 100}}}
			}
			mustStep(t, c, 0, job(1, 5, 9))
			mustStep(t, c, 0, job(2, 2, 12))
			at := market.Time(rapid.Float64Range(0.001, 4).Draw(t, "at"))
			further := market.Work(rapid.Float64Range(0.1, 4).Draw(t, "further")) // 9 by 9, and 11 by 12
			for _, e := range mustStep(t, c, at, market.Event{Kind: market.Extended, Job: 1, Work: further, Price: market.Unlimited}) {
				if e.Kind == market.Overran {
					t.Fatalf("%s: %v more at %v is refused: %s", name, further, at, e.Reason)
				}
			}
		})
	}
}

// Who is due with another and has the lower number goes before it, and is done sooner there than behind somebody else.
func TestWhoIsDueWithAnotherMayGoBeforeIt(t *testing.T) {
	for _, name := range []string{"mf-edf", "mf-hbf"} {
		c := newCluster(t, name, market.PlainNodes(2)...)
		var on market.Procs
		for _, j := range []market.Job{
			{ID: 6, Estimate: 1, SLA: market.SLA{Deadline: 4}},
			{ID: 5, Estimate: 2, SLA: market.SLA{Deadline: 10}},
			{ID: 1, Estimate: 2, SLA: market.SLA{Deadline: 10}},
		} {
			j.Width, j.SLA.Budget = 1, 100
			for _, e := range mustStep(t, c, 0, market.Event{Kind: market.Submitted, Job: j.ID, Spec: &j}) {
				if e.Kind == market.Accepted {
					on = e.Procs
				}
			}
		}
		if !on.Has(1) {
			t.Errorf("%s: it is on %v, where it is done last", name, on)
		}
	}
}
