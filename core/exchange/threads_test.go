package exchange_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Two programs of two threads each, 10 s by 20 s: half of each of four processors.
// A node hears of a program once, with the sum of its shares; what the program has
// used is split among its processors, and all of it is billed once.
func TestThreadsShareANode(t *testing.T) {
	f := open(t, "libra", 3) // one of its processors has no neighbour left
	f.enlist("n2", 2)
	f.submit(bob, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000, Processors: 5})
	asked := trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000, Processors: 4, Threads: 2, MemoryMB: 100, Budget: budget(50)}
	j := f.submit(alice, asked).Job
	if j == nil || j.State != trade.Running || j.Request.Output != "libra-%j-%r.out" {
		t.Fatalf("%+v", j)
	}
	var orders []task.Order
	for _, node := range []string{"n1", "n2"} {
		for _, o := range f.x.Orders(node) {
			if o.Spec.Job == j.ID {
				orders = append(orders, o)
			}
		}
	}
	if len(orders) != 2 {
		t.Fatalf("orders %+v", orders)
	}
	for rank, o := range orders {
		if o.CPU != 1 || o.Spec.Rank != rank || o.Spec.Size != 2 || o.Spec.Threads != 2 || o.Spec.Memory != 200<<20 || len(o.More) != 1 || o.More[0] == o.Processor {
			t.Errorf("rank %d: %+v", rank, o)
		}
	}
	if nodes := orders[0].Spec.Nodes; !slices.Equal(nodes, []string{"n1", "n2"}) {
		t.Errorf("the programs are on %v", nodes)
	}
	if node, tail, err := trade.Output(j, 1, nil, false); node != "n2" || tail.File != "libra-2-1.out" || err != nil {
		t.Errorf("the second writes on %s, %+v, %v", node, tail, err)
	}
	if _, _, err := trade.Output(j, 2, nil, false); err == nil {
		t.Error("there is a third")
	}

	f.wait(8)
	for _, o := range orders {
		f.used(o.Spec.Key, 10)
	}
	if v := f.job(j.ID); v.Work != 5_000 || len(v.Tasks) != 2 || v.Tasks[1].CPUUS != 10_000_000 {
		t.Errorf("after 10 s of each program: %+v", v)
	}
	f.wait(8)
	f.end(orders[0].Spec.Key, 20, 0)
	if v := f.job(j.ID); v.State != trade.Running {
		t.Fatalf("one of two has ended: %+v", v)
	}
	f.end(orders[1].Spec.Key, 20, 0)
	done := f.job(j.ID)
	if done.State != trade.Completed || len(done.Tasks) != 2 || done.Charged != j.Price || done.Penalty != 0 {
		t.Errorf("%+v", done)
	}
	if got := f.free("lab/alice"); got != 1000*market.Unit-market.Money(done.Charged) {
		t.Errorf("free %s", got)
	}
}

// Seven elements of two threads each, on nodes of five and three processors: two and one
// of them at a time, each of which has two processors of one node.
func TestElementsHaveThreads(t *testing.T) {
	f := open(t, "libra", 5)
	f.enlist("n2", 3)
	j := f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 60_000, Budget: budget(50), Threads: 2, Array: &trade.Array{First: 1, Last: 7}}).Job
	if j == nil || j.State != trade.Running || j.Width != 6 || j.Programs() != 3 || j.Request.Output != "libra-%j-%a.out" {
		t.Fatalf("%+v", j)
	}
	var elements []int
	for _, node := range []string{"n1", "n2"} {
		for _, o := range f.x.Orders(node) {
			if o.Spec.Threads != 2 || o.Spec.Size != 3 || len(o.More) != 1 {
				t.Errorf("%+v", o)
			}
			for i := range o.Spec.Len() {
				elements = append(elements, o.Spec.Element(i))
			}
		}
	}
	if slices.Sort(elements); !slices.Equal(elements, []int{1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("elements %v", elements)
	}
	for rank, rounds := range []float64{3, 2, 2} {
		f.wait(1)
		f.end(task.Key{Job: j.ID, Rank: rank}, 2*rounds, 0)
	}
	if done := f.job(j.ID); done.State != trade.Completed || done.Charged != j.Price {
		t.Errorf("%+v", done)
	}
}

// Three processors are free, and no two of them of one node.
func TestThreadsThatNoNodeHas(t *testing.T) {
	f := open(t, "libra", 1)
	f.enlist("n2", 1)
	f.enlist("n3", 1)
	if o := f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 20_000, Processors: 2}); o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	o := f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 20_000, Threads: 2})
	if o.Refusal == nil || o.Refusal.Reason != market.CannotMeetResources.String() {
		t.Errorf("%+v", o.Refusal)
	}
	for _, wrong := range []trade.Request{
		{EstimateMS: 1, Processors: 3, Threads: 2},
		{EstimateMS: 1, Threads: -1},
		{EstimateMS: 1, Processors: 4, Threads: 2, Array: &trade.Array{First: 1, Last: 2}},
		{EstimateMS: 1, Processors: 2, Array: &trade.Array{First: 1, Last: 2}},
	} {
		wrong.Argv = []string{"x"}
		var field *trade.FieldError
		if err := wrong.Validate(); !errors.As(err, &field) {
			t.Errorf("%+v is taken: %v", wrong, err)
		}
	}
}

// A program that fails fails its job, and is called by its own number.
func TestAProgramWithThreadsFails(t *testing.T) {
	f := open(t, "fcfs-bf", 4)
	j := f.submit(alice, trade.Request{EstimateMS: 1_000, Processors: 4, Threads: 2}).Job
	f.end(task.Key{Job: j.ID}, 1, 0)
	f.end(task.Key{Job: j.ID, Rank: 1}, 1, 3)
	if done := f.job(j.ID); done.State != trade.Failed || done.Detail != "rank 1: exit status 3" {
		t.Errorf("%+v", done)
	}
}
