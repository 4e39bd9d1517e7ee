package policytest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// Worlds is how many random worlds Run plays; a tenth of them where time is short.
const Worlds = 200

func worlds() uint64 {
	if testing.Short() {
		return Worlds / 10
	}
	return Worlds
}

// Run holds a kind of policy to the promises of all policies.
func Run(t *testing.T, kind policy.Kind) {
	t.Run("keeps its promises", func(t *testing.T) {
		for seed := range worlds() {
			One(t, kind, seed)
		}
	})
	t.Run("says the same to the same", func(t *testing.T) {
		for seed := range worlds() / 4 {
			sameAgain(t, newWorld(kind, seed))
		}
	})
	t.Run("quotes what it answers and writes nothing", func(t *testing.T) {
		for seed := range worlds() / 4 {
			quotes(t, newWorld(kind, seed))
		}
	})
	t.Run("says the same when it is restored", func(t *testing.T) {
		for seed := range worlds() / 4 {
			restored(t, newWorld(kind, seed))
		}
	})
	t.Run("keeps nothing that it would not find anew", func(t *testing.T) {
		for seed := range worlds() / 4 {
			copied(t, newWorld(kind, seed))
		}
	})
	t.Run("takes nodes that join", func(t *testing.T) {
		for seed := range worlds() / 4 {
			joins(t, newWorld(kind, seed))
		}
	})
	t.Run("keeps its promises on a live market", func(t *testing.T) {
		var count floor
		for seed := range worlds() {
			haggles(t, newWorld(kind, seed), &count)
		}
		t.Logf("%d confirmed, %d prolonged, %d refused, %d released, %d fulfilled",
			count.confirmed, count.prolonged, count.overran, count.released, count.fulfilled)
		if !testing.Short() && (kind.Imprecise != (count.fulfilled > 0) || count.prolonged == 0 || count.overran == 0 || count.released == 0) {
			t.Error("the worlds test too little")
		}
	})
}

// One plays the world of one seed and watches it.
func One(t *testing.T, kind policy.Kind, seed uint64) {
	t.Helper()
	w := newWorld(kind, seed)
	o := newWatcher(w)
	if _, err := w.play(t, w.policy(t), o.see, nil); err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	o.report(t)
}

// sameAgain: the same inputs give the same records, and a policy that has
// already run one cluster has no memory of it.
func sameAgain(t *testing.T, w *world) {
	t.Helper()
	p := w.policy(t)
	var sums [3]uint64
	for i, with := range []policy.Policy{p, w.policy(t), p} {
		sum, err := w.play(t, with, nil, nil)
		if err != nil {
			t.Fatalf("%v: %v", w, err)
		}
		sums[i] = sum
	}
	if sums[0] != sums[1] {
		t.Errorf("%v: two runs differ", w)
	}
	if sums[0] != sums[2] {
		t.Errorf("%v: the policy remembers its first run", w)
	}
}

// quotes: asking changes nothing, not even when asked twice, and the answer is
// what the job is told when it is submitted.
func quotes(t *testing.T, w *world) {
	t.Helper()
	plain, err := w.play(t, w.policy(t), nil, nil)
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	asked, err := w.play(t, w.policy(t), nil, func(c *cluster.Cluster) sim.World { return &asking{t: t, w: w, Cluster: c} })
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	if plain != asked {
		t.Errorf("%v: asking has changed the course of things", w)
	}
}

// asking is a cluster that is asked about every job before it is submitted.
type asking struct {
	*cluster.Cluster
	t *testing.T
	w *world
}

func (a *asking) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	var quote market.Quote
	var no error
	for i := range happened {
		if e := &happened[i]; e.Kind == market.Submitted {
			quote, no = a.Quote(at, *e.Spec)
			if again, noAgain := a.Quote(at, *e.Spec); !reflect.DeepEqual(quote, again) || fmt.Sprint(no) != fmt.Sprint(noAgain) {
				a.t.Errorf("%v: job %d is told %+v, %v and then %+v, %v", a.w, e.Job, quote, no, again, noAgain)
			}
		}
	}
	events, err := a.Cluster.Step(at, happened)
	if err == nil && len(happened) == 1 && happened[0].Kind == market.Submitted {
		a.compare(quote, no, &events[0])
	}
	return events, err
}

// compare holds a quote against the answer to a job that came alone.
func (a *asking) compare(quote market.Quote, no error, said *market.Event) {
	var rejection *market.Rejection
	switch {
	case errors.As(no, &rejection):
		if said.Kind != market.Rejected || said.Reason != rejection.Reason {
			a.t.Errorf("%v: job %d was to be refused (%v) and is %s (%s)", a.w, said.Job, no, said.Kind, said.Reason)
		}
	case no != nil:
		a.t.Errorf("%v: job %d: %v", a.w, said.Job, no)
	case said.Kind != market.Accepted && said.Kind != market.Queued,
		said.Price != quote.Price, said.Finish != quote.Finish, said.Firm != quote.Firm,
		said.Kind == market.Accepted && !reflect.DeepEqual(said.Procs, quote.Procs):
		a.t.Errorf("%v: job %d was quoted %+v and is told %+v", a.w, said.Job, quote, said)
	}
}

func (w *world) policy(t *testing.T) policy.Policy {
	t.Helper()
	p, err := w.kind.New(w.set)
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	return p
}

// play runs the world and returns a sum over all records.
func (w *world) play(
	t *testing.T, p policy.Policy, see func(*market.Record), wrap func(*cluster.Cluster) sim.World,
) (uint64, error) {
	t.Helper()
	c, err := cluster.Of(market.Compact(w.nodes), p)
	if err != nil {
		return 0, err
	}
	var in sim.World = c
	if wrap != nil {
		in = wrap(c)
	}
	if w.cancels > 0 {
		in = &fickle{World: in, rand: rand.New(rand.NewPCG(w.seed, 1)), chance: w.cancels, live: map[market.JobID]bool{}}
	}
	sum, records := fnv.New64a(), 0
	err = sim.Run(context.Background(), in, workload.FromSlice(w.jobs), sim.Options{
		Changes: w.changes,
		See: func(r *market.Record) {
			if records++; records > 1000*len(w.jobs) {
				t.Fatalf("%v: no end of it", w)
			}
			if see != nil {
				see(r)
			}
			_ = binary.Write(sum, binary.LittleEndian, []float64{
				float64(r.At), float64(r.Kind), float64(r.Reason), float64(r.Job), float64(r.Proc), float64(r.Node), float64(r.Slot),
				float64(r.Start), float64(r.Finish), r.Speed, float64(r.Work), float64(r.Price),
			})
			fmt.Fprint(sum, r.Firm, r.Procs, r.Slices)
		},
	})
	return sum.Sum64(), err
}

// fickle is a world whose users now and then take a job back.
type fickle struct {
	sim.World
	rand   *rand.Rand
	chance float64
	live   map[market.JobID]bool
}

func (f *fickle) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	if len(f.live) > 0 && f.rand.Float64() < f.chance {
		happened = append(happened, market.Event{Kind: market.Cancelled, Job: f.choose()})
	}
	events, err := f.World.Step(at, happened)
	for i := range events {
		switch e := &events[i]; e.Kind {
		case market.Queued, market.Accepted:
			f.live[e.Job] = true
		case market.Rejected, market.Completed, market.Stopped:
			delete(f.live, e.Job)
		default: // it lives on
		}
	}
	return events, err
}

// choose draws a job, whatever the order of the map.
func (f *fickle) choose() market.JobID {
	n := f.rand.IntN(len(f.live))
	for id := market.JobID(0); ; id++ {
		if f.live[id] {
			if n == 0 {
				return id
			}
			n--
		}
	}
}
