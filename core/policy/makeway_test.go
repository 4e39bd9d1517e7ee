package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// With exact estimates whatever make-way starts is in time, those who make way too, on
// processors that are alike and on others.
func TestWhatMakesWayIsInTime(t *testing.T) {
	kind, err := policy.Find("make-way")
	if err != nil {
		t.Fatal(err)
	}
	stood := 0
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 6))
		nodes := market.PlainNodes(8)
		if seed%3 == 2 {
			for i := range nodes {
				nodes[i].Rating = 1 + draw.Float64()
			}
		}
		jobs := crowd(draw, 200)
		try := trial.Trial{Kind: kind, Nodes: market.Each(nodes), Watch: func(r *market.Record) {
			if r.Kind == market.Granted && r.Speed == 0 {
				stood++
			}
		}}
		allInTime(t, seed, &try, jobs)
	}
	if stood < 1000 {
		t.Errorf("jobs stood still %d times: that tells little", stood)
	}
}

// Who is told at once that nobody makes way for it would have been told the same by everybody, and who waits beside others
// who wait finds the same places: in long queues, of narrow and of wide jobs, with estimates that are used up and with
// nobody in a hurry.
func TestNobodyIsLeftOutWhoWouldMakeWay(t *testing.T) {
	kind, err := policy.Find("make-way")
	if err != nil {
		t.Fatal(err)
	}
	everybody := policy.Made(kind, policy.MakeWayAskingEverybody)
	waited := 0
	for seed := range uint64(120) {
		draw := rand.New(rand.NewPCG(seed, 7))
		each := market.PlainNodes(4 + draw.IntN(60))
		if seed%4 == 2 {
			for i := range each {
				each[i].Rating = 1 + draw.Float64()
			}
		}
		nodes := market.Each(each)
		jobs := crowd(draw, 250)
		haste := 0.05 + draw.Float64() // at once, mostly
		for i := range jobs {
			j := &jobs[i].Job
			j.Submit *= market.Time(haste * 8 / float64(nodes.Processors()))
			if seed%2 == 1 { // several at one moment
				j.Submit = market.Time(int(j.Submit/20)) * 20
			}
			switch draw.IntN(20) {
			case 0:
				j.SLA.Deadline = market.Never
			case 1:
				jobs[i].Actual *= 3
			case 2:
				jobs[i].Actual /= 2
			case 3:
				j.SLA.Budget = market.Unlimited
			case 4:
				j.Width = market.Int32(nodes.Processors()) + 1 // it is refused before anybody is asked
			}
		}
		var said [2][]string
		for i, k := range []policy.Kind{kind, everybody} {
			try := trial.Trial{Kind: k, Nodes: nodes, Watch: func(r *market.Record) {
				said[i] = append(said[i], fmt.Sprintf("%v %v %d %v %v %v", r.At, r.Kind, r.Job, r.Speed, r.Reason, r.Procs))
				if r.Kind == market.Queued && i == 0 {
					waited++
				}
			}}
			if _, err := try.Run(t.Context(), workload.FromSlice(slices.Clone(jobs))); err != nil {
				t.Fatal(err)
			}
		}
		for i := range said[0] {
			if i >= len(said[1]) || said[0][i] != said[1][i] {
				t.Fatalf("seed %d: %s, where asking everybody says %s", seed, said[0][i], said[1][min(i, len(said[1])-1)])
			}
		}
	}
	if waited < 10_000 {
		t.Errorf("%d jobs waited: that tells little", waited)
	}
}

// What is kept of those who run, as they come and go, and are measured, is what is made anew from the book.
func TestTheLineupIsKeptAsItChanges(t *testing.T) {
	kind, err := policy.Find("make-way")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 11))
		each := market.PlainNodes(4 + draw.IntN(60))
		if seed%4 == 2 {
			for i := range each {
				each[i].Rating = 1 + draw.Float64()
			}
		}
		nodes := market.Each(each)
		jobs := crowd(draw, 150)
		haste := 0.05 + draw.Float64()
		for i := range jobs {
			j := &jobs[i].Job
			j.Submit *= market.Time(haste * 8 / float64(nodes.Processors()))
			switch draw.IntN(12) {
			case 0:
				j.SLA.Deadline = market.Never
			case 1:
				jobs[i].Actual *= 3
			case 2:
				jobs[i].Actual /= 2
			}
			if seed%3 == 1 { // many are alike
				j.Estimate = market.Work(1 + int(j.Estimate)/50*50)
				j.Submit = market.Time(int(j.Submit/20)) * 20
			}
		}
		checked := policy.Made(kind, func() policy.Policy {
			return policy.MakeWayMadeAnew(func(how string) { t.Fatalf("seed %d: %s", seed, how) })
		})
		try := trial.Trial{Kind: checked, Nodes: nodes}
		if _, err := try.Run(t.Context(), workload.FromSlice(jobs)); err != nil {
			t.Fatal(err)
		}
	}
}

// The same where nodes are lost, quotes keep places, and who runs asks for more work.
func TestTheLineupIsKeptBesideQuotes(t *testing.T) {
	kept := 0
	for seed := range uint64(60) {
		nodes, jobs, changes := bargains(seed)
		c, err := cluster.New(nodes, policy.MakeWayMadeAnew(func(how string) { t.Fatalf("world %d: %s", seed, how) }))
		if err != nil {
			t.Fatal(err)
		}
		w := &quotesBeside{Cluster: c, rand: rand.New(rand.NewPCG(seed, 12))}
		if err := sim.Run(t.Context(), w, workload.FromSlice(jobs), sim.Options{Changes: changes}); err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		kept += w.kept
	}
	if kept < 100 {
		t.Errorf("%d quotes kept a place: that tells little", kept)
	}
}

// quotesBeside is a cluster on which quotes are taken and left, of which who drives it hears nothing.
type quotesBeside struct {
	*cluster.Cluster
	rand *rand.Rand
	open []market.JobID // quotes that keep places
	runs []market.JobID
	last market.JobID
	kept int
}

func (w *quotesBeside) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	const first = 10_000
	var all []market.Event
	if len(w.open) > 0 && w.rand.IntN(6) == 0 {
		all = append(all, market.Event{Kind: market.Cancelled, Job: w.open[0]})
		w.open = w.open[1:]
	}
	for i := range happened {
		if happened[i].Kind == market.Finished || happened[i].Kind == market.NodeDown {
			w.runs = w.runs[:0]
		}
	}
	if len(w.runs) > 0 && w.rand.IntN(4) == 0 {
		all = append(all, market.Event{Kind: market.Extended, Job: w.runs[w.rand.IntN(len(w.runs))], Work: 1, Price: market.Unlimited})
	}
	for i := range happened {
		if j := happened[i].Spec; j != nil && w.rand.IntN(3) == 0 {
			w.last++
			quote := *j
			quote.ID = first + w.last
			all = append(all, market.Event{Kind: market.Reserved, Job: quote.ID, Spec: &quote})
		}
	}
	said, err := w.Cluster.Step(at, append(all, happened...))
	others := said[:0:0]
	for i := range said {
		e := &said[i]
		switch {
		case e.Kind == market.Extended || e.Kind == market.Overran:
		case e.Job < first:
			if others = append(others, *e); e.Kind == market.Granted && e.Speed > 0 {
				w.runs = append(w.runs, e.Job)
			}
		case e.Kind == market.Accepted:
			w.kept++
			w.open = append(w.open, e.Job)
		default: // it may have lost its place, with a node
			w.open = slices.DeleteFunc(w.open, func(id market.JobID) bool { return id == e.Job })
		}
	}
	return others, err
}

// allInTime runs jobs: what is started is done in time, and what was offered for it is earned.
func allInTime(t *testing.T, seed uint64, try *trial.Trial, jobs []workload.Arrival) {
	t.Helper()
	got, err := try.Run(t.Context(), workload.FromSlice(jobs))
	if err != nil {
		t.Fatal(err)
	}
	if got.Completed == 0 || got.Completed != got.MetDeadline || got.Revenue != got.Earned || got.Completed+got.Rejected != got.Jobs {
		t.Errorf("seed %d: of %d jobs %d are done and %d in time, revenue %v of %v", seed, got.Jobs, got.Completed, got.MetDeadline, got.Revenue, got.Earned)
	}
}

// crowd is jobs for eight processors, more than they can do, for offers of all kinds.
func crowd(draw *rand.Rand, n int) (jobs []workload.Arrival) {
	at := market.Time(0)
	for range n {
		at += market.Time(draw.ExpFloat64() * 20)
		work := market.Work(1 + 200*draw.ExpFloat64())
		jobs = append(jobs, workload.Arrival{Actual: work, Job: market.Job{
			Submit: at, Estimate: work, Width: 1 + int32(draw.IntN(6)),
			SLA: market.SLA{Deadline: market.Time(float64(work) * (1 + 5*draw.Float64())), Budget: market.Price(100 * draw.Float64())},
		}})
	}
	return jobs
}
