package controller_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/live/controller"
)

// A job is taken in, its node is told, it ends, it is billed; and all of that
// is there after a restart.
func TestAJobsWay(t *testing.T) {
	f := open(t, nil)
	o := f.submit("", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
	order := f.orders("n1", 1)[0]
	if order.Spec.User != "alice" || order.CPU != 1 || order.Spec.Job != o.Job.ID {
		t.Fatalf("%+v", order)
	}
	f.restart()
	if j := f.job(o.Job.ID); j.State != trade.Running || j.Price != o.Job.Price || j.PromisedUS != o.Job.PromisedUS {
		t.Fatalf("after a restart: %+v", j)
	}
	f.orders("n1", 1)
	reply := f.ended("n1", order.Spec.Key, time.Second)
	if len(reply.Forget) != 1 {
		t.Errorf("its end is written down and need not be said again: %+v", reply)
	}
	if again := f.ended("n1", order.Spec.Key, time.Second); len(again.Forget) != 1 {
		t.Errorf("said again: %+v", again)
	}
	f.orders("n1", 0)
	j := f.job(o.Job.ID)
	if j.State != trade.Completed || j.Charged != 10_500_000 {
		t.Errorf("%+v", j)
	}
	f.verify()
	f.restart()
	if again := f.job(o.Job.ID); again.State != trade.Completed || again.Charged != j.Charged || again.Receipt == nil {
		t.Errorf("after a restart: %+v", again)
	}
	f.verify()
}

// A command with a key happens once, however often it is sent, before and
// after a restart.
func TestAKeyIsGoodOnce(t *testing.T) {
	f := open(t, nil)
	cmd := trade.Command{By: alice, Submit: &trade.Submit{Request: trade.Request{Argv: []string{"a"}, EstimateMS: 1000}}}
	first, replayed := f.do(cmd, "k1")
	if replayed {
		t.Fatal("the first is no repetition")
	}
	for i := range 3 {
		again, replayed := f.do(cmd, "k1")
		if !replayed || again.Job.ID != first.Job.ID {
			t.Errorf("%d: %v %+v", i, replayed, again.Job)
		}
		if i == 1 {
			f.restart()
		}
	}
	_, _, err := f.Do(t.Context(), cmd, trade.Key{Owner: "alice", Key: "k1", Digest: []byte("other")})
	if !errors.Is(err, trade.ErrKeyReused) {
		t.Errorf("another request under the same key: %v", err)
	}
	if counts, err := f.CountJobs(t.Context(), ""); err != nil || counts[v1.Running] != 1 {
		t.Errorf("%v, %v", counts, err)
	}
}

// If the store cannot be written nothing is acknowledged, nothing has happened,
// and the market opens again when it can.
func TestAnUnwritableStoreIsRefusedCleanly(t *testing.T) {
	f := open(t, nil)
	f.stop()
	<-f.Done()
	b := &brittle{Store: f.store}
	f.start(b)
	before := f.submit("", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
	b.fail.Store(true)
	for range 3 {
		cmd := trade.Command{By: alice, Submit: &trade.Submit{Request: trade.Request{Argv: []string{"a"}, EstimateMS: 1000}}}
		if _, _, err := f.Do(t.Context(), cmd, trade.Key{}); !errors.Is(err, trade.ErrUnavailable) {
			t.Fatalf("a store that cannot be written: %v", err)
		}
	}
	if err := f.Healthy(t.Context()); !errors.Is(err, trade.ErrUnavailable) {
		t.Errorf("healthy: %v", err)
	}
	b.fail.Store(false)
	for end := time.Now().Add(time.Minute); f.Healthy(t.Context()) != nil && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	after := f.submit("", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
	if after.Refusal != nil || after.Job.ID != before.Job.ID+1 {
		t.Errorf("%+v %+v", after.Refusal, after.Job)
	}
	f.orders("n1", 2)
	f.verify()
}

// A look that comes while a batch is written has to wait for it, and for nothing
// else.
func TestALookDuringAWriteIsAnsweredAfterIt(t *testing.T) {
	f := open(t, nil)
	f.stop()
	<-f.Done()
	slow := &slow{Store: f.store, begun: make(chan struct{}), goOn: make(chan struct{})}
	f.start(slow)
	asked, looked := make(chan struct{}), make(chan error)
	go func() {
		defer close(asked)
		f.submit("", trade.Request{EstimateMS: 1000})
	}()
	<-slow.begun
	go func() { looked <- f.Healthy(f.Context()) }()
	time.Sleep(100 * time.Millisecond) // so that the look comes before the end of the write; if not, nothing is tested
	close(slow.goOn)
	<-asked
	select {
	case err := <-looked:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("nobody answers")
	}
}

// Many at once: everybody is answered once, the books are right, and the state
// that the log gives is the state that was.
func TestManyAtOnce(t *testing.T) {
	f := open(t, func(c *controller.Config) { c.SnapshotEvery = 50 })
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 20 {
				o := f.submit(fmt.Sprintf("%d-%d", w, i), trade.Request{EstimateMS: 100, DeadlineMS: 60_000})
				if o.Refusal != nil {
					continue
				}
				if i%3 == 0 {
					f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: o.Job.ID}}, "")
				}
			}
		})
	}
	all.Wait()
	f.verify()
	counts, err := f.CountJobs(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	f.restart()
	again, err := f.CountJobs(t.Context(), "")
	if err != nil || fmt.Sprint(again) != fmt.Sprint(counts) {
		t.Errorf("%v, was %v (%v)", again, counts, err)
	}
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	if total != 160 {
		t.Errorf("%d jobs of 160: %v", total, counts)
	}
}

// A node that is not heard of is lost, and its jobs go on elsewhere; when it
// comes back it is told to do nothing.
func TestASilentNodeIsLost(t *testing.T) {
	f := open(t, func(c *controller.Config) { c.Lease = 2 * time.Second })
	f.submit("", trade.Request{EstimateMS: 10_000, DeadlineMS: 600_000})
	f.orders("n1", 1)
	f.hello("n2", 1)
	keep := time.NewTicker(100 * time.Millisecond)
	defer keep.Stop()
	deadline := time.After(time.Minute)
	for {
		if _, err := f.Report(t.Context(), task.Report{Node: "n2"}); err != nil {
			t.Fatal(err)
		}
		if j := f.job(1); j.Attempt == 1 {
			if j.State != trade.Running || j.Places[0].Node != "n2" {
				t.Fatalf("%+v", j)
			}
			break
		}
		select {
		case <-keep.C:
		case <-deadline:
			t.Fatal("a silent node is never lost")
		}
	}
	reply, err := f.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{{Key: task.Key{Job: 1}, State: task.Ended, Error: task.LeaseRanOut}}})
	if err != nil || len(reply.Forget) != 1 {
		t.Fatalf("%+v, %v", reply, err)
	}
	f.orders("n1", 0)
	nodes, err := f.Nodes(t.Context())
	if err != nil || !nodes[0].Up {
		t.Errorf("it is back: %+v, %v", nodes, err)
	}
}

// The log of a live run, driven through the simulator, gives the same decisions
// event for event, under every policy.
func TestTheLogReplaysInTheSimulator(t *testing.T) {
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			f := open(t, func(c *controller.Config) { c.Open.Policy = kind.Name })
			budget := int64(100 * market.Unit)
			for i := range 12 {
				o := f.submit("", trade.Request{EstimateMS: 300, DeadlineMS: int64(600 + 400*i), Budget: &budget, Processors: 1 + i%3, Soft: i%2 == 0})
				if o.Refusal != nil {
					continue
				}
				time.Sleep(10 * time.Millisecond) // orders are gathered for half of that
				d, err := f.Desired(t.Context(), "n1", -1, 0)
				if err != nil {
					t.Fatal(err)
				}
				for k, order := range d.Orders {
					if k < 2 && i%2 == 1 {
						f.ended("n1", order.Spec.Key, 100*time.Millisecond)
					}
				}
			}
			if n := replayed(t, f); n < 20 {
				t.Errorf("only %d events", n)
			}
		})
	}
}

// replayed drives the simulator through the log and counts the events that agree.
func replayed(t *testing.T, f *floor) (events int) {
	t.Helper()
	var c *cluster.Cluster
	for e, err := range f.store.Tail(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		var body controller.Body
		if err := json.Unmarshal(e.Body, &body); err != nil {
			t.Fatal(err)
		}
		for i := range body.Steps {
			step := &body.Steps[i]
			if step.Rebuilt != nil {
				if c, err = step.Rebuilt.Rebuild(c); err != nil {
					t.Fatal(err)
				}
				continue
			}
			happened, err := step.Happened()
			if err != nil {
				t.Fatal(err)
			}
			one := func(yield func(sim.Step, error) bool) {
				yield(sim.Step{At: market.Time(step.At), Happened: happened}, nil)
			}
			err = sim.Replay(c, one, func(_ market.Time, said []market.Event) {
				if err := step.Agrees(said); err != nil {
					t.Fatalf("entry %d: %v", e.Seq, err)
				}
				events += len(said)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return events
}
