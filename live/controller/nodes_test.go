package controller_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A node that announces more than a cluster can have, or more than is allowed,
// does not join, and the market goes on.
func TestAHelloCannotPutTheMarketOutOfOrder(t *testing.T) {
	f := open(t, nil)
	for _, processors := range []int{1 << 24, 1_000_000, 4097, math.MaxInt, 0, -1} {
		h := task.Hello{Node: "n2", Processors: processors, Rating: 1, Speed: 1, MemoryMB: 1, DiskMB: 1, Boot: "b"}
		if _, err := f.Hello(t.Context(), h); err == nil {
			t.Errorf("a node of %d processors has joined", processors)
		}
	}
	// As what it was it is welcome, and not when it comes back as more.
	f.hello("n2", 4)
	if _, err := f.Hello(t.Context(), task.Hello{Node: "n2", Processors: 1 << 20, Rating: 1, Speed: 1, Boot: "b"}); err == nil {
		t.Error("it came back with a million processors")
	}
	if id := f.submit("", trade.Request{EstimateMS: 1000, DeadlineMS: 60_000, Processors: 8}).Job.ID; len(f.job(id).Places) != 8 {
		t.Errorf("the next job has %d places", len(f.job(id).Places))
	}
	f.verify()
}

// Whatever a node says of its own tasks, the market stays open and the books are
// right.
func TestANodeThatLiesOfItsOwnTasks(t *testing.T) {
	f := open(t, nil)
	extremes := []int64{math.MinInt64, -1, 0, 1, 1 << 53, math.MaxInt64}
	for _, state := range []task.State{task.Running, task.Ended, "no such state"} {
		for _, n := range extremes {
			id := f.submit("", trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000}).Job.ID
			key := f.taskOf("n1", id)
			s := task.Status{
				Key: key, State: state, CPUUS: n, DeclinedUS: n, PeakBytes: n, StartedUS: n, EndedUS: n, MandatoryCPUUS: n, Exit: int(n),
				Signal: strings.Repeat("x", 1<<16), Error: strings.Repeat("\xff", 1<<16), Elements: make([]task.Element, 1000), Part: task.OptionalPart,
			}
			if _, err := f.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{s}}); err != nil {
				t.Fatalf("%s, %d: %v", state, n, err)
			}
			f.ended("n1", key, time.Second)
			j := f.job(id)
			if !j.State.Final() || market.Money(j.Charged) < 0 || j.Charged > j.Price {
				t.Errorf("%s, %d: %s, charged %d of %d", state, n, j.State, j.Charged, j.Price)
			}
			for i := range j.Tasks {
				if k := &j.Tasks[i]; len(k.Signal) > 256 || len(k.Error) > 1024 || len(k.Elements) > 0 {
					t.Errorf("%s: %d, %d bytes and %d elements are kept", state, len(k.Signal), len(k.Error), len(k.Elements))
				}
			}
		}
	}
	f.verify()
}

// taskOf waits until a node should be doing a job's first task.
func (f *floor) taskOf(node string, job int64) task.Key {
	f.Helper()
	for range 500 {
		d, err := f.Desired(f.Context(), node, -1, 0)
		if err != nil {
			f.Fatal(err)
		}
		for i := range d.Orders {
			if d.Orders[i].Spec.Job == job {
				return d.Orders[i].Spec.Key
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.Fatalf("%s is never told to do job %d", node, job)
	return task.Key{}
}

// A node need not go on saying how a task ended that is not its own, and learns
// nothing of it.
func TestEndsOfOthersAreForgotten(t *testing.T) {
	f := open(t, nil)
	f.hello("n2", 4)
	id := f.submit("", trade.Request{EstimateMS: 3_600_000, DeadlineMS: 7_200_000, Processors: 8}).Job.ID
	for _, p := range f.job(id).Places {
		if p.Node != "n2" {
			continue
		}
		key := f.orders("n2", 4)[0].Spec.Key
		if reply := f.ended("n1", key, time.Second); len(reply.Forget) != 1 || reply.Forget[0] != key {
			t.Errorf("%+v", reply.Forget)
		}
		if f.job(id).State != trade.Running {
			t.Errorf("it is %s", f.job(id).State)
		}
		return
	}
	t.Fatal("nothing of it is on n2")
}

// What a node sends for output is what was asked of it, or an error: who follows a
// file goes on where the last piece ended.
func TestOutputThatWasNotAskedFor(t *testing.T) {
	f := open(t, nil)
	f.hello("n2", 4)
	id := f.submit("", trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000, Dir: "/tmp", Output: "out"}).Job.ID
	node, other := f.job(id).Places[0].Node, "n2"
	if node == other {
		other = "n1"
	}
	for name, c := range map[string]struct {
		asked int64
		says  task.Chunk
		good  bool
	}{
		"what was asked for":       {0, task.Chunk{Size: 3, Data: []byte("abc")}, true},
		"from the end":             {-2, task.Chunk{Offset: 1, Size: 3, Data: []byte("bc")}, true},
		"nothing more":             {3, task.Chunk{Offset: 3, Size: 3}, true},
		"it was begun anew":        {3, task.Chunk{Offset: 3, Size: 1}, true},
		"a complaint":              {0, task.Chunk{Error: "no such file"}, true},
		"from elsewhere":           {0, task.Chunk{Offset: 5, Size: 9, Data: []byte("abc")}, false},
		"more than was asked for":  {0, task.Chunk{Size: 1 << 20, Data: make([]byte, 101)}, false},
		"more than there is":       {0, task.Chunk{Size: 2, Data: []byte("abc")}, false},
		"before the beginning":     {-9, task.Chunk{Offset: -1, Size: 3, Data: []byte("abc")}, false},
		"beyond every end":         {-9, task.Chunk{Offset: math.MaxInt64, Size: math.MaxInt64, Data: []byte("abc")}, false},
		"of a size below nothing":  {0, task.Chunk{Size: -1}, false},
		"a complaint without end":  {0, task.Chunk{Error: strings.Repeat("x", 1<<20)}, false},
		"nothing, at its last end": {7, task.Chunk{Offset: 7, Size: 7}, true},
	} {
		got := make(chan task.Chunk, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		go func() {
			k, err := f.Tail(ctx, id, 0, nil, false, c.asked, 100)
			if err != nil {
				k.Error = "failed: " + err.Error()
			}
			got <- k
		}()
		tail := f.tail(node)
		if err := f.Chunk(ctx, other, tail.ID, task.Chunk{Size: 6, Data: []byte("forged")}); err == nil {
			t.Errorf("%s: another node has answered", name)
		}
		if err := f.Chunk(ctx, node, tail.ID, c.says); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		k := <-got
		cancel()
		if same := string(k.Data) == string(c.says.Data) && k.Error == c.says.Error; same != c.good {
			t.Errorf("%s: %d bytes, %q", name, len(k.Data), k.Error)
		}
	}
}

// tail waits until a node is asked for output.
func (f *floor) tail(node string) task.Tail {
	f.Helper()
	for range 500 {
		d, err := f.Desired(f.Context(), node, -1, 0)
		if err != nil {
			f.Fatal(err)
		}
		if len(d.Tails) > 0 {
			return d.Tails[0]
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.Fatal("nobody asks for output")
	return task.Tail{}
}

// What a backend in this process is told is what an agent is told.
func TestWantedIsDesired(t *testing.T) {
	f := open(t, nil)
	f.hello("n2", 4)
	id := f.submit("", trade.Request{EstimateMS: 1000, DeadlineMS: 60_000, Processors: 2}).Job.ID
	node := f.job(id).Places[0].Node
	f.taskOf(node, id)
	d, err := f.Desired(t.Context(), node, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	w, wants, err := f.Wanted(t.Context(), node, -1, 0)
	if err != nil || w.Version != d.Version || w.LeaseMS != d.LeaseMS || w.Orders != nil {
		t.Errorf("%+v, %v, want %+v without orders", w, err, d)
	}
	if got := dispatch.Orders(wants); !reflect.DeepEqual(got, d.Orders) {
		t.Errorf("%+v, want %+v", got, d.Orders)
	}
	if _, _, err := f.Wanted(t.Context(), "nobody", -1, 0); !errors.Is(err, trade.ErrUnknown) {
		t.Errorf("%v, want that there is no such node", err)
	}
}
