package slurm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// greeting is a market that is being told of a node.
type greeting struct {
	Fleet
	hear func()
}

func (g greeting) Hello(context.Context, task.Hello) (task.Welcome, error) {
	g.hear()
	return task.Welcome{}, errors.New("it may have heard")
}

// A node counts from when the market is told of it, not from when the market has answered: in between
// it is sold.
func TestANodeCountsFromWhenTheMarketMayHaveHeard(t *testing.T) {
	b, n := idle(t, Agents)
	n.hello = &task.Hello{Node: "n1", Processors: 4}
	late := b.node("n2")
	array := &trade.Request{Array: &trade.Array{First: 1, Last: 10, Step: 1}}
	count := func() (sum, nodes int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.lanes(array)
	}
	told := 0
	b.fleet = greeting{b.fleet, func() {
		told++
		if sum, nodes := count(); sum != 7 || nodes != 2 {
			t.Errorf("while it is told: %d processors on %d nodes, want 7 on 2", sum, nodes)
		}
	}}
	_, err := b.register(t.Context(), late, task.Hello{Node: "n2", Processors: 3})
	if sum, nodes := count(); err == nil || told != 1 || sum != 4 || nodes != 1 {
		t.Errorf("after %d times, %v: %d processors on %d nodes, want 4 on 1", told, err, sum, nodes)
	}
}

// Of an array Slurm counts all that runs at a time, and how long all of it takes: what it would
// keep waiting is refused with as much as it would not.
func TestAnArrayCountsForWhatRunsAtATime(t *testing.T) {
	b, n := idle(t, Agents) // on which ann has a job
	n.hello = &task.Hello{Node: "n1", Processors: 5, Features: "fast"}
	b.node("n2").hello = &task.Hello{Node: "n2", Processors: 4}
	b.node("n3").hello = &task.Hello{Node: "n3", Processors: 8}
	b.node("n3").membership = away
	b.node("n4") // which nobody has introduced
	b.node("n5").hello = &task.Hello{Node: "n5", Processors: 8, Reserved: "course"}
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{
		Config:    "AccountingStorageEnforce = limits\n",
		Partition: "PartitionName=libra MaxTime=01:00:00\n",
		Manager:   "ClusterName=c Account=physics UserName=bob(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxTRESPJ=cpu=6,gres/gpu=4\n",
	}), noon
	of := func(n, most int) *trade.Array { return &trade.Array{First: 1, Last: n, Step: 1, Limit: most} }
	for name, c := range map[string]struct {
		r    trade.Request
		want string // that it is refused for; empty: it is not
		most int64
		use  int // processors that are kept for it
	}{
		"no array":                        {trade.Request{EstimateMS: 1000}, "", 0, 1},
		"as wide as it may be":            {trade.Request{EstimateMS: 1000, Array: of(6, 0)}, "", 0, 6},
		"wider":                           {trade.Request{EstimateMS: 1000, Array: of(7, 0)}, "at most 6 processors", 6, 0},
		"of as many as there are":         {trade.Request{EstimateMS: 1000, Array: of(100, 0)}, "at most 6 processors", 6, 0},
		"of some at a time":               {trade.Request{EstimateMS: 1000, Array: of(100, 6)}, "", 0, 6},
		"on some nodes":                   {trade.Request{EstimateMS: 1000, Array: of(100, 0), Constraint: "fast"}, "", 0, 5},
		"on some nodes, by name":          {trade.Request{EstimateMS: 1000, Array: of(100, 0), Nodelist: []string{"n2"}, Partition: "libra"}, "", 0, 4},
		"elements of several processors":  {trade.Request{EstimateMS: 1000, Array: of(100, 0), Threads: 3}, "", 0, 6},
		"as many as nodes have whole":     {trade.Request{EstimateMS: 1000, Array: of(100, 0), Threads: 4}, "at most 6 processors", 6, 0},
		"with a GPU each":                 {trade.Request{EstimateMS: 1000, Array: of(5, 0), GPUs: 1}, "at most 4 GPUs", 4, 0},
		"with several programs of theirs": {trade.Request{EstimateMS: 1000, Array: of(2, 0), Threads: 2, GPUs: 2, MemoryMB: 100}, "", 0, 4},
		"with few enough":                 {trade.Request{EstimateMS: 1000, Array: of(4, 0), GPUs: 1}, "", 0, 4},
		"as long as it may take":          {trade.Request{EstimateMS: 20 * 60_000, Array: of(18, 6)}, "", 0, 6},
		"one after the other, for longer": {trade.Request{EstimateMS: 20 * 60_000, Array: of(19, 6)}, "at most (MaxTime", time.Hour.Milliseconds(), 0},
	} {
		ticket, over := b.Admit(t.Context(), "bob", &c.r, false)
		switch {
		case (over == nil) != (c.want == ""), over != nil && (!strings.Contains(over.Detail, c.want) || over.Most != c.most):
			t.Errorf("%s: %+v, want %q", name, over, c.want)
		case over == nil && ticket.use.Processors != c.use:
			t.Errorf("%s: %d processors are kept, want %d", name, ticket.use.Processors, c.use)
		case over == nil && ticket.use.MemoryMB != c.r.MemoryMB*int64(c.use):
			t.Errorf("%s: %d MB are kept for %d processors of %d each", name, ticket.use.MemoryMB, c.use, c.r.MemoryMB)
		}
		b.Settle(ticket, 0)
	}
	// As the market counts them: who is bound to nothing counts what is set aside, too, but for
	// whole elements.
	for want, r := range map[int]trade.Request{17: {Array: of(100, 0)}, 6: {Array: of(100, 0), Threads: 3}, 8: {Array: of(100, 0), Reservation: "course"}} {
		if got, _ := b.lanes(&r); got != want {
			t.Errorf("%d processors for %+v, want %d", got, r, want)
		}
	}
	one := trade.Request{Array: of(100, 0)}
	all, nodes := b.lanes(&one)
	one.Array.Nodes = 1
	if largest, still := b.lanes(&one); largest >= all || nodes < 2 || still != nodes || largest < all/nodes {
		t.Errorf("on one of %d nodes it has %d processors of %d", nodes, largest, all)
	}
}

// Of an array with memory Slurm's limits leave as many elements at a time as have that.
func TestAnArrayCountsForItsMemory(t *testing.T) {
	for said, want := range map[string]int64{"MaxTRESPJ=mem=1000M": 3, "GrpTRES=mem=1000M(100)": 3, "GrpTRES=mem=1000M(900)": 0, "GrpTRES=cpu=N(0),mem=4000M(0)": -1} {
		b, n := idle(t, Agents)
		n.hello = &task.Hello{Node: "n1", Processors: 8}
		w := b.gate.wicket("libra")
		w.site, w.asked = limit.Read(limit.Said{
			Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra\n",
			Manager: "ClusterName=c Account=physics UserName=bob(7) Partition= ID=3\n    DefAssoc=Yes\n    " + said + "\n",
		}), noon
		_, e := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: 1000, MemoryMB: 300, Array: &trade.Array{First: 1, Last: 9, Step: 1}}, false)
		if (e == nil) != (want < 0) || e != nil && e.Fit != want {
			t.Errorf("%s: %+v, want %d", said, e, want)
		}
	}
}

// Who is refused for a limit of time is told how long it may take, which is not a deadline's doing
// where it has none.
func TestHowLongAnArrayTakesIsSaid(t *testing.T) {
	b, n := idle(t, Agents)
	n.hello = &task.Hello{Node: "n1", Processors: 2}
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{Partition: "PartitionName=libra MaxTime=01:00:00\n"}), noon
	_, e := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: 30 * 60_000, Array: &trade.Array{First: 1, Last: 9, Step: 1}}, false)
	if e == nil || !strings.HasSuffix(e.Detail, "for 1h0m0s at most (MaxTime of partition libra), and it may take 2h30m0s") {
		t.Errorf("%+v", e)
	}
}
